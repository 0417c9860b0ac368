/** The actors scenario: whether an actor that was touched once still costs memory afterwards. */
import { ownWork } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'

/** Garbage is collected before each reading of memory. */
const flags = ['--expose-gc']

export const actors: Scenario = {
  name: 'actors',
  purpose: 'A million actors touched once each: none stays in memory for being known.',
  unit: 'actors',
  operations: 1_000_000,
  seconds: 0,
  rounds: 1,
  concurrency: 256,
  candidates: [
    {
      name: 'bare lmdb',
      role: 'limit',
      about: 'lmdb with the settings of our store: one put for an actor, awaited until flushed.',
      program: 'actors/limit-lmdb',
      flags,
      load: ownWork,
    },
    {
      name: 'ours',
      role: 'ours',
      about: 'A command to each actor through the embedded engine: it reads and writes one record and owes an effect.',
      program: 'actors/candidate',
      flags,
      load: ownWork,
    },
  ],
  ratios: [
    // A hundred bytes held per actor would make the ratio five; the tolerance covers the variation of a 10 MB heap.
    { metric: 'memoryAtEnd', of: 'ours', overMetric: 'memoryHalfway', over: 'ours', atMost: 1.1 },
    { metric: 'memoryAtEnd', of: 'ours', over: 'bare lmdb' },
    { metric: 'rate', of: 'ours', over: 'bare lmdb' },
    { metric: 'cpu', of: 'ours', over: 'bare lmdb' },
  ],
}
