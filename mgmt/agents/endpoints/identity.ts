/** Endpoints of the agent itself and its identity, the one source of its contact details. */
import { patchIdentity, replaceIdentity } from '../../../core/agent/index.js'
import { isRefusal, type Refusal, refuse } from '../../../core/errors.js'
import { type Endpoint, type ReadContext, updates } from '../endpoint.js'
import { Agent, AgentPatch, Identity, IdentityPatch, readAccess, routeDefaults, writeAccess } from '../schema.js'
import { agentView } from '../store.js'

const { tag } = routeDefaults
const agent = { tag, path: '', sections: ['agent', 'identity'], reply: { 200: Agent } } as const
const identity = { tag, path: '/identity', sections: ['identity'], reply: { 200: Identity } } as const
const showAgent = ({ agent }: ReadContext) => agentView(agent)
const showIdentity = ({ document }: ReadContext) => document.identity ?? {}

export const identityEndpoints: readonly Endpoint[] = [
  {
    ...agent,
    method: 'GET',
    access: readAccess,
    summary: 'Read an agent',
    view: showAgent,
    /** `updatedAt` covers every part. */
    viewExceedsTag: true,
  },
  {
    ...agent,
    method: 'PATCH',
    access: writeAccess,
    summary: 'Change name, description or single fields of the identity',
    body: AgentPatch,
    isCheckedBefore: true,
    errors: ['agent.framework.invalid'],
    write({ document }, { body }) {
      const { framework, identity: change, ...agentFields } = body as AgentPatch
      const refusal = frameworkError(framework)
      if (refusal) return refusal
      const after = change ? patchIdentity(document, change) : document
      return isRefusal(after) ? after : { document: after, agentFields }
    },
    view: showAgent,
  },
  { ...identity, method: 'GET', access: readAccess, summary: 'Read the identity of an agent', view: showIdentity },
  {
    ...identity,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the identity of an agent',
    body: Identity,
    isCheckedBefore: true,
    write: updates((document, { body }) => replaceIdentity(document, body)),
    view: showIdentity,
  },
  {
    ...identity,
    method: 'PATCH',
    access: writeAccess,
    summary: 'Change single fields of the identity; null takes one away',
    body: IdentityPatch,
    isCheckedBefore: true,
    write: updates((document, { body }) => patchIdentity(document, body)),
    view: showIdentity,
  },
]

export function frameworkError(framework: unknown): Refusal | undefined {
  if (framework === undefined || framework === 'v2') return undefined
  return refuse('agent.framework.invalid', { errors: [{ field: 'framework', message: 'must be v2' }] })
}
