/** History of a conversation: its records, each linked to the one before, written with it and removed when they expire. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { WebhookAttempt } from '../../core/conversation/effects.js'
import type { LogEntry, TrafficEntry } from '../../core/conversation/entry.js'
import { type SessionSoFar, type Spot, stepped, type Trail } from '../../core/conversation/history.js'
import type { Conversation } from '../../core/conversation/state.js'
import { conversation as limits } from '../../core/limits.js'
import type { Writable } from '../../core/record.js'
import type { Command, Tx } from '../shard/contract.js'
import type { Table } from '../store/contract.js'
import {
  attemptTable,
  conversationTable,
  deadLetterTable,
  logTable,
  type MarkKey,
  markTable,
  type RecordKey,
  sessionTable,
  type TrafficRecord,
  testMarkTable,
  testTrafficTable,
  trafficTable,
} from './tables.js'

/** Tables of live records, and of records of the sandbox. */
export const recordTables = {
  live: { traffic: trafficTable, marks: markTable },
  test: { traffic: testTrafficTable, marks: testMarkTable },
} as const

/** Writes the records of one decision. */
export class HistoryWriter {
  private next: number
  /** What has changed in the trail so far. */
  private readonly trail: Writable<Trail> = {}

  constructor(
    private readonly tx: Tx,
    private readonly before: Conversation,
    private readonly at: number,
    private readonly timeScale: number,
  ) {
    this.next = before.nextRecord
  }

  /** Answers the number of the record. */
  traffic(entry: TrafficEntry): number {
    const { tx, at, before } = this
    const { asid, channel, agent, sandbox } = before
    const number = this.next++
    const previous = this.trail.traffic ?? before.trail?.traffic
    const record: Writable<TrafficRecord> = Object.assign({ channel }, entry)
    if (sandbox) record.test = true
    if (previous) record.previous = previous
    const prior = this.prior()
    if (prior && prior[1] !== previous?.[1]) record.prior = prior
    const isFirst = (this.trail.session ?? before.trail?.session) === undefined
    if (this.count(entry)) record.begins = isFirst ? 'conversation' : 'session'
    tx.put(tablesOf(before).traffic, [agent.orgId, agent.agentId, at, asid, number], record)
    this.trail.traffic = [at, number]
    this.trail.last = [at, number]
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
    this.trail.last = [at, number]
  }

  attempt(entry: WebhookAttempt): void {
    const { tx, at, before } = this
    const { asid, channel, agent } = before
    const number = this.next++
    const prior = this.prior()
    tx.put(attemptTable, [agent.orgId, agent.agentId, at, asid, number], { channel, ...entry, ...(prior && { prior }) })
    this.trail.last = [at, number]
  }

  /** The newest record of any kind so far. */
  private prior(): Spot | undefined {
    const { trail, before } = this
    return trail.last ?? newestOf(before)
  }

  /** The conversation with what it knows of its records. */
  within(conversation: Conversation): Conversation {
    const { next, trail, before } = this
    if (next === before.nextRecord) return conversation
    return Object.assign({}, conversation, { nextRecord: next, trail: Object.assign({}, before.trail, trail) })
  }

  /** Whether a session begins with it. */
  private count(entry: TrafficEntry): boolean {
    const { tx, at, before, trail } = this
    const { asid, channel, agent, sandbox } = before
    const { orgId, agentId } = agent
    const step = stepped(trail.session ?? before.trail?.session, entry, at, markMsOf(this.timeScale))
    if (!step) return false
    const { session, begun, over, isMarked } = step
    if (over) closeSession(tx, agent, over)
    if (begun)
      tx.put(sessionTable, [orgId, agentId, session.id], { asid, channel, ...begun, ...(sandbox && { test: true }) })
    if (isMarked) tx.put(tablesOf(before).marks, [orgId, agentId, at, asid, session.id], true)
    trail.session = session
    return begun !== undefined
  }
}

/** Where the newest record of any kind is. What was kept before `last` names one for traffic and one for logs. */
export function newestOf({ trail = {} }: Conversation): Spot | undefined {
  const { last, traffic, log } = trail
  return last ?? ((traffic?.[1] ?? 0) > (log?.[1] ?? 0) ? traffic : log)
}

function tablesOf({ sandbox }: Conversation) {
  return sandbox ? recordTables.test : recordTables.live
}

/** Writes down what a session came to. */
export function closeSession(tx: Tx, { orgId, agentId }: AgentPlace, { id, lastAt, messageCount }: SessionSoFar): void {
  const key: [string, string, string] = [orgId, agentId, id]
  const record = tx.get(sessionTable, key)
  if (record) tx.put(sessionTable, key, { ...record, over: { lastAt, messageCount } })
}

/** Whether anything that this conversation left will have to go one day. */
export function hasRecords({ trail = {} }: Conversation, keptSince: number, timeScale: number): boolean {
  const newest = Math.max(trail.last?.[0] ?? 0, trail.traffic?.[0] ?? 0, trail.log?.[0] ?? 0)
  return newest + markMsOf(timeScale) > keptSince
}

/** How long a session may go on behind its mark. */
export function markMsOf(timeScale: number): number {
  return Math.ceil(limits.sessionIdleMs / timeScale)
}

/**
 * Takes away what the agent's conversations in this shard left before that time, oldest first and at most so many rows.
 * They lie in the order of time, so it ends at the first that is kept. Answers how many went.
 */
export function expireRecords(tx: Tx, place: AgentPlace, keptSince: number, room: number, timeScale: number): number {
  const { orgId, agentId } = place
  const prefix = [orgId, agentId]
  let left = room
  for (const table of [trafficTable, testTrafficTable, logTable, attemptTable, deadLetterTable] as Table<
    RecordKey,
    unknown
  >[]) {
    for (const { key } of tx.range(table, { prefix, before: [orgId, agentId, keptSince + 1], limit: left })) {
      tx.remove(table, key)
      left--
    }
  }
  // All that a mark stands for lies within half an hour of it.
  const markedBefore = keptSince + 1 - markMsOf(timeScale)
  for (const table of [markTable, testMarkTable] as Table<MarkKey, true>[]) {
    for (const { key } of tx.range(table, { prefix, before: [orgId, agentId, markedBefore], limit: left })) {
      const [, , , asid, sessionId] = key
      const session = tx.get(sessionTable, [orgId, agentId, sessionId])
      const over = session?.over ?? soFarOf(tx.get(conversationTable, [asid]), sessionId)
      if (session && (over?.lastAt ?? 0) <= keptSince) tx.remove(sessionTable, [orgId, agentId, sessionId])
      tx.remove(table, key)
      left--
    }
  }
  return room - left
}

/** What the session came to so far, while it is the conversation's newest. */
export function soFarOf(conversation: Conversation | undefined, sessionId: string): SessionSoFar | undefined {
  const session = conversation?.trail?.session
  return session?.id === sessionId ? session : undefined
}

/** Records stay where a conversation is forgotten before them, and go when their time is over. */
export function leaveRecords(tx: Tx, { agent, trail }: Conversation, at: number): void {
  if (!trail) return
  if (trail.session) closeSession(tx, agent, trail.session)
  scheduleSweep(tx, agent, at + limits.keptMs + limits.sessionIdleMs)
}

function scheduleSweep(tx: Tx, { orgId, agentId }: AgentPlace, dueAt: number): void {
  tx.schedule({ name: 'sweep', dueAt, command: sweepName, input: { orgId, agentId } })
}

const sweepName = 'records.sweep'

/** Removes expired records of conversations that were deleted before them. */
export const recordsSweep: Command<AgentPlace, null> = {
  name: sweepName,
  decide(tx, place, { at }) {
    const removed = expireRecords(tx, place, at - limits.keptMs, limits.tidyRows, 1)
    if (removed >= limits.tidyRows) scheduleSweep(tx, place, at)
    return null
  },
}
