/** Work that takes long, done step by step: its runner may do something else in between. */
export type Steps<R> = Generator<void, R, void>

/** Does all that is left of it at once. */
export function runToEnd<R>(steps: Steps<R>): R {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

export function isSteps<R>(value: unknown | Steps<R>): value is Steps<R> {
  return typeof (value as Partial<Steps<R>> | undefined)?.next === 'function'
}

/** Like `map`, some items a step. */
export function* mapInSteps<T, R>(items: readonly T[], each: (item: T, index: number) => R): Steps<R[]> {
  const results: R[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % itemsPerStep === 0) yield
    results.push(each(item, index))
  }
  return results
}

const itemsPerStep = 250

/** Is told what each piece of work costs, and says when a step is over. */
export type StepBudget = (cost: number) => boolean

/** Counts in characters that are looked at; a short item costs `itemCost`. */
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
