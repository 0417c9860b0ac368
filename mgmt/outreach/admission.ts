/** What is decided about a send that is asked for, by the state of its agent's shard alone: for real, or for a dry run. */

import type { AgentDocument, Section } from '../../core/agent/index.js'
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
import type { AgentDocuments } from '../agents/documents.js'
import type { AgentRecord } from '../agents/store.js'
import type { People } from '../people/people.js'
import type { Personas } from '../sandbox/commands.js'
import { isMarketingUnderWay } from './marketing.js'
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

/** The sections of an agent's document that sends are judged and written by. */
export const sendSections = [
  'outreach',
  'messageTemplates',
  'peopleFields',
  'things',
  'collections',
  'media',
  'identity',
] as const satisfies readonly Section[]

export interface AdmissionDeps {
  readonly documents: Pick<AgentDocuments, 'load'>
  readonly people: People
  readonly personas: Pick<Personas, 'personOf'>
  readonly timeScale: number
}

/** The agent as sends know it. */
export interface Known {
  readonly place: AgentIncarnation
  readonly document: AgentDocument
  readonly agent: AgentRecord
}

export const agentNotFound = refuse('agent.not_found')

export function knownAgent(
  { documents }: Pick<AdmissionDeps, 'documents'>,
  reader: Reader,
  place: AgentPlace,
): Known | undefined {
  const found = documents.load(reader, place, sendSections)
  if (!found) return undefined
  const { orgId, agentId } = place
  return { document: found.document, agent: found.agent, place: { orgId, agentId, serial: found.agent.serial } }
}

/** The agent itself, and none that came after it under the same id. */
export function sameAgent(
  deps: Pick<AdmissionDeps, 'documents'>,
  reader: Reader,
  place: AgentIncarnation,
): Known | undefined {
  const known = knownAgent(deps, reader, place)
  return known?.place.serial === place.serial ? known : undefined
}

export function personFor(
  deps: AdmissionDeps,
  reader: Reader,
  { place }: Pick<Known, 'place'>,
  { request: { recipient }, identity }: AskedSend,
): Person | undefined {
  switch (recipient.kind) {
    case 'address':
      return (
        identity && (deps.people.byAsid(reader, place, identity.asid) ?? deps.people.byNumber(reader, place, identity))
      )
    case 'asid':
      return (
        deps.people.byAsid(reader, place, recipient.asid) ?? (identity && deps.people.byNumber(reader, place, identity))
      )
    case 'person':
      return deps.people.byId(reader, place, recipient.personId)
    case 'persona':
      return deps.personas.personOf(reader, place, recipient.personaId)
  }
}

export function consider(
  { timeScale }: AdmissionDeps,
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
}: AdmissionDeps): Query<
  AgentPlace & { readonly personId: string; readonly channel?: string },
  { readonly asid?: string }
> {
  return {
    name: 'outreach.locate',
    read(reader, { orgId, agentId, personId, channel }) {
      const person = people.byId(reader, { orgId, agentId }, personId)
      const chosen = person && !person.sandbox && chosenIdentity(person, channel)
      return chosen ? { asid: chosen.asid } : {}
    },
  }
}
