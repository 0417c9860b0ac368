/** Buckets in the memory of this process: the backend of a single node, and the fallback while Redis is unavailable. */
import { type BudgetName, budgets } from '../../core/limits/index.js'
import { Bucket, type BucketShape, type BucketState, isFull, refill, shapeOf } from './bucket.js'
import type { Buckets, SpendResult } from './contract.js'

/** Milliseconds, possibly with fractions; preferably monotonic, since only differences count. */
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

/** Every call writes one bucket and checks this many others, so removing keeps up with writing. */
const checksPerWrite = 2

/** The buckets of one budget, and the cursor of the removal, which checks one after the other. */
interface BudgetBuckets {
  readonly buckets: Map<string, Bucket>
  cursor: Iterator<[string, Bucket]>
}

/**
 * A budget keeps this many buckets even when they are full, so a subject that calls every few seconds finds its bucket
 * and no call allocates one.
 */
const minBuckets = 16_384

/**
 * The buckets that this process knows. Beyond a minimum number, a bucket that is full again is removed, because an
 * unknown one counts as full: memory holds at most that number, or twice the subjects that called within the last
 * refill.
 */
export class BucketTable {
  readonly #clock: BucketClock
  readonly #minBuckets: number
  readonly #fullShapes = shapesOf()
  /** A bucket keeps its place in the map: deleting and inserting it again would make the map rehash now and then. */
  readonly #buckets = Object.fromEntries(budgetNames.map((name) => [name, createBudgetBuckets()])) as Record<
    BudgetName,
    BudgetBuckets
  >

  constructor(clock: BucketClock, minimum = minBuckets) {
    this.#clock = clock
    this.#minBuckets = minimum
  }

  nowMicros(): number {
    return Math.floor(this.#clock.now() * 1000)
  }

  /** The shape may be a node's share of the budget; the content is stored in the same units either way. */
  spend(shape: BucketShape, budget: BudgetName, subject: string): SpendResult {
    const nowMicros = this.nowMicros()
    const existing = this.#buckets[budget].buckets.get(subject)
    const bucket = existing ?? new Bucket(shape.capacityUnits, nowMicros)
    const result = bucket.spend(shape, nowMicros)
    if (!existing) this.#buckets[budget].buckets.set(subject, bucket)
    this.#removeFull(budget, nowMicros)
    return result
  }

  /** The content of the bucket at a moment if no other node had spent from it. */
  unitsAt(budget: BudgetName, subject: string, atMicros: number): number {
    return refill(this.#fullShapes[budget], this.#buckets[budget].buckets.get(subject), atMicros).units
  }

  write(budget: BudgetName, subject: string, state: BucketState): void {
    const { buckets } = this.#buckets[budget]
    const existing = buckets.get(subject)
    if (existing) existing.set(state)
    else buckets.set(subject, new Bucket(state.units, state.atMicros))
    this.#removeFull(budget, this.nowMicros())
  }

  #removeFull(budget: BudgetName, nowMicros: number): void {
    const budgetBuckets = this.#buckets[budget]
    if (budgetBuckets.buckets.size <= this.#minBuckets) return
    for (let checks = 0; checks < checksPerWrite; checks++) {
      const { value, done } = budgetBuckets.cursor.next()
      if (done) {
        budgetBuckets.cursor = budgetBuckets.buckets.entries()
        return
      }
      const [subject, bucket] = value
      if (isFull(this.#fullShapes[budget], bucket, nowMicros)) budgetBuckets.buckets.delete(subject)
    }
  }

  size(): number {
    return budgetNames.reduce((sum, name) => sum + this.#buckets[name].buckets.size, 0)
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
