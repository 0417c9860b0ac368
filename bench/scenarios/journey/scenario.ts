/** The journey scenario: the cost of one step of a journey, beside writing its records and beside a queue. */
import { httpLoad } from '../../harness/load/http.js'
import type { Candidate, Scenario } from '../../harness/scenario.js'
import { redisMissing } from './redis.js'

const limit = 'uWS, ajv, lmdb'
const peer = 'fastify, bullmq'
const full = 'ours, full'

const ours: Candidate = {
  name: 'ours',
  role: 'ours',
  about: 'A node: key checked, step read, person found or made, consent and STOP judged, send queued, durable.',
  program: 'journey/candidate',
  load: httpLoad,
}

export const journey: Scenario = {
  name: 'journey',
  purpose: 'Steps of a journey, each for a profile never seen before: accepted when durable.',
  unit: 'calls',
  seconds: 2,
  rounds: 7,
  // As in `commit`: commits are shared, as on a busy node.
  concurrency: 256,
  missing: redisMissing,
  candidates: [
    {
      name: limit,
      role: 'limit',
      about: 'Bare uWebSockets.js in one process: the same schema compiled by ajv, and the same records in lmdb.',
      program: 'journey/limit-uws',
      load: httpLoad,
    },
    ours,
    {
      ...ours,
      name: full,
      about: 'The same with 1,000,000 people and 1,000,000 past sends on the disk.',
      filled: 1_000_000,
    },
    {
      name: peer,
      role: 'peer',
      about: 'Fastify with the same schema and BullMQ on a real Redis: the body is put into a queue, and nothing else.',
      program: 'journey/peer-bullmq',
      load: httpLoad,
    },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: limit, atLeast: 0.6 },
    { metric: 'rate', of: 'ours', over: peer, atLeast: 1 },
    { metric: 'rate', of: full, over: 'ours', atLeast: 0.8 },
    { metric: 'resident', of: full, overMetric: 'gibibyte', over: full, atMost: 1 },
    { metric: 'p99', of: 'ours', overMetric: 'p50', over: 'ours' },
    { metric: 'cpu', of: 'ours', over: limit },
    { metric: 'cpu', of: full, over: 'ours' },
  ],
}
