/** The journey-budget scenario: an API key's budget used up, every answer checked and every send dispatched. */
import { loadBy, ownWork } from '../../harness/load/http.js'
import type { Candidate, Load, Scenario } from '../../harness/scenario.js'

const allowedMs = 50
const allowance = `a timer of ${allowedMs} ms`
const burst = 'ours, a burst'

/**
 * Runs the platform's calls, then checks that the provider received everything; the check is not part of the platform's
 * time.
 */
const platform: Load = async (target, window) => {
  const callSample = await loadBy('journey/platform', target, window)
  const { failures } = await target.work(window)
  return { ...callSample, failures: { ...callSample.failures, ...failures } }
}

const ours: Candidate = {
  name: 'ours',
  role: 'ours',
  about:
    'A node called 200 times a second, each call timed from when it was due; one in twenty is a repeat. Outcomes, ids, ' +
    'repeats and statuses are looked at, and every send has to reach the provider.',
  program: 'journey/budgetcandidate',
  load: platform,
}

export const journeyBudget: Scenario = {
  name: 'journey-budget',
  purpose: 'A journey platform at the limit of its API key: 200 calls a second, and 1,000 at once.',
  unit: 'calls',
  seconds: 60,
  rounds: 1,
  candidates: [
    {
      name: allowance,
      role: 'limit',
      about: 'What a call may take. A floor is a ratio, so a fixed time stands here as a timer.',
      program: 'roundtrip/timer',
      args: ['--ms', String(allowedMs)],
      // A few of them show what a timer takes on this machine.
      load: (target, window) => ownWork(target, { ...window, seconds: Math.min(window.seconds, 2) }),
    },
    ours,
    {
      ...ours,
      name: burst,
      about:
        'Another, called 1,000 times at once with a full budget: all are taken, and of 1,000 more only what flowed in.',
      args: ['--burst'],
    },
  ],
  ratios: [
    { metric: 'p99', of: 'ours', overMetric: 'p50', over: allowance, atMost: 1 },
    { metric: 'p99', of: burst, overMetric: 'p50', over: allowance },
    { metric: 'cpu', of: burst, over: 'ours' },
  ],
}
