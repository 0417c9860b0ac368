/** The mail of an agent to its team, as scheduling sends it. */
import type { OpenTools, SentMail } from '../tools/index.js'
import type { SendMail, WriteOutcome } from './ports.js'

const outcomes: Readonly<Record<SentMail, WriteOutcome>> = {
  sent: 'done',
  later: 'later',
  failed: 'never',
  notConfigured: 'never',
}

export function mailPort({ sendMail }: Pick<OpenTools, 'sendMail'>): SendMail {
  return async (agent, mail, attempt) => outcomes[await sendMail(agent, mail, attempt)]
}
