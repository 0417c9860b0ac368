/** Queries for conversations and people, from the records of sessions. */
import type { AgentRef } from '../../core/agentref.js'
import { traffic as limits } from '../../core/limits/index.js'
import type { Position, ScanPage } from '../../core/traffic/merge.js'
import {
  type ConversationSummary,
  conversationSummary,
  type Session,
  type UserSummary,
  userSummary,
} from '../../core/traffic/view.js'
import type { TimeWindow } from '../../core/traffic/window.js'
import { currentSession } from '../conversation/history.js'
import { conversationTable, sessionTable } from '../conversation/tables.js'
import type { Query } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'
import { collectScanPage, conversationOf, type OfPerson, type ScanInput, scanBackwards, tablesFor } from './scan.js'

function loadSession(reader: Reader, { orgId, agentId }: AgentRef, id: string) {
  const record = reader.get(sessionTable, [orgId, agentId, id])
  if (!record) return undefined
  const { totals, startedAt, previous } = record
  const progress = totals ?? currentSession(reader.get(conversationTable, [record.asid]), id)
  return { previous, session: { ...record, id, progress: progress ?? { lastAt: startedAt, messageCount: 0 } } }
}

/** Whether the session was active in that time. */
function isWithin({ startedAt, progress }: Session, { from, until }: TimeWindow): boolean {
  return progress.lastAt >= from && (until === undefined || startedAt < until)
}

/** The sessions of one conversation in that time, newest first. */
function* sessionsOf(
  reader: Reader,
  agent: AgentRef,
  newest: string | undefined,
  window: TimeWindow,
): Generator<Session> {
  for (let id = newest; id !== undefined; ) {
    const entry = loadSession(reader, agent, id)
    if (!entry || entry.session.progress.lastAt < window.from) return
    if (isWithin(entry.session, window)) yield entry.session
    id = entry.previous
  }
}

export interface ActivityScan extends ScanInput {
  /** How long a session may go on after its mark. */
  readonly bucketMs: number
}

/** Sessions by their activity marks, each at its newest mark. */
function* activeSessions(reader: Reader, input: ActivityScan): Generator<{ position: Position; session?: Session }> {
  const { window, bucketMs } = input
  const tables = tablesFor(input).map(({ activity }) => activity)
  const seen = new Set<string>()
  // A mark is written by the first record that comes half an hour after the last mark, so less than an hour after it.
  const from = window.from - 2 * bucketMs
  for (const { position, key } of scanBackwards(reader, tables, input, { from, maxRows: limits.rowsPerRead })) {
    const id = key[4]
    const session = seen.has(id) ? undefined : loadSession(reader, input, id)?.session
    seen.add(id)
    yield { position, ...(session && isWithin(session, window) && { session }) }
  }
}

const conversationList: Query<ActivityScan, ScanPage<ConversationSummary>> = {
  name: 'traffic.conversations',
  read: (reader, input) =>
    collectScanPage(activeSessions(reader, input), input.limit, ({ position, session }) =>
      session ? [{ position, entry: conversationSummary(session) }] : [],
    ),
}

const conversationsOf: Query<OfPerson<ScanInput>, readonly ConversationSummary[]> = {
  name: 'traffic.conversations.of',
  read(reader, input) {
    const conversation = conversationOf(reader, input)
    const summaries: ConversationSummary[] = []
    for (const session of sessionsOf(reader, input, conversation?.history?.session?.id, input.window)) {
      summaries.push(conversationSummary(session))
      if (summaries.length >= input.limit) break
    }
    return summaries
  },
}

/** People with sessions in that time; one session finds the person, and the summary covers all of them. */
const users: Query<ActivityScan, ScanPage<UserSummary>> = {
  name: 'traffic.users',
  read(reader, input) {
    const seen = new Set<string>()
    return collectScanPage(activeSessions(reader, input), input.limit, ({ position, session }) => {
      if (!session || seen.has(session.asid)) return []
      seen.add(session.asid)
      const newest = reader.get(conversationTable, [session.asid])?.history?.session?.id
      const sessions = [...sessionsOf(reader, input, newest ?? session.id, input.window)]
      return [{ position, entry: userSummary(sessions.length > 0 ? sessions : [session]) }]
    })
  },
}

export const sessionQueries = { conversations: conversationList, conversationsOf, users }
