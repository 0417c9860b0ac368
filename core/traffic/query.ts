/** What is asked of a list of traffic, and a page of it. */
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
  /** Of this person alone. */
  readonly userId?: string
}

/** What records have to be like; whatever is absent is not asked about. */
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
  /** The list goes on behind this record. */
  readonly after?: Position
}

/** `last` is where the list goes on; absent at its end. A page may be short before that: much was looked at, little of it wanted. */
export interface RecordPage<T> {
  readonly data: readonly T[]
  readonly last?: Position
}

export function matches(record: object, filter: Filter): boolean {
  return Object.entries(filter).every(([name, expected]) => (record as Record<string, unknown>)[name] === expected)
}
