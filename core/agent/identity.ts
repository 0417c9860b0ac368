/** Writes of an agent's identity: as a whole, or by field. */
import { type AgentDocument, withSection } from './document.js'
import { type Outcome, schemaError } from './outcome.js'
import { type Identity, IdentityPatch, Identity as IdentitySchema } from './resources/identity.js'

export function replaceIdentity(document: AgentDocument, body: unknown): Outcome {
  return schemaError(IdentitySchema, body) ?? withSection(document, 'identity', body as Identity)
}

/** Null removes a field. */
export function patchIdentity(document: AgentDocument, body: unknown): Outcome {
  const error = schemaError(IdentityPatch, body)
  if (error) return error
  const merged = Object.entries({ ...document.identity, ...(body as object) }).filter(([, value]) => value !== null)
  return withSection(document, 'identity', Object.fromEntries(merged) as Identity)
}
