/** History of a conversation: writes its records, links each to the one before, and removes expired ones. */
import type { AgentRef } from '../../core/agentref.js'
import type { WebhookAttempt } from '../../core/conversation/effects.js'
import type { LogEntry, TrafficEntry } from '../../core/conversation/entry.js'
import {
  advanceSession,
  type HistoryHead,
  type RecordRef,
  type SessionProgress,
} from '../../core/conversation/history.js'
import type { Conversation } from '../../core/conversation/state.js'
import { conversation as limits } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { TurnRecord } from '../../core/turn/record.js'
import { parseTurnId } from '../../core/turn/turnid.js'
import type { Writable } from '../../core/writable.js'
import type { Command, Tx } from '../shard/contract.js'
import type { Table } from '../store/contract.js'
import { testTurnTable, turnTable } from '../turn/tables.js'
import {
  type ActivityKey,
  activityTable,
  attemptTable,
  conversationTable,
  deadLetterTable,
  logTable,
  type RecordKey,
  sessionTable,
  type TrafficRecord,
  testActivityTable,
  testTrafficTable,
  trafficTable,
} from './tables.js'

/** Tables of live records, and of records of the sandbox. */
export const recordTables = {
  live: { traffic: trafficTable, activity: activityTable, turns: turnTable },
  test: { traffic: testTrafficTable, activity: testActivityTable, turns: testTurnTable },
} as const

/** Writes the records of one decision. */
export class HistoryWriter {
  private next: number
  /** Changes to the history head so far. */
  private readonly history: Writable<HistoryHead> = {}

  constructor(
    private readonly tx: Tx,
    private readonly before: Conversation,
    private readonly at: number,
    private readonly timeScale: number,
  ) {
    this.next = before.nextRecord
  }

  /** Returns the number of the record. */
  traffic(entry: TrafficEntry): number {
    const { tx, at, before } = this
    const { asid, channel, agent, sandbox } = before
    const number = this.next++
    const previous = this.history.traffic ?? before.history?.traffic
    const record: Writable<TrafficRecord> = Object.assign({ channel }, entry)
    if (sandbox) record.test = true
    if (previous) record.previous = previous
    const prior = this.prior()
    if (prior && prior[1] !== previous?.[1]) record.prior = prior
    const isFirst = (this.history.session ?? before.history?.session) === undefined
    if (this.recordActivity(entry)) record.begins = isFirst ? 'conversation' : 'session'
    tx.put(tablesOf(before).traffic, [agent.orgId, agent.agentId, at, asid, number], record)
    this.history.traffic = [at, number]
    this.history.last = [at, number]
    return number
  }

  log(entry: LogEntry): void {
    const { tx, at, before } = this
    const { asid, channel, agent } = before
    const number = this.next++
    const sessionId = before.session?.id
    const prior = this.prior()
    tx.put(logTable, [agent.orgId, agent.agentId, at, asid, number], {
      channel,
      ...entry,
      ...(sessionId && { sessionId }),
      ...(prior && { prior }),
    })
    this.history.last = [at, number]
  }

  attempt(entry: WebhookAttempt): void {
    const { tx, at, before } = this
    const { asid, channel, agent } = before
    const number = this.next++
    const prior = this.prior()
    tx.put(attemptTable, [agent.orgId, agent.agentId, at, asid, number], { channel, ...entry, ...(prior && { prior }) })
    this.history.last = [at, number]
  }

  /** Writes the record of a turn, or replaces it: its id has its key. */
  turn(record: TurnRecord): void {
    const { tx, before } = this
    const { agent, asid } = before
    const { startedAt, number } = parseTurnId(record.id)!
    const key: RecordKey = [agent.orgId, agent.agentId, startedAt, asid, number]
    const { turns } = tablesOf(before)
    const newest = this.history.turn ?? before.history?.turn
    const isNewest = newest?.[0] === startedAt && newest[1] === number
    const previous = isNewest ? tx.get(turns, key)?.previous : newest
    tx.put(turns, key, { ...record, ...(previous && { previous }) })
    this.history.turn = [startedAt, number]
  }

  /** The newest record of any kind so far. */
  private prior(): RecordRef | undefined {
    const { history, before } = this
    return history.last ?? newestRecord(before)
  }

  /** The conversation with its updated history head. */
  applyTo(conversation: Conversation): Conversation {
    const { next, history, before } = this
    if (next === before.nextRecord && !history.turn) return conversation
    return Object.assign({}, conversation, { nextRecord: next, history: Object.assign({}, before.history, history) })
  }

  /** Records activity of the current session. Returns whether this entry begins a session. */
  private recordActivity(entry: TrafficEntry): boolean {
    const { tx, at, before, history } = this
    const { asid, channel, agent, sandbox } = before
    const { orgId, agentId } = agent
    const step = advanceSession(history.session ?? before.history?.session, entry, at, activityBucketMs(this.timeScale))
    if (!step) return false
    const { session, started, ended, isIndexed } = step
    if (ended) closeSession(tx, agent, ended)
    if (started)
      tx.put(sessionTable, [orgId, agentId, session.id], { asid, channel, ...started, ...(sandbox && { test: true }) })
    if (isIndexed) tx.put(tablesOf(before).activity, [orgId, agentId, at, asid, session.id], true)
    history.session = session
    return started !== undefined
  }
}

/**
 * Position of the newest record of any kind. Conversations written before `last` existed have one for traffic and one
 * for logs.
 */
export function newestRecord({ history = {} }: Conversation): RecordRef | undefined {
  const { last, traffic, log } = history
  return last ?? ((traffic?.[1] ?? 0) > (log?.[1] ?? 0) ? traffic : log)
}

function tablesOf({ sandbox }: Conversation) {
  return sandbox ? recordTables.test : recordTables.live
}

/** Writes the totals of a session. */
function closeSession(tx: Tx, { orgId, agentId }: AgentRef, { id, lastAt, messageCount }: SessionProgress): void {
  const key: [string, string, string] = [orgId, agentId, id]
  const record = tx.get(sessionTable, key)
  if (record) tx.put(sessionTable, key, { ...record, totals: { lastAt, messageCount } })
}

/** Whether the conversation has records that will expire. */
export function hasRetainedRecords({ history = {} }: Conversation, retainedSince: number, timeScale: number): boolean {
  const { last, traffic, log, turn } = history
  const newest = Math.max(last?.[0] ?? 0, traffic?.[0] ?? 0, log?.[0] ?? 0, turn?.[0] ?? 0)
  return newest + activityBucketMs(timeScale) > retainedSince
}

/** How long a session may go on after its activity mark. */
export function activityBucketMs(timeScale: number): number {
  return scaledMs(limits.sessionIdleMs, timeScale)
}

/** Tables whose keys begin with the agent and the time. */
const tablesByTime = [
  ...[trafficTable, testTrafficTable, logTable, attemptTable, deadLetterTable],
  ...[turnTable, testTurnTable],
] as readonly Table<RecordKey, unknown>[]

/**
 * Removes records of the agent's conversations in this shard that are older than `retainedSince`, oldest first and at
 * most `maxRows`. Records are in the order of time, so the walk ends at the first one that stays. Returns the number of
 * removed rows.
 */
export function expireRecords(
  tx: Tx,
  agent: AgentRef,
  retainedSince: number,
  maxRows: number,
  timeScale: number,
): number {
  const { orgId, agentId } = agent
  const prefix = [orgId, agentId]
  let remaining = maxRows
  for (const table of tablesByTime) {
    for (const { key } of tx.range(table, { prefix, before: [orgId, agentId, retainedSince + 1], limit: remaining })) {
      tx.remove(table, key)
      remaining--
    }
  }
  // A session goes on for at most half an hour after its mark.
  const bucketsBefore = retainedSince + 1 - activityBucketMs(timeScale)
  for (const table of [activityTable, testActivityTable] as Table<ActivityKey, true>[]) {
    for (const { key } of tx.range(table, { prefix, before: [orgId, agentId, bucketsBefore], limit: remaining })) {
      const [, , , asid, sessionId] = key
      const session = tx.get(sessionTable, [orgId, agentId, sessionId])
      const totals = session?.totals ?? currentSession(tx.get(conversationTable, [asid]), sessionId)
      if (session && (totals?.lastAt ?? 0) <= retainedSince) tx.remove(sessionTable, [orgId, agentId, sessionId])
      tx.remove(table, key)
      remaining--
    }
  }
  return maxRows - remaining
}

/** Progress of the session, if it is the newest of the conversation. */
export function currentSession(conversation: Conversation | undefined, sessionId: string): SessionProgress | undefined {
  const session = conversation?.history?.session
  return session?.id === sessionId ? session : undefined
}

/** Leaves the records of a deleted conversation to the sweep, which removes them when they expire. */
export function retainRecords(tx: Tx, { agent, history }: Conversation, at: number): void {
  if (!history) return
  if (history.session) closeSession(tx, agent, history.session)
  scheduleSweep(tx, agent, at + limits.retentionMs + limits.sessionIdleMs)
}

function scheduleSweep(tx: Tx, { orgId, agentId }: AgentRef, dueAt: number): void {
  tx.schedule({ name: 'sweep', dueAt, command: sweepName, input: { orgId, agentId } })
}

const sweepName = 'records.sweep'

/** Removes expired records of conversations that were deleted before them. */
export const recordsSweep: Command<AgentRef, null> = {
  name: sweepName,
  decide(tx, agent, { at }) {
    const removed = expireRecords(tx, agent, at - limits.retentionMs, limits.retentionRows, 1)
    if (removed >= limits.retentionRows) scheduleSweep(tx, agent, at)
    return null
  },
}
