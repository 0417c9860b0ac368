/** Long work as a generator of steps: its runner may do other work in between. */
export type Steps<R> = Generator<void, R, void>

/** Runs all remaining steps at once. */
export function runToEnd<R>(steps: Steps<R>): R {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

export function isSteps<R>(value: unknown | Steps<R>): value is Steps<R> {
  return typeof (value as Partial<Steps<R>> | undefined)?.next === 'function'
}

/** Like `map`, several items per step. */
export function* mapInSteps<T, R>(items: readonly T[], each: (item: T, index: number) => R): Steps<R[]> {
  const results: R[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % itemsPerStep === 0) yield
    results.push(each(item, index))
  }
  return results
}

const itemsPerStep = 250

/** Takes the cost of each piece of work, and returns true when a step is over. */
export type StepBudget = (cost: number) => boolean

/** Counts examined characters; a short item costs `itemCost`. */
export function createStepBudget(): StepBudget {
  let used = 0
  return (cost) => {
    used += cost
    if (used < costPerStep) return false
    used = 0
    return true
  }
}

const costPerStep = 48 * 1024
export const itemCost = costPerStep / itemsPerStep
