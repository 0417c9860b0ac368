/** The sms scenario: messages from HTTP to a message center, beside Kannel. */
import { ownWork } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'
import { kannelMissing } from './kannel.js'
import { untilSubmitted, untilSubmittedByOthers } from './load.js'

export const sms: Scenario = {
  name: 'sms',
  purpose: 'Sending one text over HTTP to a message center that speaks SMPP, by a node and by Kannel.',
  unit: 'messages',
  seconds: 3,
  rounds: 5,
  // As in `messages`: commits are shared, as on a busy node.
  concurrency: 256,
  candidates: [
    {
      name: 'bare submits',
      role: 'limit',
      about: 'One connection to the message center and nothing before it: what the message center itself takes.',
      program: 'sms/limit-submits',
      load: ownWork,
    },
    {
      name: 'ours',
      role: 'ours',
      about: 'A node with an agent on sms over smpp: POST /v4/messages, decided, durable, rendered, submitted.',
      program: 'sms/candidate',
      load: untilSubmitted,
    },
    {
      name: 'Kannel',
      role: 'peer',
      about: 'smsbox and bearerbox: GET /cgi-bin/sendsms, accepted into memory, submitted.',
      program: 'sms/peer-kannel',
      load: untilSubmittedByOthers,
    },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: 'Kannel', atLeast: 1 },
    { metric: 'rate', of: 'bare submits', over: 'ours' },
    { metric: 'p99', of: 'ours', over: 'Kannel' },
    { metric: 'cpu', of: 'ours', over: 'Kannel' },
  ],
  missing: kannelMissing,
}
