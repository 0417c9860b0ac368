/** Mail of an agent to its team, through the mail provider of its notifications config. */
import type { AgentDocument } from '../../core/agent/index.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { tools as limits } from '../../core/limits/index.js'
import { headerText, type Mail } from '../../core/tools/mail.js'
import { type Verdict, verdictOf } from '../../core/tools/verdict.js'
import type { OutsideCall } from '../../core/turn/port.js'
import type { Clock } from '../../runtime/clock.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'
import type { Query, Shards } from '../../runtime/shard/contract.js'
import { type Concluded, makeAttempts } from './attempts.js'
import { type MailAccount, mailProviders, messageIdOf } from './mailproviders.js'
import type { ToolEgress } from './port.js'
import { type CallSetup, openSecrets, type SetupRequest } from './setup.js'

/** `later`: it was not sent, or it is not known; a repeat is harmless, since the mail has the same Message-ID. */
export type SentMail = 'sent' | 'failed' | 'later' | 'notConfigured'

type MailConfig = NonNullable<NonNullable<AgentDocument['notifications']>['email']>

export interface MailAttempt extends Partial<Pick<OutsideCall, 'signal' | 'isStillOwner'>> {}

export interface MailerDeps {
  readonly shards: Pick<Shards, 'query'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly setup: Query<SetupRequest, CallSetup>
  readonly egress: Pick<ToolEgress, 'call' | 'mailApiUrl'>
  readonly clock: Pick<Clock, 'now' | 'setTimer'>
  readonly timeScale: number
}

/** Undefined for a config that is incomplete. */
export function mailAccountOf(email: MailConfig | undefined, apiKey: string | undefined): MailAccount | undefined {
  if (!email || !apiKey) return undefined
  const { fromAddress: address, fromName, mailgunDomain } = email
  const from = { address, ...(fromName && { name: headerText(fromName, limits.mailSubjectChars) }) }
  return { from, apiKey, ...(mailgunDomain !== undefined && { domain: mailgunDomain }) }
}

/** Attempts at one mail. Its Message-ID is made from its id, so every one of them has the same. */
export function postMail(
  { egress, clock, timeScale }: Pick<MailerDeps, 'egress' | 'clock' | 'timeScale'>,
  provider: MailConfig['provider'],
  account: MailAccount,
  mail: Mail,
  attempt: Pick<OutsideCall, 'signal' | 'isStillOwner' | 'isRepeat'>,
): Promise<Concluded> {
  const subject = 'the mail provider'
  const { origins, request } = mailProviders[provider]
  const { path, headers, body } = request(account, {
    ...mail,
    subject: headerText(mail.subject, limits.mailSubjectChars),
    messageId: messageIdOf(mail.messageId, account.from.address),
  })
  const { signal, isStillOwner } = attempt
  const emulated = egress.mailApiUrl?.(provider, account.apiKey)

  async function send(): Promise<Verdict> {
    let verdict: Verdict | undefined
    for (const origin of emulated === undefined ? origins : [emulated]) {
      const sent = {
        method: 'POST',
        url: `${origin}${path}`,
        headers,
        body: Buffer.from(body),
        signal,
        isStillOwner,
      } as const
      verdict = verdictOf(subject, await egress.call(sent))
      if (!isOfOtherRegion(verdict)) return verdict
    }
    return verdict!
  }
  return makeAttempts(send, { subject, isIdempotent: true, attempt }, { clock, timeScale })
}

/** The account is not in the region that was asked, or its key is wrong: either way nothing was sent. */
function isOfOtherRegion(verdict: Verdict): boolean {
  return verdict.kind === 'failed' && (verdict.status === 401 || verdict.status === 404)
}

const never = new AbortController().signal

export function createMailer({ shards, sealer, setup, ...deps }: MailerDeps) {
  return async (agent: AgentRef, mail: Mail, given: MailAttempt = {}): Promise<SentMail> => {
    const loaded = await shards.query(formatAgentKey(agent), setup, { ...agent, name: 'notify.team' })
    if (isRefusal(loaded)) return loaded.refused === 'service.unavailable' ? 'later' : 'failed'
    const email = loaded.kind === 'notify' ? loaded.notifications?.email : undefined
    const opened = await openSecrets(sealer, agent, loaded.sealed)
    if (isRefusal(opened)) return 'later'
    const account = opened === 'unreadable' ? undefined : mailAccountOf(email, opened.emailApiKey)
    if (!email || !account) return 'notConfigured'
    const attempt = { signal: never, isStillOwner: () => true, ...given, isRepeat: false }
    const concluded = await postMail(deps, email.provider, account, mail, attempt)
    if (concluded.kind === 'done') return 'sent'
    return concluded.kind === 'unknown' || isPassing(concluded.status) ? 'later' : 'failed'
  }
}

/** Without a status the provider was not reached. */
function isPassing(status: number | undefined): boolean {
  return status === undefined || status === 429 || status >= 500
}
