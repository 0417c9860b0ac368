/** The campaign scenario: the rate of a running campaign beside single messages, and its effect on other callers. */
import { loadBy, ownWork } from '../../harness/load/http.js'
import type { Candidate, Load, Scenario } from '../../harness/scenario.js'
import { messages } from '../messages/scenario.js'
import { audience } from './fixtures.js'

const single = 'messages'
const idle = 'API, idle'
const busy = 'API, busy'

const calls: Load = (target, window) => loadBy('campaign/caller', target, window)

/** The campaign runs for as long as the calls do; failures of either count. */
const callsDuringCampaign: Load = async (target, window) => {
  const [apiSample, campaignSample] = await Promise.all([calls(target, window), target.work(window)])
  return { ...apiSample, failures: { ...apiSample.failures, ...campaignSample.failures } }
}

const ours: Candidate = {
  name: 'ours',
  role: 'ours',
  about:
    'A running campaign on rcs: turns taken, sends made, conversations begun, openings handed over, all on record.',
  program: 'campaign/candidate',
  filled: audience,
  load: ownWork,
}

export const campaign: Scenario = {
  name: 'campaign',
  purpose: 'A running campaign to a provider that takes as much as comes, in the order of its rows.',
  unit: 'sends',
  seconds: 3,
  rounds: 5,
  // The candidates of the messages scenario.
  concurrency: messages.concurrency,
  candidates: [
    { ...messages.candidates.find(({ role }) => role === 'ours')!, name: single, role: 'limit' },
    ours,
    {
      ...ours,
      name: idle,
      about: 'The management API of another node, called 100 times a second; one call in four is a change.',
      load: calls,
    },
    { ...ours, name: busy, about: 'The same while a campaign runs on the node.', load: callsDuringCampaign },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: single, atLeast: 0.5 },
    { metric: 'cpu', of: 'ours', over: single },
    { metric: 'p99', of: busy, over: idle, atMost: 3 },
    { metric: 'p50', of: busy, over: idle },
  ],
}
