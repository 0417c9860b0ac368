/** Work that takes long, done step by step: its runner may do something else in between. */
export type Steps<R> = Generator<void, R, void>

/** Does all that is left of it at once. */
export function finish<R>(steps: Steps<R>): R {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

export function isSteps<R>(value: unknown | Steps<R>): value is Steps<R> {
  return typeof (value as Partial<Steps<R>> | undefined)?.next === 'function'
}

/** Like `map`, some items a step. */
export function* mapInSteps<T, R>(items: readonly T[], each: (item: T, place: number) => R): Steps<R[]> {
  const made: R[] = []
  for (const [place, item] of items.entries()) {
    if (place > 0 && place % itemsPerStep === 0) yield
    made.push(each(item, place))
  }
  return made
}

const itemsPerStep = 250

/** Is told what each piece of work costs, and says when a step is over. */
export type Pace = (cost: number) => boolean

/** Counts in characters that are looked at; a short item costs `itemCost`. */
export function paceOf(): Pace {
  let spent = 0
  return (cost) => {
    spent += cost
    if (spent < costPerStep) return false
    spent = 0
    return true
  }
}

const costPerStep = 48 * 1024
export const itemCost = costPerStep / itemsPerStep
