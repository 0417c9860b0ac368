/**
 * The roundtrip scenario: the time from a person's question to the answer on their phone, with many talking at once.
 */
import { ownWork } from '../../harness/load/http.js'
import type { Candidate, Scenario } from '../../harness/scenario.js'
import { tasksetMissing } from './stalls.js'

const allowedMs = 5
const allowance = `a timer of ${allowedMs} ms`
const outside = 'ours, outside the webhook'
const slow = 'ours, one slow'
/** Enough trips to know a p99 to some per cent. */
const slowSeconds = 60

const ours: Candidate = {
  name: 'ours',
  role: 'ours',
  about:
    'A node with an agent on sms. A person’s text is accepted, a webhook in another process is called and answers at once, ' +
    'its answer is committed, rendered and shown: latency is from accepted to shown.',
  program: 'roundtrip/candidate',
  load: ownWork,
}

const timer = {
  name: allowance,
  role: 'limit',
  program: 'roundtrip/timer',
  args: ['--ms', String(allowedMs)],
  load: ownWork,
} as const

export const roundtrip: Scenario = {
  name: 'roundtrip',
  purpose: 'From a text accepted, by way of the webhook, to its answer on the phone: 1,000 people, 100 texts a second.',
  unit: 'trips',
  seconds: 10,
  rounds: 5,
  // Concurrency is people: each writes once in ten seconds.
  concurrency: 1_000,
  candidates: [
    {
      ...timer,
      about:
        'What a trip may take outside the webhook. A floor is a ratio, so a fixed time stands here as a timer, which is late ' +
        'by a few per cent and later on a busy machine.',
    },
    ours,
    {
      ...ours,
      name: outside,
      about: 'The same, without the time that the webhook itself measured between getting a question and answering it.',
      args: ['--outside-webhook'],
    },
  ],
  ratios: [
    { metric: 'p50', of: outside, over: allowance, atMost: 1 },
    { metric: 'p99', of: 'ours', overMetric: 'p50', over: 'ours' },
  ],
}

export const roundtripSlow: Scenario = {
  name: 'roundtrip-slow',
  purpose: 'The same while one of the people has a webhook that takes 2 s: what the others notice of it.',
  unit: 'trips',
  seconds: slowSeconds,
  rounds: 5,
  concurrency: roundtrip.concurrency,
  candidates: [
    {
      ...timer,
      about: 'How late a timer is at the same time: as far as that goes it is the machine, whoever waits on it.',
    },
    {
      ...ours,
      name: slow,
      about:
        'One of them waits 2 s for the webhook and rests as long, again and again. Latencies are those of the others while ' +
        'it waits; without it are those while it rests, on the same node and the same disk, at all but the same time. Told ' +
        'twice: as they are, and of those trips during which every core of the machine was there.',
      args: ['--slow-one'],
    },
  ],
  ratios: [
    { metric: 'p99', of: slow, over: slow, overMetric: 'p99Excluding', atMost: 1.1 },
    { metric: 'p99NoStall', of: slow, over: slow, overMetric: 'p99NoStallExcluding', atMost: 1.1 },
  ],
  missing: tasksetMissing,
}
