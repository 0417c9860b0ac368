/** The load scenario: compares the bench's load generator with wrk against the same server. */
import type { Scenario } from '../scenario.js'
import { httpLoad } from './http.js'
import { wrkLoad, wrkMissing } from './wrk.js'

const echo = { program: 'http/limit-uws' } as const

export const load: Scenario = {
  name: 'load',
  purpose: 'Our load generator beside wrk, both on the bare uWS echo: a scenario must not measure its own load.',
  unit: 'requests',
  seconds: 2,
  rounds: 5,
  missing: wrkMissing,
  candidates: [
    { name: 'wrk', role: 'limit', about: 'wrk with one thread.', ...echo, load: wrkLoad },
    { name: 'own load', role: 'peer', about: 'The generator of every http scenario.', ...echo, load: httpLoad },
  ],
  ratios: [
    { metric: 'rate', of: 'own load', over: 'wrk', atLeast: 0.9 },
    { metric: 'cpu', of: 'own load', over: 'wrk' },
  ],
}
