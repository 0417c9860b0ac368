/** The campaign-paced scenario: what one recipient costs over a binding with a pace and with receipts. */
import { ownWork } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'
import { messages } from '../messages/scenario.js'
import { pacedAudience } from './fixtures.js'

const single = 'messages'
const paced = 'ours, paced'

export const campaignPaced: Scenario = {
  name: 'campaign-paced',
  purpose: 'A running campaign to a provider with a pace, which reports each message delivered and read.',
  unit: 'recipients',
  seconds: 3,
  rounds: 5,
  concurrency: messages.concurrency,
  candidates: [
    { ...messages.candidates.find(({ role }) => role === 'ours')!, name: single, role: 'limit' },
    {
      name: paced,
      role: 'ours',
      about: 'A campaign from its start until the last recipient has read the message.',
      program: 'campaign/paced',
      filled: pacedAudience,
      load: ownWork,
    },
  ],
  ratios: [{ metric: 'cpu', of: paced, over: single }],
}
