/** The turn-large scenario: what the size of an agent costs its turns. */
import type { Candidate, Scenario } from '../../harness/scenario.js'
import { untilAnswered } from '../turn-flow/load.js'

const small = 'a small agent'
const large = 'a large agent'

const candidate = (role: Candidate['role'], name: string, size: string, about: string): Candidate => ({
  name,
  role,
  about,
  program: 'turn-large/candidate',
  args: ['--agent', size],
  load: untilAnswered,
})

export const turnLarge: Scenario = {
  name: 'turn-large',
  purpose: 'The same texts to a small agent and to one of 200 playbooks, 1,000 things and 2,000 facts.',
  unit: 'turns',
  seconds: 4,
  rounds: 5,
  concurrency: 32,
  candidates: [
    candidate(
      'limit',
      small,
      'small',
      'A node with two agents that Parley plays. The small one gets answers to the question of its flow, questions that ' +
        'a fact answers, and questions that nothing answers.',
    ),
    candidate('ours', large, 'large', 'The same node and texts; the large agent gets them.'),
  ],
  ratios: [
    { metric: 'p50', of: large, over: small, atMost: 2 },
    { metric: 'cpu', of: large, over: small, atMost: 2 },
    { metric: 'p99', of: large, over: small },
  ],
}
