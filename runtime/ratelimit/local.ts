/** Buckets kept in this process: the whole answer on a single node, and the understudy where Redis keeps them. */
import { type BudgetName, budgets } from '../../core/limits/index.js'
import { Bucket, type BucketShape, type BucketState, isFull, refill, shapeOf } from './bucket.js'
import type { Buckets, SpendResult } from './contract.js'

/** Milliseconds, with fractions if it has them; best one that never goes back, since only differences count. */
export interface BucketClock {
  now(): number
}

export const monotonicClock: BucketClock = { now: () => performance.now() }

export const budgetNames = Object.keys(budgets) as BudgetName[]

export type Shapes = Readonly<Record<BudgetName, BucketShape>>

export function shapesOf(share = 1): Shapes {
  return Object.fromEntries(budgetNames.map((name) => [name, shapeOf(budgets[name], share)])) as Record<
    BudgetName,
    BucketShape
  >
}

/** Every call writes one bucket and looks at this many others, so forgetting keeps up with writing. */
const checksPerWrite = 2

/** The buckets of one budget, and how far the round has come that looks at one after the other. */
interface BudgetBuckets {
  readonly buckets: Map<string, Bucket>
  cursor: Iterator<[string, Bucket]>
}

/**
 * So many of a budget are kept even when they are full: whoever calls every few seconds finds theirs, and nothing is made
 * anew for the call.
 */
const minBuckets = 16_384

/**
 * What this process knows of each bucket. Beyond a number that is kept anyway, a bucket that is full again is forgotten,
 * because an unknown one counts as full: memory holds no more than those, or twice those who called within the last refill.
 */
export class BucketTable {
  readonly #clock: BucketClock
  readonly #keptAnyway: number
  readonly #whole = shapesOf()
  /** They stay in their place while they are kept: one that is taken out and put back costs a map a new table ever so often. */
  readonly #kept = Object.fromEntries(budgetNames.map((name) => [name, createBudgetBuckets()])) as Record<
    BudgetName,
    BudgetBuckets
  >

  constructor(clock: BucketClock, minimum = minBuckets) {
    this.#clock = clock
    this.#keptAnyway = minimum
  }

  nowMicros(): number {
    return Math.floor(this.#clock.now() * 1000)
  }

  /** The shape may be a node's share of the budget; what is left is kept either way. */
  spend(shape: BucketShape, budget: BudgetName, subject: string): SpendResult {
    const nowMicros = this.nowMicros()
    const existing = this.#kept[budget].buckets.get(subject)
    const bucket = existing ?? new Bucket(shape.capacityUnits, nowMicros)
    const result = bucket.spend(shape, nowMicros)
    if (!existing) this.#kept[budget].buckets.set(subject, bucket)
    this.#lookRound(budget, nowMicros)
    return result
  }

  /** What the bucket would hold at a moment if nobody else had spent from it. */
  unitsAt(budget: BudgetName, subject: string, atMicros: number): number {
    return refill(this.#whole[budget], this.#kept[budget].buckets.get(subject), atMicros).units
  }

  write(budget: BudgetName, subject: string, state: BucketState): void {
    const { buckets } = this.#kept[budget]
    const existing = buckets.get(subject)
    if (existing) existing.set(state)
    else buckets.set(subject, new Bucket(state.units, state.atMicros))
    this.#lookRound(budget, this.nowMicros())
  }

  #lookRound(budget: BudgetName, nowMicros: number): void {
    const budgetBuckets = this.#kept[budget]
    if (budgetBuckets.buckets.size <= this.#keptAnyway) return
    for (let checks = 0; checks < checksPerWrite; checks++) {
      const { value, done } = budgetBuckets.cursor.next()
      if (done) {
        budgetBuckets.cursor = budgetBuckets.buckets.entries()
        return
      }
      const [subject, bucket] = value
      if (isFull(this.#whole[budget], bucket, nowMicros)) budgetBuckets.buckets.delete(subject)
    }
  }

  size(): number {
    return budgetNames.reduce((sum, name) => sum + this.#kept[name].buckets.size, 0)
  }
}

function createBudgetBuckets(): BudgetBuckets {
  const buckets = new Map<string, Bucket>()
  return { buckets, cursor: buckets.entries() }
}

export function createLocalBuckets(ledger: BucketTable): Buckets {
  const shapes = shapesOf()
  return {
    spend: (budget, subject) => ledger.spend(shapes[budget], budget, subject),
    degraded: () => undefined,
    close: async () => {},
  }
}
