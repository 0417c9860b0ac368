/** The campaign-stage scenario: the cost of an audience's snapshot, and that it is linear in the audience. */
import { ownWork } from '../../harness/load/http.js'
import type { Candidate, Scenario } from '../../harness/scenario.js'
import { allowedMs, audience, smallAudience } from './fixtures.js'

const allowance = `a timer of ${allowedMs} ms`
const few = '10,000 people'
const many = '50,000 people'

function stageCandidate(name: string, filled: number): Candidate {
  const about = `POST …/stage of a campaign to ${name}, from the call to its answer.`
  return { name, role: 'ours', about, program: 'campaign/stage', filled, load: ownWork }
}

export const campaignStage: Scenario = {
  name: 'campaign-stage',
  purpose: 'Staging a campaign: everybody of the audience is screened, their opening written, and their row kept.',
  unit: 'people',
  seconds: 1,
  rounds: 5,
  candidates: [
    {
      name: allowance,
      role: 'limit',
      about:
        'What 1,000 people may take, so that 50,000 take five seconds. A floor is a ratio, so it stands as a timer.',
      program: 'roundtrip/timer',
      args: ['--ms', String(allowedMs)],
      load: ownWork,
    },
    stageCandidate(few, smallAudience),
    stageCandidate(many, audience),
  ],
  ratios: [
    { metric: 'p50', of: many, over: allowance, atMost: 1 },
    // Both latencies are for the same number of people.
    { metric: 'p50', of: many, over: few, atMost: 1.3 },
    { metric: 'cpu', of: many, over: few },
  ],
}
