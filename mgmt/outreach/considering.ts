/** What is decided about a send that is asked for, by the state of its agent's shard alone: for real, or for a dry run. */

import type { AgentDocument } from '../../core/agent/index.js'
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channelnames.js'
import { refuse } from '../../core/errors.js'
import type { Hours } from '../../core/outreach/hours.js'
import { chosenIdentity, judge, type Verdict } from '../../core/outreach/judge.js'
import type { SendRequest } from '../../core/outreach/request.js'
import type { SendOrigin } from '../../core/outreach/send.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { isMarketingUnderWay } from './marketing.js'
import type { AgentOfSends, DocumentDoor, PeopleDoor, PersonaDoor } from './needs.js'
import { sendingOf } from './store.js'

/** Where a send comes from besides its caller, and what that adds. */
export interface SendHow {
  readonly origin?: SendOrigin
  readonly campaignId?: string
  readonly automatedOutreachId?: string
  readonly sendWindow?: Hours
  readonly ignoresSafeHours?: boolean
}

/** A send as it is asked of the agent's shard. */
export interface AskedSend extends AgentPlace, SendHow {
  readonly request: SendRequest
  /** Of an address, or of an asid that its conversation knows, as it is sent to. */
  readonly identity?: { readonly asid: string; readonly channel: ChannelName; readonly address: string }
  /** Where people are written to whose phone is one that the request writes, as the conversations there have it. */
  readonly phones?: readonly PersonIdentity[]
  /** The conversation's word on the identity; absent for a persona. */
  readonly standing?: { readonly asid: string; readonly isOptedOut: boolean; readonly heardAt?: number }
}

export interface Doors {
  readonly documents: DocumentDoor
  readonly people: PeopleDoor
  readonly personas?: PersonaDoor
  readonly timeScale: number
}

/** The agent as sends know it. */
export interface Known {
  readonly place: AgentIncarnation
  readonly document: AgentDocument
  readonly agent: AgentOfSends
}

export const agentNotFound = refuse('agent.not_found')

export function knownAgent(
  { documents }: Pick<Doors, 'documents'>,
  reader: Reader,
  place: AgentPlace,
): Known | undefined {
  const found = documents.read(reader, place)
  if (!found) return undefined
  const { orgId, agentId } = place
  return { document: found.document, agent: found.agent, place: { orgId, agentId, serial: found.agent.serial } }
}

/** The agent itself, and none that came after it under the same id. */
export function sameAgent(doors: Pick<Doors, 'documents'>, reader: Reader, place: AgentIncarnation): Known | undefined {
  const known = knownAgent(doors, reader, place)
  return known?.place.serial === place.serial ? known : undefined
}

export function personFor(
  doors: Doors,
  reader: Reader,
  { place }: Pick<Known, 'place'>,
  { request: { recipient }, identity }: AskedSend,
): Person | undefined {
  switch (recipient.kind) {
    case 'address':
      return (
        identity &&
        (doors.people.byAsid(reader, place, identity.asid) ?? doors.people.byNumber(reader, place, identity))
      )
    case 'asid':
      return (
        doors.people.byAsid(reader, place, recipient.asid) ??
        (identity && doors.people.byNumber(reader, place, identity))
      )
    case 'person':
      return doors.people.byId(reader, place, recipient.personId)
    case 'persona':
      return doors.personas?.personOf(reader, place, recipient.personaId)
  }
}

export function consider(
  { timeScale }: Doors,
  reader: Reader,
  { place, document }: Known,
  asked: AskedSend,
  person: Person | undefined,
  { at, personId }: { readonly at: number; readonly personId: string },
): Verdict {
  const { request, origin = 'named', identity, sendWindow, ignoresSafeHours } = asked
  const own = person?.sandbox ? person.identities[0] : undefined
  const standing = asked.standing ?? { asid: own?.asid ?? '', isOptedOut: false }
  return judge({
    request,
    origin,
    document,
    sending: sendingOf(reader, scopeOf(place)),
    at,
    timeScale,
    ...(person && { person }),
    ...(identity && { identity }),
    personId,
    standing,
    ...(sendWindow && { sendWindow }),
    ...(ignoresSafeHours !== undefined && { ignoresSafeHours }),
    ...(person && isMarketingUnderWay(reader, scopeOf(place), person) && { isMarketingUnderWay: true }),
  })
}

/** The identity by which a person would be written to, so that its conversation can be asked before anything is decided. */
export function locateQuery({
  people,
}: Doors): Query<AgentPlace & { readonly personId: string; readonly channel?: string }, { readonly asid?: string }> {
  return {
    name: 'outreach.locate',
    read(reader, { orgId, agentId, personId, channel }) {
      const person = people.byId(reader, { orgId, agentId }, personId)
      const chosen = person && !person.sandbox && chosenIdentity(person, channel)
      return chosen ? { asid: chosen.asid } : {}
    },
  }
}
