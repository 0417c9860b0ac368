/** Recurrence rules: their occurrences in a window, with a bound on the work whatever the rule says. */
import ICAL from 'ical.js'
import { day, hour, minute, second } from '../durations.js'
import { isRecord } from '../json.js'
import { calendar as limits } from '../limits/index.js'
import { fieldsOf, timeOf, wallOf } from './walltime.js'

/** All in wall time. */
export interface Series {
  /** The rule in jCal. Its `until` does not apply: it is a moment, which only the caller can compare. */
  readonly rule: unknown
  readonly start: number
  readonly isDate: boolean
}

export interface WallWindow {
  readonly from: number
  readonly to: number
}

/** Steps that are left, shared by the rules of one answer. */
export interface StepsLeft {
  count: number
}

export interface Expansion {
  readonly starts: readonly number[]
  /** The steps were used up, and from here on the occurrences are not known. */
  readonly unknownFrom?: number
}

class WindowPassed extends Error {
  override readonly name = 'WindowPassed'
}
class StepsUsedUp extends Error {
  override readonly name = 'StepsUsedUp'
}

/** Occurrences that start in the window, ascending. A rule that the library refuses has none. */
export function expandRule({ rule, start, isDate }: Series, window: WallWindow, steps: StepsLeft): Expansion {
  const data = readRule(rule)
  const begin = data && skipAhead(data, start, window.from)
  if (begin === undefined || begin > window.to || fieldsOf(begin)[0] < limits.firstYear) return { starts: [] }
  const starts: number[] = []
  const allowed = Math.min(steps.count, limits.stepsPerRule)
  const bounds = { window, left: allowed, reached: begin }
  try {
    const iterator = new BoundedIterator(new ICAL.Recur(data as never), timeOf(begin, isDate), bounds)
    for (let next = iterator.next(); next && wallOf(next) <= window.to; next = iterator.next()) {
      bounds.reached = wallOf(next)
      countStep(bounds)
      if (bounds.reached >= window.from) starts.push(bounds.reached)
    }
  } catch (error) {
    // Any other error says that the library does not know what the rule means.
    if (error instanceof StepsUsedUp) return { starts, unknownFrom: Math.max(bounds.reached, window.from) }
  } finally {
    steps.count -= allowed - bounds.left
  }
  return { starts }
}

interface Bounds {
  readonly window: WallWindow
  left: number
  /** The last occurrence so far. */
  reached: number
}

function countStep(bounds: Bounds): void {
  if (--bounds.left < 0) throw new StepsUsedUp()
}

/**
 * The library's own loops have no bound: one call of `next` may pass centuries without an occurrence. Each way round
 * such a loop passes one of these methods.
 */
class BoundedIterator extends ICAL.RecurIterator {
  /** Set before the constructor of the library begins to iterate, so this must not initialise it again. */
  declare private bounds: Bounds

  constructor(rule: InstanceType<typeof ICAL.Recur>, dtstart: InstanceType<typeof ICAL.Time>, bounds: Bounds) {
    super({ rule, dtstart, bounds } as ConstructorParameters<typeof ICAL.RecurIterator>[0])
  }

  override fromData(options: Parameters<InstanceType<typeof ICAL.RecurIterator>['fromData']>[0]): void {
    this.bounds = (options as unknown as { readonly bounds: Bounds }).bounds
    super.fromData(options)
  }

  override check_contracting_rules(): boolean {
    countStep(this.bounds)
    const isOccurrence = super.check_contracting_rules()
    if (!(wallOf(this.last) <= this.bounds.window.to)) throw new WindowPassed()
    return isOccurrence
  }

  override expand_year_days(year: number): number {
    countStep(this.bounds)
    if (year > fieldsOf(this.bounds.window.to)[0]) throw new WindowPassed()
    return super.expand_year_days(year)
  }

  override increment_month(): void {
    countStep(this.bounds)
    super.increment_month()
  }
}

interface RuleData extends Readonly<Record<string, unknown>> {
  readonly freq: string
  readonly interval?: number
  readonly count?: number
  readonly bymonth?: unknown
}

/** Parts whose order has no meaning, but in whose order the library goes through them. */
const ordered = new Set(['bysecond', 'byminute', 'byhour', 'bymonth'])

function readRule(rule: unknown): RuleData | undefined {
  if (!isRecord(rule) || typeof rule.freq !== 'string') return undefined
  const { until: _until, ...data } = rule
  const { freq, interval = 1 } = data as unknown as RuleData
  if (!((periodMs[freq] ?? Number.NaN) * interval <= limits.rulePeriodDays * day)) return undefined
  for (const [name, value] of Object.entries(data)) {
    if (!Array.isArray(value)) continue
    if (value.length > (name === 'byday' ? limits.ruleWeekdays : limits.ruleValues)) return undefined
    if (ordered.has(name)) data[name] = value.toSorted((a: number, b: number) => a - b)
  }
  return data as RuleData
}

/** The length of a period, of months and years the longest. */
const periodMs: Readonly<Record<string, number>> = {
  SECONDLY: second,
  MINUTELY: minute,
  HOURLY: hour,
  DAILY: day,
  WEEKLY: 7 * day,
  MONTHLY: 31 * day,
  YEARLY: 366 * day,
}
const periodMonths: Readonly<Record<string, number>> = { MONTHLY: 1, YEARLY: 12 }

/**
 * A later start with the same occurrences from `from` on, so that a daily event of many years costs what one of this
 * week does: some whole periods later, and at least one before `from`. A rule with a count needs all its occurrences.
 */
function skipAhead({ freq, interval = 1, count, bymonth }: RuleData, start: number, from: number): number {
  if (count !== undefined || start >= from) return start
  if (periodMonths[freq] === undefined) {
    const step = periodMs[freq]! * interval
    return start + Math.max(0, Math.floor((from - start) / step) - 1) * step
  }
  // With a list of months the library needs a start in the same month, and may miss occurrences of its first year.
  const months = periodMonths[freq] * interval * (bymonth === undefined ? 1 : 12)
  const [year, month, dayOfMonth, ...time] = fieldsOf(start)
  const [fromYear, fromMonth] = fieldsOf(from)
  // Not every month has the days after the 28th.
  if (dayOfMonth > 28) return start
  const periods = Math.max(0, Math.floor(((fromYear - year) * 12 + fromMonth - month) / months) - 1)
  return Date.UTC(year, month - 1 + periods * months, dayOfMonth, ...time)
}
