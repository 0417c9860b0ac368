/** The mail tool of the catalog: one plain mail through the mail server of the business. */

import { tools as limits } from '../../core/limits/index.js'
import type { MailOutcome } from '../../core/tools/mail.js'
import { headerText } from '../../core/tools/mail.js'
import { unknownAfter, type Verdict } from '../../core/tools/verdict.js'
import type { OutsideOutcome } from '../../core/turn/port.js'
import { makeAttempts } from './attempts.js'
import { nameOf, type ToolSetup } from './catalogtools.js'
import type { HttpToolDeps, OneCall } from './httptool.js'
import { messageIdOf } from './mailproviders.js'
import { captured, outcomeOf } from './outcomes.js'
import type { ToolEgress } from './port.js'
import type { OpenSecrets } from './setup.js'

/** As the form of the tool has them; a config that lacks one is not called. */
interface MailConfig {
  readonly host: string
  readonly port: number
  readonly security?: 'tls' | 'starttls'
  readonly username: string
  readonly fromAddress: string
  readonly fromName?: string
}

interface MailArguments {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly replyTo?: string
}

export interface MailToolDeps extends Pick<HttpToolDeps, 'clock' | 'timeScale'> {
  readonly egress: Pick<ToolEgress, 'sendBySmtp'>
}

export async function sendMailTool(
  { egress, clock, timeScale }: MailToolDeps,
  setup: ToolSetup,
  { password = '' }: OpenSecrets,
  { call, attempt }: OneCall,
): Promise<OutsideOutcome> {
  const subject = nameOf(setup)
  const { host, port, security = 'starttls', username, ...from } = setup.binding.config as unknown as MailConfig
  const given = call.arguments as unknown as MailArguments
  const request = {
    server: { host, port, security, username, password },
    from: { address: from.fromAddress, ...(from.fromName !== undefined && { name: from.fromName }) },
    mail: {
      ...given,
      to: [given.to],
      subject: headerText(given.subject, limits.mailSubjectChars),
      messageId: messageIdOf(attempt.id, from.fromAddress),
    },
    signal: attempt.signal,
    isStillOwner: attempt.isStillOwner,
  }
  const send = async () => verdictOfMail(subject, await egress.sendBySmtp(request))
  const concluded = await makeAttempts(send, { subject, isIdempotent: false, attempt }, { clock, timeScale })
  return outcomeOf(concluded, { sent: true })
}

export function captureMail(setup: ToolSetup, { call }: OneCall, at: number): OutsideOutcome {
  const { fromAddress } = setup.binding.config as unknown as MailConfig
  return captured('mail', 'Sends a mail.', { from: fromAddress, ...call.arguments }, at)
}

function verdictOfMail(subject: string, outcome: MailOutcome): Verdict {
  if (outcome.kind === 'sent') return { kind: 'done', answer: { ok: true, status: 250, body: noBytes, isCut: false } }
  if (outcome.kind === 'unknown') return unknownAfter(subject, outcome.message)
  return { kind: outcome.kind, reason: `${subject} did not send. ${outcome.message}` }
}

const noBytes = new Uint8Array()
