/** The agent itself and its identity: the one source of its contact details. */
import { identityPatched, identityReplaced } from '../../../core/agent/index.js'
import { isRefusal, type Refusal, refuse } from '../../../core/errors.js'
import { becomes, type Resource, type Seen } from '../resource.js'
import { Agent, AgentPatch, Identity, IdentityPatch, ofAgents, reading, writing } from '../schema.js'
import { agentAsRead } from '../store.js'

const { tag } = ofAgents
const agent = { tag, path: '', of: ['agent', 'identity'], reply: { 200: Agent } } as const
const identity = { tag, path: '/identity', of: ['identity'], reply: { 200: Identity } } as const
const showAgent = ({ agent }: Seen) => agentAsRead(agent)
const showIdentity = ({ document }: Seen) => document.identity ?? {}

export const aboutResources: readonly Resource[] = [
  {
    ...agent,
    method: 'GET',
    access: reading,
    summary: 'Read an agent',
    view: showAgent,
    /** `updatedAt` is about every part. */
    isBeyondTag: true,
  },
  {
    ...agent,
    method: 'PATCH',
    access: writing,
    summary: 'Change name, description or single fields of the identity',
    body: AgentPatch,
    isCheckedBefore: true,
    errors: ['agent.framework.invalid'],
    write({ document }, { body }) {
      const { framework, identity: change, ...about } = body as AgentPatch
      const wrong = wrongFramework(framework)
      if (wrong) return wrong
      const after = change ? identityPatched(document, change) : document
      return isRefusal(after) ? after : { document: after, about }
    },
    view: showAgent,
  },
  { ...identity, method: 'GET', access: reading, summary: 'Read the identity of an agent', view: showIdentity },
  {
    ...identity,
    method: 'PUT',
    access: writing,
    summary: 'Replace the identity of an agent',
    body: Identity,
    isCheckedBefore: true,
    write: becomes((document, { body }) => identityReplaced(document, body)),
    view: showIdentity,
  },
  {
    ...identity,
    method: 'PATCH',
    access: writing,
    summary: 'Change single fields of the identity; null takes one away',
    body: IdentityPatch,
    isCheckedBefore: true,
    write: becomes((document, { body }) => identityPatched(document, body)),
    view: showIdentity,
  },
]

export function wrongFramework(framework: unknown): Refusal | undefined {
  if (framework === undefined || framework === 'v2') return undefined
  return refuse('agent.framework.invalid', { errors: [{ field: 'framework', message: 'must be v2' }] })
}
