/** `notify.team`: a message to the team, in their chat or by mail, with a link to the conversation. */
import { tools as limits } from '../../core/limits/index.js'
import { headerText } from '../../core/tools/mail.js'
import { verdictOf } from '../../core/tools/verdict.js'
import type { OutsideOutcome } from '../../core/turn/port.js'
import { makeAttempts } from './attempts.js'
import type { HttpToolDeps, OneCall } from './httptool.js'
import { mailAccountOf, postMail } from './mailer.js'
import { captured, failed, outcomeOf } from './outcomes.js'
import type { ToolEgress } from './port.js'
import type { CallSetup, OpenSecrets } from './setup.js'

type NotifySetup = Extract<CallSetup, { kind: 'notify' }>

export interface NotifyDeps extends Pick<HttpToolDeps, 'clock' | 'timeScale'> {
  readonly egress: Pick<ToolEgress, 'call' | 'mailApiUrl'>
  /** Base URL of the management plane, without the version. */
  readonly mgmtUrl: () => string
}

const notSetUp = failed('Notifications to the team are not set up for the agent.')

export async function notifyTeam(
  deps: NotifyDeps,
  setup: NotifySetup,
  { slackWebhookUrl, emailApiKey }: OpenSecrets,
  one: OneCall,
): Promise<OutsideOutcome> {
  const { operator, email } = setup.notifications ?? {}
  const { attempt } = one
  const { egress } = deps
  if (operator?.provider === 'email') {
    const account = mailAccountOf(email, emailApiKey)
    if (!email || !account || operator.toAddress === undefined) return notSetUp
    const mail = { ...mailOf(setup, one, deps.mgmtUrl()), to: [operator.toAddress], messageId: attempt.id }
    return outcomeOf(await postMail(deps, email.provider, account, mail, attempt), { sent: true })
  }
  if (!operator || slackWebhookUrl === undefined) return notSetUp
  const subject = 'the chat of the team'
  const { signal, isStillOwner } = attempt
  const request = {
    method: 'POST',
    url: slackWebhookUrl,
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.from(JSON.stringify({ text: escapeChat(textOf(setup, one, deps.mgmtUrl())) })),
    signal,
    isStillOwner,
  } as const
  const send = async () => verdictOf(subject, await egress.call(request))
  return outcomeOf(await makeAttempts(send, { subject, isIdempotent: false, attempt }, deps), { sent: true })
}

export function captureNotification(setup: NotifySetup, one: OneCall, at: number, mgmtUrl: string): OutsideOutcome {
  const { operator } = setup.notifications ?? {}
  if (!operator) return notSetUp
  const text = textOf(setup, one, mgmtUrl)
  const to = operator.provider === 'email' ? { to: operator.toAddress } : {}
  return captured('notify', 'Alerts the team.', { provider: operator.provider, ...to, text }, at)
}

function mailOf(setup: NotifySetup, one: OneCall, mgmtUrl: string) {
  const words = String(one.call.arguments.text)
  return {
    subject: headerText(`${setup.agentName}: ${words}`, limits.mailSubjectChars),
    text: textOf(setup, one, mgmtUrl),
  }
}

function textOf({ personName }: NotifySetup, { call, context }: OneCall, mgmtUrl: string): string {
  const { agent, asid, channel } = context
  const words = String(call.arguments.text).slice(0, limits.notifyChars)
  const about = `${personName ?? 'Somebody whose name is not known'}, on ${channel}`
  return `${words}\n\n${about}\n${conversationUrl(mgmtUrl, agent, asid)}`
}

/** The messages of the conversation in the management API. */
function conversationUrl(mgmtUrl: string, { orgId, agentId }: OneCall['context']['agent'], asid: string): string {
  return `${mgmtUrl}/v1/orgs/${orgId}/agents/${agentId}/messages?userId=${encodeURIComponent(asid)}`
}

/** In the chat these three begin links and mentions. */
function escapeChat(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
