/** Send budgets: the rate of messages in bulk over one binding, and when each of them may leave. */
import { bulk as limits } from '../limits/index.js'
import type { Descriptor } from './adapter.js'

/** Messages in bulk per second: the provider's own rate, or the default. Undefined: no limit. */
export function bulkRate({ bulkPerSecond = limits.perSecond }: Pick<Descriptor, 'bulkPerSecond'>): number | undefined {
  return bulkPerSecond === 'unlimited' ? undefined : bulkPerSecond
}

/** The remaining budget of a binding. */
export interface SendBudget {
  /**
   * When the next message may leave; in fractions of a millisecond, so that the rate is exact over any number of
   * messages.
   */
  readonly nextAt: number
  /** When the budget was last drawn from. A time after now was written before the clock was set back. */
  readonly drawnAt: number
}

export interface BudgetDraw {
  readonly budget: SendBudget
  /** When each message may leave, in order; as many as were asked for, or as may leave by `until`. */
  readonly leaveAt: readonly number[]
}

export function drawBudget(
  budget: SendBudget | undefined,
  {
    perSecond,
    at,
    count,
    until = Number.POSITIVE_INFINITY,
  }: { readonly perSecond: number; readonly at: number; readonly count: number; readonly until?: number },
): BudgetDraw {
  const intervalMs = 1_000 / perSecond
  let nextAt = Math.max(at, budget ? budget.nextAt - Math.max(0, budget.drawnAt - at) : at)
  const leaveAt: number[] = []
  for (; leaveAt.length < count && nextAt <= until; nextAt += intervalMs) leaveAt.push(roundUpToStep(nextAt, at))
  return { budget: { nextAt, drawnAt: at }, leaveAt }
}

/** Messages leave in short steps, so that those of one step share a timer. */
function roundUpToStep(leaveAt: number, at: number): number {
  return at + Math.ceil((leaveAt - at) / limits.everyMs) * limits.everyMs
}
