/** Rate limits: token buckets by budget and subject. */
import type { BudgetName } from '../../core/limits/index.js'

export interface SpendResult {
  readonly allowed: boolean
  /** The burst: how many calls a full bucket holds. */
  readonly limit: number
  /** Whole calls left after this one. */
  readonly remaining: number
  /** Whole seconds until the bucket is full again. */
  readonly resetSeconds: number
  /** Whole seconds until one call is possible, at least 1; 0 when this one was allowed. */
  readonly retryAfterSeconds: number
}

/**
 * Spends one call of a subject's budget. Exact: over any span of t seconds at most burst + rate × t calls are allowed,
 * over all nodes that share a backend. A refused call takes nothing. Never throws and waits a bounded time: a bucket of
 * this process replaces a backend that is unavailable, until the backend is back.
 */
export interface Buckets {
  spend(budget: BudgetName, subject: string): SpendResult | Promise<SpendResult>
  /** Undefined while the limits are counted in the configured backend; otherwise a sentence with the reason. */
  degraded(): string | undefined
  close(): Promise<void>
}
