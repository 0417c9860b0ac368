/** Runs a query at once, or in steps with other work between two of them. */

import { runInSlices, type SliceClock } from '../slices.js'
import type { Reader } from '../store/contract.js'
import type { Query } from './contract.js'

/** Returns a promise for a query in steps, of which each has its own turn of the event loop. */
export function runQuery(query: Query<unknown, unknown>, reader: Reader, input: unknown, clock: SliceClock): unknown {
  const { inSteps } = query
  return inSteps?.isFor(input) ? runInSlices(inSteps.read(reader, input), clock, 0) : query.read(reader, input)
}
