/** Buckets kept in this process: the whole answer on a single node, and the understudy where Redis keeps them. */
import { type BudgetName, budgets } from '../../core/limits.js'
import { isFull, refilled, type Shape, type State, shapeOf, spend } from './bucket.js'
import type { Buckets, Spent } from './contract.js'

/** Milliseconds, with fractions if it has them; best one that never goes back, since only differences count. */
export interface BucketClock {
  now(): number
}

export const monotonicClock: BucketClock = { now: () => performance.now() }

export const budgetNames = Object.keys(budgets) as BudgetName[]

export type Shapes = Readonly<Record<BudgetName, Shape>>

export function shapesOf(share = 1): Shapes {
  return Object.fromEntries(budgetNames.map((name) => [name, shapeOf(budgets[name], share)])) as Record<
    BudgetName,
    Shape
  >
}

/** Every call writes one bucket and looks at this many of those longest untouched, so forgetting keeps up with writing. */
const looksPerWrite = 2

/**
 * What this process knows of each bucket. A bucket that is full again is forgotten, because an unknown one counts as
 * full: memory holds no more than those who called within the last refill.
 */
export class Ledger {
  readonly #clock: BucketClock
  readonly #whole = shapesOf()
  /** In the order of the last write, so the longest untouched come first. */
  readonly #states = Object.fromEntries(budgetNames.map((name) => [name, new Map()])) as StatesByBudget

  constructor(clock: BucketClock) {
    this.#clock = clock
  }

  nowMicros(): number {
    return Math.floor(this.#clock.now() * 1000)
  }

  /** The shape may be a node's share of the budget; what is left is kept either way. */
  spend(shape: Shape, budget: BudgetName, subject: string): Spent {
    const { spent, state } = spend(shape, this.#states[budget].get(subject), this.nowMicros())
    this.write(budget, subject, state)
    return spent
  }

  /** What the bucket would hold at a moment if nobody else had spent from it. */
  unitsAt(budget: BudgetName, subject: string, atMicros: number): number {
    return refilled(this.#whole[budget], this.#states[budget].get(subject), atMicros).units
  }

  write(budget: BudgetName, subject: string, state: State): void {
    const states = this.#states[budget]
    states.delete(subject)
    states.set(subject, state)
    const nowMicros = this.nowMicros()
    let looks = 0
    for (const [oldest, old] of states) {
      if (looks++ === looksPerWrite || !isFull(this.#whole[budget], old, nowMicros)) break
      states.delete(oldest)
    }
  }

  size(): number {
    return budgetNames.reduce((sum, name) => sum + this.#states[name].size, 0)
  }
}

type StatesByBudget = Record<BudgetName, Map<string, State>>

export function openLocalBuckets(ledger: Ledger): Buckets {
  const shapes = shapesOf()
  return {
    spend: (budget, subject) => ledger.spend(shapes[budget], budget, subject),
    degraded: () => undefined,
    close: async () => {},
  }
}
