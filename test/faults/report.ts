/** The result of one kind of fault as a line. */
import type { Verdict } from './judge.js'

export interface FaultReport extends Verdict {
  readonly fault: string
  readonly seed: number
  readonly cycles: number
  /** The longest time until a write was accepted again. */
  readonly recoveryMs: number
  /** The bound of that time. */
  readonly limitMs?: number
  /** Further figures of this kind of fault. */
  readonly notes?: readonly string[]
}

/** The bounds of a cluster after each fault. */
export const maxRecoveryMs = 5_000

export function formatReport(report: FaultReport): string {
  const { fault, cycles, acknowledged, missing, doubled, late, notes = [], problems } = report
  return [
    `${problems.length === 0 ? 'survived' : 'FAILED  '}  ${fault}: ${cycles} cycles`,
    `${acknowledged} acknowledged`,
    `${missing} missing`,
    `${doubled} doubled`,
    `accepted again after ${waitText(report)}`,
    ...(late > 0 ? [`${late} effects begun in the moment before a loss was known`] : []),
    ...notes,
  ].join(', ')
}

function waitText({ recoveryMs, limitMs }: FaultReport): string {
  const text = `${(recoveryMs / 1000).toFixed(1)} s at the longest`
  if (limitMs === undefined) return text
  return `${text} (${recoveryMs <= limitMs ? 'within' : 'NOT within'} ${limitMs / 1000} s)`
}
