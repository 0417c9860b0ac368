/** The questions about sends: one of them, a stretch of the list, the settings, and what a send would come to. */
import { type AgentScope, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { outreachSend as limits } from '../../core/limits.js'
import type { Postponed } from '../../core/outreach/judge.js'
import type { Send } from '../../core/outreach/send.js'
import { sendIdsFrom, timeOfSendId } from '../../core/outreach/sendid.js'
import type { Sending } from '../../core/outreach/settings.js'
import { type OutreachSend, sendAsRead } from '../../core/outreach/view.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import {
  type AdmissionDeps,
  type AskedSend,
  agentNotFound,
  consider,
  knownAgent,
  locateQuery,
  personFor,
} from './admission.js'
import type { OneSend } from './commands.js'
import type { CreateResult, SendFilter } from './schema.js'
import { type KeptSend, launchTable, type Shelf, sendAt, sendingOf, sendTable, shelfTable } from './store.js'

export interface SendStretch extends AgentPlace {
  readonly filter: Omit<SendFilter, 'limit'>
  readonly limit: number
  /** The walk goes on with sends older than this one. */
  readonly after?: string
  readonly seesAddress: boolean
}

/** `after` is where to go on; absent when the list is at its end. */
export interface SendsFound {
  readonly data: readonly OutreachSend[]
  readonly after?: string
}

const notFound = refuse('resource.not_found')

export function sendQueries(deps: AdmissionDeps) {
  const one: Query<OneSend & { readonly seesAddress: boolean }, OutreachSend> = {
    name: 'outreach.send',
    read(reader, { orgId, agentId, sendId, seesAddress }) {
      const known = knownAgent(deps, reader, { orgId, agentId })
      if (!known) return agentNotFound
      const send = sendAt(reader, scopeOf(known.place), sendId)
      return send && !send.sandbox ? sendAsRead(send, seesAddress) : notFound
    },
  }

  /** As other areas of the house know it. */
  const record: Query<OneSend, Send> = {
    name: 'outreach.record',
    read(reader, { orgId, agentId, sendId }) {
      const known = knownAgent(deps, reader, { orgId, agentId })
      if (!known) return agentNotFound
      return sendAt(reader, scopeOf(known.place), sendId) ?? notFound
    },
  }

  /** How a rehearsal stands; it is in no list. */
  const rehearsal: Query<OneSend, { readonly isUnderWay: boolean }> = {
    name: 'outreach.rehearsal',
    read(reader, { orgId, agentId, sendId }) {
      const known = knownAgent(deps, reader, { orgId, agentId })
      const send = known && sendAt(reader, scopeOf(known.place), sendId)
      return { isUnderWay: send?.state === 'sending' && send.messageId === undefined }
    },
  }

  /** Newest first. It looks at a bounded number of sends, however few of them are wanted: whoever asks comes back. */
  const stretch: Query<SendStretch, SendsFound> = {
    name: 'outreach.stretch',
    read(reader, { orgId, agentId, filter, limit, after, seesAddress }) {
      const known = knownAgent(deps, reader, { orgId, agentId })
      if (!known) return agentNotFound
      const scope = scopeOf(known.place)
      const oldest = filter.since === undefined ? '' : sendIdsFrom(Date.parse(filter.since))
      const newest = filter.until === undefined ? undefined : sendIdsFrom(Date.parse(filter.until) + 1)
      const data: OutreachSend[] = []
      let seen = 0
      const below = after ?? newest
      const { personId, ...others } = filter
      const sends =
        personId === undefined
          ? sendsBelow(reader, scope, filter, below)
          : sendsOfPerson(reader, scope, idsOfPerson(deps, reader, known.place, personId), below)
      for (const send of sends) {
        if (send.id < oldest) return { data }
        if (isWanted(send, others)) data.push(sendAsRead(send, seesAddress))
        if (data.length >= limit || ++seen >= limits.rowsPerRead) return { data, after: send.id }
      }
      return { data }
    },
  }

  const sending: Query<AgentPlace, Sending> = {
    name: 'outreach.sending',
    read(reader, { orgId, agentId }) {
      const known = knownAgent(deps, reader, { orgId, agentId })
      return known ? sendingOf(reader, scopeOf(known.place)) : agentNotFound
    },
  }

  /** What `accept` would decide, by the same judge. It looks up no key, and a query has nothing to write with. */
  const dryRun: Query<AskedSend & { readonly at: number }, CreateResult | Postponed> = {
    name: 'outreach.dryRun',
    read(reader, { at, ...asked }) {
      const known = knownAgent(deps, reader, asked)
      if (!known) return agentNotFound
      const person = personFor(deps, reader, known, asked)
      const verdict = consider(deps, reader, known, asked, person, { at, personId: '' })
      if (isRefusal(verdict) || verdict.kind !== 'accepted') return verdict
      const { identity, isNew, unknownInputs, warning } = verdict
      const isShown = !person?.sandbox
      return {
        status: 'skipped',
        ...(person && { personId: person.id }),
        outreachId: asked.request.outreachId,
        ...(isShown && !isNew && { asid: identity.asid }),
        ...(isShown && { channel: identity.channel }),
        unknownInputs: [...unknownInputs],
        ...(warning !== undefined && { warning }),
      }
    },
  }

  return { one, record, rehearsal, stretch, sending, dryRun, locate: locateQuery(deps) }
}
export type SendQueries = ReturnType<typeof sendQueries>

/** Under all ids that the person has had: a send keeps the one it was made for. */
function idsOfPerson(
  { people }: AdmissionDeps,
  reader: Reader,
  place: AgentPlace,
  personId: string,
): readonly string[] {
  const person = people.byId(reader, place, personId)
  return person ? [...new Set([personId, person.id, ...(person.formerIds ?? [])])] : [personId]
}

function* sendsOfPerson(
  reader: Reader,
  scope: AgentScope,
  personIds: readonly string[],
  below: string | undefined,
): Iterable<KeptSend> {
  const shelves = personIds.map((id) => idsOnShelf(reader, [...scope, 'person', id], below))
  for (const id of shelves.reduce(newestOf)) {
    const send = sendAt(reader, scope, id)
    if (send) yield send
  }
}

const shelfOf = { campaignId: 'campaign', automatedOutreachId: 'automated' } as const

/** By the narrowest way there is: a campaign's sends, a rule's, or all. */
function* sendsBelow(
  reader: Reader,
  scope: AgentScope,
  filter: SendStretch['filter'],
  below?: string,
): Iterable<KeptSend> {
  const narrowed = Object.entries(shelfOf).find(([name]) => filter[name as keyof typeof shelfOf] !== undefined)
  if (!narrowed) {
    const from = below === undefined ? {} : { after: [...scope, below] as const }
    for (const { key, value } of reader.range(sendTable, { prefix: scope, ...from, reverse: true })) {
      yield { id: key[3], ...value }
    }
    return
  }
  const [name, shelf] = narrowed as [keyof typeof shelfOf, Shelf]
  const shelved = idsOnShelf(reader, [...scope, shelf, filter[name]!], below)
  const ids = shelf === 'campaign' ? newestOf(shelved, launchedIds(reader, [...scope, filter[name]!], below)) : shelved
  for (const id of ids) {
    const send = sendAt(reader, scope, id)
    if (send) yield send
  }
}

function* idsOnShelf(
  reader: Reader,
  prefix: readonly [...AgentScope, Shelf, string],
  below?: string,
): Iterable<string> {
  const from = below === undefined ? {} : { after: [...prefix, below] as const }
  for (const { key } of reader.range(shelfTable, { prefix, ...from, reverse: true })) yield key[5]
}

function* launchedIds(reader: Reader, prefix: readonly [...AgentScope, string], below?: string): Iterable<string> {
  // Those of its own time may be above or below it.
  const from = below === undefined ? {} : { after: [...prefix, `${timeOfSendId(below)}~`] as const }
  for (const { value } of reader.range(launchTable, { prefix, ...from, reverse: true })) {
    for (const id of value.toSorted().reverse()) if (below === undefined || id < below) yield id
  }
}

/** Both newest first, and so are they together. */
function* newestOf(some: Iterable<string>, others: Iterable<string>): Iterable<string> {
  const rest = others[Symbol.iterator]()
  let other = rest.next()
  for (const id of some) {
    for (; !other.done && other.value > id; other = rest.next()) yield other.value
    yield id
  }
  for (; !other.done; other = rest.next()) yield other.value
}

const compared = ['outreachId', 'origin', 'campaignId', 'automatedOutreachId', 'state', 'reason'] as const

function isWanted(send: KeptSend, filter: Omit<SendStretch['filter'], 'personId'>): boolean {
  return !send.sandbox && compared.every((name) => filter[name] === undefined || filter[name] === send[name])
}
