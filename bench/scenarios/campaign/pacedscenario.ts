/** The campaign-paced scenario: a campaign at the pace of its provider, whose receipts come from another process. */
import { ownWork } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'
import { pacedAudience, recipientMs } from './fixtures.js'

const pace = `a timer of ${recipientMs} ms`

export const campaignPaced: Scenario = {
  name: 'campaign-paced',
  purpose: 'A campaign on rbm, which is paced: each message is accepted, delivered and read, by receipts of its own.',
  unit: 'recipients',
  seconds: 10,
  rounds: 5,
  candidates: [
    {
      name: pace,
      role: 'limit',
      about: 'The pace of the provider: one recipient for each run of the timer.',
      program: 'roundtrip/timer',
      args: ['--ms', String(recipientMs)],
      load: ownWork,
    },
    {
      name: 'ours',
      role: 'ours',
      about:
        'A node with a running campaign. The emulated provider is in another process, so its time is not counted. A ' +
        'recipient is counted when the receipt that says read is durable; latency begins when the message is opened.',
      program: 'campaign/paced',
      filled: pacedAudience,
      load: ownWork,
    },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: pace, atLeast: 0.9 },
    { metric: 'cpu', of: 'ours', over: pace },
  ],
}
