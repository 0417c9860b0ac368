/** Query for turns: the agent's document, if it has changed since the caller saw it, and the person. */
import { refuse } from '../../core/errors.js'
import { withoutOperatorFields } from '../../core/people/person.js'
import type { SubjectRequest, TurnSubject } from '../../core/turn/port.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import type { People } from '../people/people.js'
import type { ToolAvailability } from '../tools/availability.js'
import type { Tools } from '../tools/index.js'

export interface SubjectDeps {
  readonly documents: Pick<Agents['documents'], 'load'>
  readonly people: Pick<People, 'byAsid' | 'appointmentsOf'>
  readonly unavailableTools: Tools['unavailableTools']
}

/** The subject as far as the agent's shard knows it. */
export interface StoredSubject extends Omit<TurnSubject, 'unavailableTools'> {
  readonly availability: ToolAvailability
}

/** `at` is the time of the turn: appointments before it are over. */
export function subjectQuery({
  documents,
  people,
  unavailableTools,
}: SubjectDeps): Query<SubjectRequest & { readonly at: number }, StoredSubject> {
  return {
    name: 'turns.subject',
    read(reader, { orgId, agentId, asid, knownDigest, at }) {
      const agentRef = { orgId, agentId }
      const loaded = documents.load(reader, agentRef)
      if (!loaded) return refuse('resource.not_found')
      const { agent, document, head } = loaded
      const person = people.byAsid(reader, agentRef, asid)
      const appointments = person ? people.appointmentsOf(reader, agentRef, person.id) : []
      const { name, description, updatedAt } = agent
      return {
        agent: { name, ...(description !== undefined && { description }), updatedAt },
        digest: head.revisionDigest,
        ...(head.revisionDigest !== knownDigest && { document }),
        ...(person && { person: withoutOperatorFields(person) }),
        appointments: appointments
          .filter(({ status, startUtc }) => status !== 'cancelled' && startUtc >= at)
          .sort((one, other) => one.startUtc - other.startUtc),
        availability: unavailableTools(reader, agentRef, document),
      }
    },
  }
}
