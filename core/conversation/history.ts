/**
 * Linked records of a conversation, without an index: each record names the one before it, and the conversation the
 * newest. The head also counts the current session, which is stored when it is over.
 */
import { traffic as limits } from '../limits/index.js'
import type { TrafficEntry } from './entry.js'

/** The key of a record of the conversation: its time and its number. */
export type RecordRef = readonly [at: number, number: number]

export interface HistoryHead {
  readonly traffic?: RecordRef
  /** The newest of the records that are older than `last`. */
  readonly log?: RecordRef
  /** The newest record of any kind; all kinds are numbered together. */
  readonly last?: RecordRef
  /** The newest record of a managed turn: its start, and the number in its id. */
  readonly turn?: RecordRef
  readonly session?: SessionProgress
}

export interface SessionProgress {
  readonly id: string
  readonly lastAt: number
  readonly messageCount: number
  /**
   * When the session was last indexed: a running session is indexed every half hour, so that a query finds it by any of
   * its time.
   */
  readonly indexedAt: number
}

/** What is stored when a session begins. */
export interface SessionStart {
  readonly startedAt: number
  readonly previous?: string
  readonly preview?: string
}

export interface SessionStep {
  readonly session: SessionProgress
  readonly started?: SessionStart
  /** The session before, which is now over. */
  readonly ended?: SessionProgress
  readonly isIndexed: boolean
}

/** The session after one more record; undefined if the record does not count, as with receipts. */
export function advanceSession(
  before: SessionProgress | undefined,
  { type, sessionId, text }: TrafficEntry,
  at: number,
  indexIntervalMs: number,
): SessionStep | undefined {
  if (type === 'status' || sessionId === '') return undefined
  const counted = type === 'content' ? 1 : 0
  if (before?.id === sessionId) {
    const isIndexed = at - before.indexedAt >= indexIntervalMs
    const indexedAt = isIndexed ? at : before.indexedAt
    const session = { id: sessionId, lastAt: at, messageCount: before.messageCount + counted, indexedAt }
    return { session, isIndexed }
  }
  const started = { startedAt: at, ...(before && { previous: before.id }), ...(text && { preview: previewOf(text) }) }
  const session = { id: sessionId, lastAt: at, messageCount: counted, indexedAt: at }
  return { session, started, ...(before && { ended: before }), isIndexed: true }
}

/** Cuts by code points, so that no character is split. */
export function previewOf(text: string): string {
  const maxChars = limits.previewChars
  const prefix = [...text.slice(0, 2 * maxChars + 2)]
  return prefix.length <= maxChars ? text : `${prefix.slice(0, maxChars - 1).join('')}…`
}
