/** The time range of a traffic list, as callers write it: ISO-8601, a day, or milliseconds since 1970. */
import { parseMoment } from '../amf/moments.js'
import { invalid, type Refusal } from '../errors.js'
import { traffic as limits } from '../limits/index.js'

/** Begins at `from` and ends before `until`; without `until` it ends with the newest record. */
export interface TimeWindow {
  readonly from: number
  readonly until?: number
}

export interface WindowInput {
  readonly start?: string
  readonly end?: string
}

const millis = /^\d{1,15}$/
const dateOnly = /^\d{4}-\d{2}-\d{2}$/

/** An error sentence if the text is no time. */
function parseTime(text: string): number | string {
  if (millis.test(text)) return Number(text)
  const parsed = parseMoment(dateOnly.test(text) ? `${text}T00:00:00Z` : text)
  return typeof parsed === 'string' ? `${parsed}, or milliseconds since 1970` : parsed.at
}

export function parseWindow({ start, end }: WindowInput, now: number): TimeWindow | Refusal {
  const from = start === undefined ? undefined : parseTime(start)
  if (typeof from === 'string') return invalid('start', from)
  const until = end === undefined ? undefined : parseTime(end)
  if (typeof until === 'string') return invalid('end', until)
  if (from !== undefined && until !== undefined && from > until) return invalid('start', 'must not be after end')
  return { from: from ?? (until ?? now) - limits.windowMs, ...(until !== undefined && { until }) }
}
