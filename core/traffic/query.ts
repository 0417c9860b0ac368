/** Queries and pages of traffic lists. */
import type { LogEntry, TrafficEntry } from '../conversation/entry.js'
import type { Position } from './merge.js'
import type { TimeWindow } from './window.js'

export const origins = ['user', 'agent'] as const satisfies readonly TrafficEntry['origin'][]
export const types = ['content', 'status', 'action'] as const satisfies readonly TrafficEntry['type'][]
export const levels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogEntry['level'][]

export interface TrafficQuery {
  readonly window: TimeWindow
  readonly limit: number
  readonly includeTest: boolean
  /** Only records of this person. */
  readonly userId?: string
}

/** Conditions on records; an absent member is no condition. */
export interface Filter {
  readonly sessionId?: string
  readonly origin?: (typeof origins)[number]
  readonly type?: (typeof types)[number]
  readonly level?: (typeof levels)[number]
  readonly event?: string
  readonly outcome?: string
}

export interface RecordQuery extends TrafficQuery {
  readonly filter: Filter
  /** The list continues after this record. */
  readonly after?: Position
}

/**
 * `last` is where the list continues; absent at its end. A page may be short before that, if few scanned records
 * matched.
 */
export interface RecordPage<T> {
  readonly data: readonly T[]
  readonly last?: Position
}

export function matchesFilter(record: object, filter: Filter): boolean {
  return Object.entries(filter).every(([name, expected]) => (record as Record<string, unknown>)[name] === expected)
}
