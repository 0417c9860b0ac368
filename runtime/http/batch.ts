/**
 * Gathers the requests that arrive during one turn of the loop, then decides them all, then answers them all. Code that
 * runs many times in a row measured far cheaper than the same code between two calls into the kernel (cold caches and
 * predictors, we believe); so reading, deciding and writing each get a stretch of their own. A request waits for the end of its turn at
 * most: when nothing else arrives, that is at once.
 */

export interface Batched {
  /** Does everything short of answering. Never throws. */
  decide(): void
  /** Answers, if the decision is there already. */
  answer(): void
}

export interface Batch {
  add(request: Batched): void
}

export function openBatch(): Batch {
  let gathered: Batched[] = []

  function run(): void {
    const requests = gathered
    gathered = []
    for (const request of requests) request.decide()
    for (const request of requests) request.answer()
  }

  return {
    add(request) {
      if (gathered.push(request) === 1) setImmediate(run)
    },
  }
}
