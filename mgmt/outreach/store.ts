/**
 * Tables of sends in the agent's shard. Keys contain the agent's incarnation, so a later agent of the same id sees no
 * old rows, however long their removal takes.
 */
import type { AgentScope, ScopedKey } from '../../core/agent/scope.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import type { Hours } from '../../core/outreach/hours.js'
import { timeOfSendId } from '../../core/outreach/ids.js'
import { dayKey, launchKey, type SendKey, sendKeyOf } from '../../core/outreach/key.js'
import type { Send } from '../../core/outreach/send.js'
import { defaultSending, type SendingPolicy } from '../../core/outreach/settings.js'
import { scaledMs } from '../../core/time.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { cacheReads, cacheWrites, type Key, type Reader, type Table, table } from '../../runtime/store/contract.js'

/** A send with the fields that only its store uses. */
export interface StoredSend extends Send {
  /** The idempotency key of its caller. */
  readonly key?: string
  /** Its time in the queue; absent outside the queue. */
  readonly dueAt?: number
  /** When its follow-up is due; absent without one. */
  readonly followUpAt?: number
  /** Its follow-up was due while its campaign was paused; the resume makes it due again. */
  readonly isFollowUpHeld?: true
  readonly ignoresSafeHours?: true
  /** The send window of its rule or campaign. */
  readonly sendWindow?: Hours
  /** Its outreach was marketing at creation, so it counts for the cap while it is under way. */
  readonly isMarketing?: true
}

export type SendRow = Omit<StoredSend, 'id'>

export const sendTable = cacheWrites(table<ScopedKey<[sendId: string]>, SendRow>('outreach.sends'))
export const keyTable = table<ScopedKey<SendKey>, string>('outreach.keys')
/** Due times: of the opener of a send, or of its follow-up. */
export const queueTable = table<ScopedKey<[dueAt: number, sendId: string]>, 'send' | 'followUp'>('outreach.queue')
/**
 * Index from a person, a campaign or a rule to its sends. For a launched send, the row of its person holds its
 * outreach.
 */
export const indexTable = table<ScopedKey<[index: SendIndex, id: string, sendId: string]>, true | string>(
  'outreach.index',
)
/** Launched sends of a campaign; one row for all of one time. */
export const launchTable = table<ScopedKey<[campaignId: string, time: string]>, readonly string[]>('outreach.launches')
/** Cached rcs capability of a number. */
export const capabilityTable = table<ScopedKey<[asid: string]>, Capability>('outreach.capability')
/** Marketing sends to a person that are not final, in order of creation. */
export const marketingTable = table<ScopedKey<[personId: string]>, readonly string[]>('outreach.marketing')
export const settingsTable = cacheReads(table<ScopedKey<[]>, SendingPolicy>('outreach.settings'))
export const timerTable = cacheReads(table<ScopedKey<[]>, TimerState>('outreach.timers'))
/** Deleted outreaches whose sends are still being cancelled. */
export const withdrawnTable = table<ScopedKey<[outreachId: string]>, Withdrawn>('outreach.withdrawn')

export const allTables = [
  sendTable,
  keyTable,
  queueTable,
  indexTable,
  launchTable,
  capabilityTable,
  marketingTable,
  settingsTable,
  timerTable,
  withdrawnTable,
] as unknown as readonly Table<Key, unknown>[]

export type SendIndex = 'person' | 'campaign' | 'automated'

export interface Capability {
  readonly isCapable: boolean
  readonly until: number
}

/** When an agent's timers fire, so that a timer is set only to fire sooner. */
export interface TimerState {
  readonly pickupAt?: number
  readonly sweepAt?: number
  /** The position of the walk through old capabilities. */
  readonly sweepCursor?: string
}

export interface Withdrawn {
  readonly name: string
  readonly at: number
}

export function sendAt(reader: Reader, scope: AgentScope, id: string): StoredSend | undefined {
  const row = reader.get(sendTable, [...scope, id])
  return row && { id, ...row }
}

export function indexKeysOf({
  personId,
  campaignId,
  automatedOutreachId,
}: Pick<Send, 'personId' | 'campaignId' | 'automatedOutreachId'>): (readonly [SendIndex, string])[] {
  return [
    ['person', personId],
    ...(campaignId === undefined ? [] : ([['campaign', campaignId]] as const)),
    ...(automatedOutreachId === undefined ? [] : ([['automated', automatedOutreachId]] as const)),
  ]
}

/** Saves a send and its queue entry; `before` is the previous record, absent for a new send. */
export function saveSend(tx: Tx, scope: AgentScope, { id, ...row }: StoredSend, before?: StoredSend): void {
  tx.put(sendTable, [...scope, id], row)
  moveInQueue(tx, scope, id, 'send', before?.dueAt, row.dueAt)
  moveInQueue(tx, scope, id, 'followUp', before?.followUpAt, row.followUpAt)
  if (before) return
  for (const [index, of] of indexKeysOf(row)) tx.put(indexTable, [...scope, index, of, id], true)
}

/**
 * Saves new sends of one campaign, all of one time and outreach. They share one key row for their day, and one row in
 * the index of their campaign.
 */
export function saveLaunched(tx: Tx, scope: AgentScope, sends: readonly StoredSend[]): void {
  const [first] = sends
  if (!first) return
  for (const { id, ...row } of sends) {
    tx.put(sendTable, [...scope, id], row)
    tx.put(indexTable, [...scope, 'person', row.personId, id], row.outreachId)
  }
  const key = [...scope, first.campaignId!, timeOfSendId(first.id)] as const
  tx.put(launchTable, key, [...(tx.get(launchTable, key) ?? []), ...sends.map(({ id }) => id)])
  const today = [...scope, ...launchKey(first.outreachId, first.queuedAt)] as const
  const earliest = tx.get(keyTable, today)
  // The clock may have been set back since.
  if (earliest === undefined || first.id < earliest) tx.put(keyTable, today, first.id)
}

function moveInQueue(
  tx: Tx,
  scope: AgentScope,
  id: string,
  kind: 'send' | 'followUp',
  from: number | undefined,
  to: number | undefined,
): void {
  if (from === to) return
  if (from !== undefined) tx.remove(queueTable, [...scope, from, id])
  if (to !== undefined) tx.put(queueTable, [...scope, to, id], kind)
}

/** Removes all rows of a send, except a key that leads to another send. */
export function removeSend(tx: Tx, scope: AgentScope, send: StoredSend): void {
  const { id, dueAt, followUpAt } = send
  for (const key of [sendKeyOf(send), launchKey(send.outreachId, send.queuedAt)]) {
    if (tx.get(keyTable, [...scope, ...key]) === id) tx.remove(keyTable, [...scope, ...key])
  }
  for (const due of [dueAt, followUpAt]) if (due !== undefined) tx.remove(queueTable, [...scope, due, id])
  for (const [index, of] of indexKeysOf(send)) tx.remove(indexTable, [...scope, index, of, id])
  // All sends of one launch time expire together.
  if (send.campaignId !== undefined) tx.remove(launchTable, [...scope, send.campaignId, timeOfSendId(id)])
  tx.remove(sendTable, [...scope, id])
}

/** The send of a key, for as long as sends are kept. */
export function sendOfKey(
  reader: Reader,
  scope: AgentScope,
  key: SendKey,
  at: number,
  timeScale: number,
): StoredSend | undefined {
  const id = reader.get(keyTable, [...scope, ...key])
  const send = id === undefined ? undefined : sendAt(reader, scope, id)
  return send && !isExpired(send, at, timeScale) ? send : undefined
}

/**
 * The send of the same day that makes a keyless send a repeat: named or launched, under any id that the person has had.
 */
export function sendOfDay(
  reader: Reader,
  scope: AgentScope,
  { outreachId, personIds }: Pick<Send, 'outreachId'> & { readonly personIds: readonly string[] },
  at: number,
  timeScale: number,
): StoredSend | undefined {
  for (const personId of personIds) {
    const keyed = sendOfKey(reader, scope, dayKey(outreachId, personId, at), at, timeScale)
    if (keyed) return keyed
  }
  const launched = reader.get(keyTable, [...scope, ...launchKey(outreachId, at)])
  if (launched === undefined) return undefined
  for (const personId of personIds) {
    const prefix = [...scope, 'person', personId] as const
    for (const { key, value } of reader.range(indexTable, { prefix, after: [...prefix, timeOfSendId(launched)] })) {
      const send = value === outreachId ? sendAt(reader, scope, key[5]) : undefined
      if (send && !isExpired(send, at, timeScale)) return send
    }
  }
  return undefined
}

export function retainedUntil(queuedAt: number, timeScale: number): number {
  return queuedAt + scaledMs(limits.retentionMs, timeScale)
}

export function isExpired({ queuedAt }: Send, at: number, timeScale: number): boolean {
  return retainedUntil(queuedAt, timeScale) <= at
}

export function sendingOf(reader: Reader, scope: AgentScope): SendingPolicy {
  return reader.get(settingsTable, [...scope]) ?? defaultSending
}
