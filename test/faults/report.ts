/** The result of one kind of fault as a line. */
import type { Verdict } from './judge.js'

export interface FaultReport extends Verdict {
  readonly fault: string
  readonly seed: number
  readonly cycles: number
  /** The longest time until a write was accepted again. */
  readonly acceptedAgainMs: number
  /** The bound of that time. */
  readonly wantedMs?: number
  /** Further figures of this kind of fault. */
  readonly notes?: readonly string[]
}

/** The bounds of a cluster after each fault. */
export const acceptsAgainMs = 5_000

export function formatReport(report: FaultReport): string {
  const { fault, cycles, acknowledged, missing, doubled, tardy, notes = [], problems } = report
  return [
    `${problems.length === 0 ? 'survived' : 'FAILED  '}  ${fault}: ${cycles} cycles`,
    `${acknowledged} acknowledged`,
    `${missing} missing`,
    `${doubled} doubled`,
    `accepted again after ${waitText(report)}`,
    ...(tardy > 0 ? [`${tardy} effects begun in the moment before a loss was known`] : []),
    ...notes,
  ].join(', ')
}

function waitText({ acceptedAgainMs, wantedMs }: FaultReport): string {
  const text = `${(acceptedAgainMs / 1000).toFixed(1)} s at the longest`
  if (wantedMs === undefined) return text
  return `${text} (${acceptedAgainMs <= wantedMs ? 'within' : 'NOT within'} ${wantedMs / 1000} s)`
}
