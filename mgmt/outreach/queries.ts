/** Queries of sends: one send, a page of the list, the settings, and a dry run. */
import { type AgentScope, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import type { NotAdmitted } from '../../core/outreach/admission.js'
import { sendIdsFrom, timeOfSendId } from '../../core/outreach/ids.js'
import type { Send } from '../../core/outreach/send.js'
import type { SendingPolicy } from '../../core/outreach/settings.js'
import { type OutreachSend, sendView } from '../../core/outreach/view.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import {
  type AdmissionDeps,
  agentNotFound,
  evaluate,
  findRecipient,
  loadAgent,
  locateQuery,
  type SendInput,
} from './admission.js'
import type { AgentSendRef } from './commands.js'
import type { CreateResult, SendFilter } from './schema.js'
import { indexTable, launchTable, type SendIndex, type StoredSend, sendAt, sendingOf, sendTable } from './store.js'

export interface SendScan extends AgentRef {
  readonly filter: Omit<SendFilter, 'limit'>
  readonly limit: number
  /** The walk continues with sends older than this one. */
  readonly after?: string
  readonly seesAddress: boolean
}

/** `after` continues the list; absent at its end. */
export interface SendScanPage {
  readonly data: readonly OutreachSend[]
  readonly after?: string
}

const notFound = refuse('resource.not_found')

export function sendQueries(deps: AdmissionDeps) {
  const one: Query<AgentSendRef & { readonly seesAddress: boolean }, OutreachSend> = {
    name: 'outreach.send',
    read(reader, { orgId, agentId, sendId, seesAddress }) {
      const snapshot = loadAgent(deps, reader, { orgId, agentId })
      if (!snapshot) return agentNotFound
      const send = sendAt(reader, scopeOf(snapshot.agentRef), sendId)
      return send && !send.sandbox ? sendView(send, seesAddress) : notFound
    },
  }

  /** The send as other areas read it. */
  const record: Query<AgentSendRef, Send> = {
    name: 'outreach.record',
    read(reader, { orgId, agentId, sendId }) {
      const snapshot = loadAgent(deps, reader, { orgId, agentId })
      if (!snapshot) return agentNotFound
      return sendAt(reader, scopeOf(snapshot.agentRef), sendId) ?? notFound
    },
  }

  /** The state of a sandbox send; no list contains it. */
  const sandboxSend: Query<AgentSendRef, { readonly isUnderWay: boolean }> = {
    name: 'outreach.sandboxSend',
    read(reader, { orgId, agentId, sendId }) {
      const snapshot = loadAgent(deps, reader, { orgId, agentId })
      const send = snapshot && sendAt(reader, scopeOf(snapshot.agentRef), sendId)
      return { isUnderWay: send?.state === 'sending' && send.messageId === undefined }
    },
  }

  /** Newest first. Reads a bounded number of sends, however few match; the caller continues with `after`. */
  const scan: Query<SendScan, SendScanPage> = {
    name: 'outreach.scan',
    read(reader, { orgId, agentId, filter, limit, after, seesAddress }) {
      const snapshot = loadAgent(deps, reader, { orgId, agentId })
      if (!snapshot) return agentNotFound
      const scope = scopeOf(snapshot.agentRef)
      const oldest = filter.since === undefined ? '' : sendIdsFrom(Date.parse(filter.since))
      const newest = filter.until === undefined ? undefined : sendIdsFrom(Date.parse(filter.until) + 1)
      const data: OutreachSend[] = []
      let scanned = 0
      const olderThan = after ?? newest
      const { personId, ...others } = filter
      const sends =
        personId === undefined
          ? sendsBelow(reader, scope, filter, olderThan)
          : sendsOfPerson(reader, scope, idsOfPerson(deps, reader, snapshot.agentRef, personId), olderThan)
      for (const send of sends) {
        if (send.id < oldest) return { data }
        if (matchesFilter(send, others)) data.push(sendView(send, seesAddress))
        if (data.length >= limit || ++scanned >= limits.rowsPerRead) return { data, after: send.id }
      }
      return { data }
    },
  }

  const sending: Query<AgentRef, SendingPolicy> = {
    name: 'outreach.sending',
    read(reader, { orgId, agentId }) {
      const snapshot = loadAgent(deps, reader, { orgId, agentId })
      return snapshot ? sendingOf(reader, scopeOf(snapshot.agentRef)) : agentNotFound
    },
  }

  /** The decision that `accept` would make, by the same code. It looks up no key and writes nothing. */
  const dryRun: Query<SendInput & { readonly at: number }, CreateResult | NotAdmitted> = {
    name: 'outreach.dryRun',
    read(reader, { at, ...input }) {
      const snapshot = loadAgent(deps, reader, input)
      if (!snapshot) return agentNotFound
      const person = findRecipient(deps, reader, snapshot, input)
      const admission = evaluate(deps, reader, snapshot, input, person, { at, personId: '' })
      if (isRefusal(admission) || admission.kind !== 'accepted') return admission
      const { identity, isNew, unknownInputs, warning } = admission
      const isVisible = !person?.sandbox
      return {
        status: 'skipped',
        ...(person && { personId: person.id }),
        outreachId: input.request.outreachId,
        ...(isVisible && !isNew && { asid: identity.asid }),
        ...(isVisible && { channel: identity.channel }),
        unknownInputs: [...unknownInputs],
        ...(warning !== undefined && { warning }),
      }
    },
  }

  return { one, record, sandboxSend, scan, sending, dryRun, locate: locateQuery(deps) }
}
export type SendQueries = ReturnType<typeof sendQueries>

/** All ids that the person has had: a send keeps the id that it was created for. */
function idsOfPerson({ people }: AdmissionDeps, reader: Reader, agent: AgentRef, personId: string): readonly string[] {
  const person = people.byId(reader, agent, personId)
  return person ? [...new Set([personId, person.id, ...(person.formerIds ?? [])])] : [personId]
}

function* sendsOfPerson(
  reader: Reader,
  scope: AgentScope,
  personIds: readonly string[],
  olderThan: string | undefined,
): Iterable<StoredSend> {
  const lists = personIds.map((id) => indexedIds(reader, [...scope, 'person', id], olderThan))
  for (const id of lists.reduce(mergeNewestFirst)) {
    const send = sendAt(reader, scope, id)
    if (send) yield send
  }
}

const indexOfFilter = { campaignId: 'campaign', automatedOutreachId: 'automated' } as const

/** Send ids by the narrowest index: of a campaign, of a rule, or all. */
function* sendsBelow(
  reader: Reader,
  scope: AgentScope,
  filter: SendScan['filter'],
  olderThan?: string,
): Iterable<StoredSend> {
  const narrowed = Object.entries(indexOfFilter).find(
    ([name]) => filter[name as keyof typeof indexOfFilter] !== undefined,
  )
  if (!narrowed) {
    const from = olderThan === undefined ? {} : { after: [...scope, olderThan] as const }
    for (const { key, value } of reader.range(sendTable, { prefix: scope, ...from, reverse: true })) {
      yield { id: key[3], ...value }
    }
    return
  }
  const [name, index] = narrowed as [keyof typeof indexOfFilter, SendIndex]
  const indexed = indexedIds(reader, [...scope, index, filter[name]!], olderThan)
  const ids =
    index === 'campaign'
      ? mergeNewestFirst(indexed, launchedIds(reader, [...scope, filter[name]!], olderThan))
      : indexed
  for (const id of ids) {
    const send = sendAt(reader, scope, id)
    if (send) yield send
  }
}

function* indexedIds(
  reader: Reader,
  prefix: readonly [...AgentScope, SendIndex, string],
  olderThan?: string,
): Iterable<string> {
  const from = olderThan === undefined ? {} : { after: [...prefix, olderThan] as const }
  for (const { key } of reader.range(indexTable, { prefix, ...from, reverse: true })) yield key[5]
}

function* launchedIds(reader: Reader, prefix: readonly [...AgentScope, string], olderThan?: string): Iterable<string> {
  // Sends of the same time may come before or after that one.
  const from = olderThan === undefined ? {} : { after: [...prefix, `${timeOfSendId(olderThan)}~`] as const }
  for (const { value } of reader.range(launchTable, { prefix, ...from, reverse: true })) {
    for (const id of value.toSorted().reverse()) if (olderThan === undefined || id < olderThan) yield id
  }
}

/** Merges two newest-first lists. */
function* mergeNewestFirst(left: Iterable<string>, right: Iterable<string>): Iterable<string> {
  const rest = right[Symbol.iterator]()
  let other = rest.next()
  for (const id of left) {
    for (; !other.done && other.value > id; other = rest.next()) yield other.value
    yield id
  }
  for (; !other.done; other = rest.next()) yield other.value
}

const comparedFields = ['outreachId', 'origin', 'campaignId', 'automatedOutreachId', 'state', 'reason'] as const

function matchesFilter(send: StoredSend, filter: Omit<SendScan['filter'], 'personId'>): boolean {
  return !send.sandbox && comparedFields.every((name) => filter[name] === undefined || filter[name] === send[name])
}
