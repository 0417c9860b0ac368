/** The config scenario: the cost to read, change and check the document of a large agent. */
import { httpLoad, ownWork } from '../../harness/load/http.js'
import type { Ratio } from '../../harness/metrics.js'
import type { Candidate, Scenario } from '../../harness/scenario.js'
import { calls } from './calls.js'

const bare = (call: string) => `bare uWS, ${call}`
const lintMs = 200
const allowance = `a timer of ${lintMs} ms`
const small = 'integrity, a tenth'
const large = 'integrity'

const reads = Object.keys(calls).filter((call) => calls[call]!.answer)
const changes = Object.keys(calls).filter((call) => calls[call]!.bodies)
/** The read of the item that the change writes. */
const readBefore = (change: string) => change.replace('PATCH', 'GET')

function callCandidate(call: string, description: string): Candidate {
  return {
    name: call,
    role: 'ours',
    about: description,
    program: 'config/candidate',
    args: ['--call', call],
    load: httpLoad,
  }
}

function bareRead(call: string): Candidate {
  return {
    name: bare(call),
    role: 'limit',
    about: 'uWebSockets.js answering the same bytes: no token, no agent.',
    program: 'config/limit-uws',
    args: ['--call', call],
    load: httpLoad,
  }
}

function evaluationCandidate(name: string, args: readonly string[], description: string): Candidate {
  return { name, role: 'ours', about: description, program: 'config/evaluation', args, load: ownWork }
}

export const config: Scenario = {
  name: 'config',
  purpose: 'An agent of 200 playbooks with flows, 1,000 things and 2,000 facts: reading, changing and judging it.',
  unit: 'operations',
  seconds: 1,
  rounds: 5,
  candidates: [
    ...reads.flatMap((call) => [
      bareRead(call),
      callCandidate(
        call,
        'A node that keeps the agent: token, org, role and scope checked, the answer shown by schema.',
      ),
    ]),
    ...changes.map((call) =>
      callCandidate(call, 'The same node; each change is judged, durable and on record when it is answered.'),
    ),
    {
      name: allowance,
      role: 'limit',
      about: 'What a lint may take. A floor is a ratio, so a fixed time stands here as a timer.',
      program: 'roundtrip/timer',
      args: ['--ms', String(lintMs)],
      load: ownWork,
    },
    evaluationCandidate(
      'lint',
      ['--lint'],
      'The whole document read for everything wrong or doubtful, one lint after another.',
    ),
    evaluationCandidate(
      small,
      ['--share', '0.1'],
      'What breaks if a thing goes that five facts name, in an agent a tenth as large.',
    ),
    evaluationCandidate(
      large,
      [],
      'The same question of the large agent: as many references, ten times as much of everything else.',
    ),
  ],
  ratios: [
    ...reads.map((call): Ratio => ({ metric: 'rate', of: call, over: bare(call), atLeast: 0.5 })),
    ...changes.map((call): Ratio => ({ metric: 'rate', of: call, over: readBefore(call), atLeast: 0.1 })),
    ...changes.map((call): Ratio => ({ metric: 'cpu', of: call, over: readBefore(call) })),
    { metric: 'p50', of: 'lint', over: allowance, atMost: 1 },
    { metric: 'cpu', of: large, over: small, atMost: 2 },
  ],
}
