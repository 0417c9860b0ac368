/** Questions about conversations and people, answered from the sessions that are kept of them. */
import type { AgentPlace } from '../../core/agentkey.js'
import { traffic as limits } from '../../core/limits.js'
import type { Position, Stretch } from '../../core/traffic/stretch.js'
import {
  type ConversationSummary,
  conversationSummary,
  type Session,
  type UserSummary,
  userSummary,
} from '../../core/traffic/view.js'
import type { Window } from '../../core/traffic/window.js'
import { soFarOf } from '../conversation/history.js'
import { conversationTable, sessionTable } from '../conversation/tables.js'
import type { Query } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'
import { conversationOf, downTo, type OfPerson, type Part, shelvesFor, stretchOf } from './scan.js'

function sessionAt(reader: Reader, { orgId, agentId }: AgentPlace, id: string) {
  const record = reader.get(sessionTable, [orgId, agentId, id])
  if (!record) return undefined
  const { over, startedAt, previous } = record
  const soFar = over ?? soFarOf(reader.get(conversationTable, [record.asid]), id)
  return { previous, session: { ...record, id, soFar: soFar ?? { lastAt: startedAt, messageCount: 0 } } }
}

/** It was going on during that time. */
function isWithin({ startedAt, soFar }: Session, { from, until }: Window): boolean {
  return soFar.lastAt >= from && (until === undefined || startedAt < until)
}

/** The sessions of one conversation in that time, newest first. */
function* sessionsOf(
  reader: Reader,
  place: AgentPlace,
  newest: string | undefined,
  window: Window,
): Generator<Session> {
  for (let id = newest; id !== undefined; ) {
    const found = sessionAt(reader, place, id)
    if (!found || found.session.soFar.lastAt < window.from) return
    if (isWithin(found.session, window)) yield found.session
    id = found.previous
  }
}

export interface Marks extends Part {
  /** How long after its mark a session may have gone on. */
  readonly markMs: number
}

/** Sessions by the marks that they left, each where it left its newest mark. */
function* markedSessions(reader: Reader, asked: Marks): Generator<{ position: Position; session?: Session }> {
  const { window, markMs } = asked
  const tables = shelvesFor(asked).map(({ marks }) => marks)
  const seen = new Set<string>()
  // A mark is left by the first record that comes half an hour after the last one, which is less than an hour after it.
  const from = window.from - 2 * markMs
  for (const { position, key } of downTo(reader, tables, asked, { from, most: limits.rowsPerRead })) {
    const id = key[4]
    const session = seen.has(id) ? undefined : sessionAt(reader, asked, id)?.session
    seen.add(id)
    yield { position, ...(session && isWithin(session, window) && { session }) }
  }
}

const conversationList: Query<Marks, Stretch<ConversationSummary>> = {
  name: 'traffic.conversations',
  read: (reader, asked) =>
    stretchOf(markedSessions(reader, asked), asked.limit, ({ position, session }) =>
      session ? [{ position, entry: conversationSummary(session) }] : [],
    ),
}

const conversationsOf: Query<OfPerson<Part>, readonly ConversationSummary[]> = {
  name: 'traffic.conversations.of',
  read(reader, asked) {
    const conversation = conversationOf(reader, asked)
    const found: ConversationSummary[] = []
    for (const session of sessionsOf(reader, asked, conversation?.trail?.session?.id, asked.window)) {
      found.push(conversationSummary(session))
      if (found.length >= asked.limit) break
    }
    return found
  },
}

/** People by the sessions they had; each is found by one of them and told with all. */
const users: Query<Marks, Stretch<UserSummary>> = {
  name: 'traffic.users',
  read(reader, asked) {
    const seen = new Set<string>()
    return stretchOf(markedSessions(reader, asked), asked.limit, ({ position, session }) => {
      if (!session || seen.has(session.asid)) return []
      seen.add(session.asid)
      const newest = reader.get(conversationTable, [session.asid])?.trail?.session?.id
      const sessions = [...sessionsOf(reader, asked, newest ?? session.id, asked.window)]
      return [{ position, entry: userSummary(sessions.length > 0 ? sessions : [session]) }]
    })
  },
}

export const sessionQueries = { conversations: conversationList, conversationsOf, users }
