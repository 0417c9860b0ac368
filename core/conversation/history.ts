/**
 * How the records of a conversation are found again without an index: each names the one before it, and the
 * conversation the newest. Beside them it counts along the session that is on, which is written down when it is over.
 */
import { traffic as limits } from '../limits.js'
import type { TrafficEntry } from './entry.js'

/** Where a record of the conversation is: under its time and its number. */
export type Spot = readonly [at: number, number: number]

export interface Trail {
  readonly traffic?: Spot
  /** The newest of records before there was `last`. */
  readonly log?: Spot
  /** The newest of any kind: their numbers are counted together. */
  readonly last?: Spot
  readonly session?: SessionSoFar
}

export interface SessionSoFar {
  readonly id: string
  readonly lastAt: number
  readonly messageCount: number
  /** When it last left a mark: a session that goes on leaves one every half hour, so that it is found by any of its time. */
  readonly markedAt: number
}

/** What is written when a session begins. */
export interface SessionBegun {
  readonly startedAt: number
  readonly previous?: string
  readonly preview?: string
}

export interface Step {
  readonly session: SessionSoFar
  readonly begun?: SessionBegun
  /** The session before, which is over now. */
  readonly over?: SessionSoFar
  readonly isMarked: boolean
}

/** What one record makes of the session; nothing where it says nothing, as receipts do. */
export function stepped(
  before: SessionSoFar | undefined,
  { type, sessionId, text }: TrafficEntry,
  at: number,
  markMs: number,
): Step | undefined {
  if (type === 'status' || sessionId === '') return undefined
  const counted = type === 'content' ? 1 : 0
  if (before?.id === sessionId) {
    const isMarked = at - before.markedAt >= markMs
    const markedAt = isMarked ? at : before.markedAt
    const session = { id: sessionId, lastAt: at, messageCount: before.messageCount + counted, markedAt }
    return { session, isMarked }
  }
  const begun = { startedAt: at, ...(before && { previous: before.id }), ...(text && { preview: previewOf(text) }) }
  const session = { id: sessionId, lastAt: at, messageCount: counted, markedAt: at }
  return { session, begun, ...(before && { over: before }), isMarked: true }
}

/** By code points, so that no character is cut in two. */
export function previewOf(text: string): string {
  const most = limits.previewChars
  const beginning = [...text.slice(0, 2 * most + 2)]
  return beginning.length <= most ? text : `${beginning.slice(0, most - 1).join('')}…`
}
