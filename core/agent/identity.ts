/** The identity of an agent: replaced as a whole, or field by field. */
import { type AgentDocument, withSection } from './document.js'
import { type Identity, IdentityPatch, Identity as IdentitySchema } from './resources/identity.js'
import { misshapen, type Outcome } from './writing.js'

export function identityReplaced(document: AgentDocument, body: unknown): Outcome {
  return misshapen(IdentitySchema, body) ?? withSection(document, 'identity', body as Identity)
}

/** Null takes a field away. */
export function identityPatched(document: AgentDocument, body: unknown): Outcome {
  const wrong = misshapen(IdentityPatch, body)
  if (wrong) return wrong
  const merged = Object.entries({ ...document.identity, ...(body as object) }).filter(([, value]) => value !== null)
  return withSection(document, 'identity', Object.fromEntries(merged) as Identity)
}
