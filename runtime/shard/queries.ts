/** What a query answers: at once, or made in steps with a turn for everything else between two of them. */

import { runInSlices, type SliceClock } from '../slices.js'
import type { Reader } from '../store/contract.js'
import type { Query } from './contract.js'

/** A promise of it where it is made in steps: each has a turn of its own. */
export function runQuery(query: Query<unknown, unknown>, reader: Reader, input: unknown, clock: SliceClock): unknown {
  const { inSteps } = query
  return inSteps?.isFor(input) ? runInSlices(inSteps.read(reader, input), clock, 0) : query.read(reader, input)
}
