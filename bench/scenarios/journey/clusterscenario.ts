/**
 * The journey-cluster scenario: the steps of `journey` through three nodes that share their logs, beside one node
 * alone.
 */

import { httpLoad } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'
import { natsMissing } from '../cluster/server.js'

const limit = 'uWS, ajv, lmdb'
const three = 'ours, three nodes'

export const journeyCluster: Scenario = {
  name: 'journey-cluster',
  purpose: 'The steps of `journey` through a cluster of three nodes, with three nats-servers that each keep every log.',
  unit: 'calls',
  seconds: 2,
  rounds: 5,
  concurrency: 256,
  missing: natsMissing,
  candidates: [
    {
      name: limit,
      role: 'limit',
      about: 'The limit of `journey`, in one process.',
      program: 'journey/limit-uws',
      load: httpLoad,
    },
    {
      name: 'ours',
      role: 'ours',
      about: 'One node alone, as in `journey`.',
      program: 'journey/candidate',
      load: httpLoad,
    },
    {
      name: three,
      role: 'ours',
      about: 'Three nodes: a step is appended to the log of its agent on two servers of three before its answer.',
      program: 'journey/cluster',
      load: httpLoad,
    },
  ],
  ratios: [
    // Six processes share the cores that the single node has for itself, so this floor guards against collapse only.
    { metric: 'rate', of: three, over: 'ours', atLeast: 0.2 },
    { metric: 'rate', of: three, over: limit },
    { metric: 'p99', of: three, over: 'ours' },
  ],
}
