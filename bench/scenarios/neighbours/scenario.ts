/** The neighbours scenario: how long others wait while one caller sends the worst bodies. */
import { loadBy, ownWork } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'
import { allowedMs } from './fixtures.js'

const allowance = `a timer of ${allowedMs} ms`

export const neighbours: Scenario = {
  name: 'neighbours',
  purpose: 'Nothing that a caller sends holds the event loop: a neighbour asks both planes meanwhile.',
  unit: 'bodies',
  seconds: 600,
  rounds: 3,
  candidates: [
    {
      name: allowance,
      role: 'limit',
      about:
        'What the worst wait may be. A floor is a ratio, so a fixed time stands here as a timer, with its own worst.',
      program: 'roundtrip/timer',
      args: ['--ms', String(allowedMs)],
      load: (subject, window) => ownWork(subject, { ...window, seconds: Math.min(window.seconds, 20) }),
    },
    {
      name: 'ours',
      role: 'ours',
      about: 'A node that is sent every kind of body on every route; latency is that of GET /healthz on both planes.',
      program: 'neighbours/candidate',
      load: (subject, window) => loadBy('neighbours/caller', subject, window),
    },
  ],
  ratios: [
    { metric: 'worst', of: 'ours', over: allowance, atMost: 1 },
    { metric: 'p99', of: 'ours', overMetric: 'p50', over: allowance },
  ],
}
