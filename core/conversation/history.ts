/**
 * How the records of a conversation are found again without an index: each names the one before it, and the
 * conversation the newest. Beside them it counts along the session that is on, which is written down when it is over.
 */
import { traffic as limits } from '../limits/index.js'
import type { TrafficEntry } from './entry.js'

/** Where a record of the conversation is: under its time and its number. */
export type RecordRef = readonly [at: number, number: number]

export interface HistoryHead {
  readonly traffic?: RecordRef
  /** The newest of records before there was `last`. */
  readonly log?: RecordRef
  /** The newest of any kind: their numbers are counted together. */
  readonly last?: RecordRef
  readonly session?: SessionProgress
}

export interface SessionProgress {
  readonly id: string
  readonly lastAt: number
  readonly messageCount: number
  /** When it last left a mark: a session that goes on leaves one every half hour, so that it is found by any of its time. */
  readonly indexedAt: number
}

/** What is written when a session begins. */
export interface SessionStart {
  readonly startedAt: number
  readonly previous?: string
  readonly preview?: string
}

export interface SessionStep {
  readonly session: SessionProgress
  readonly started?: SessionStart
  /** The session before, which is over now. */
  readonly ended?: SessionProgress
  readonly isIndexed: boolean
}

/** What one record makes of the session; nothing where it says nothing, as receipts do. */
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

/** By code points, so that no character is cut in two. */
export function previewOf(text: string): string {
  const maxChars = limits.previewChars
  const prefix = [...text.slice(0, 2 * maxChars + 2)]
  return prefix.length <= maxChars ? text : `${prefix.slice(0, maxChars - 1).join('')}…`
}
