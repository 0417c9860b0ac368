/** Slack as data: what it is bound with, what it shows, and what its refusals mean. */
import { providerForm } from '../../core/catalogs/index.js'
import { contractVersion, type Descriptor, type SendOutcome } from '../../core/channel/adapter.js'
import { traitsOf } from '../../core/channel/table.js'

export interface SlackAuth {
  readonly botToken: string
  /** Signs what is sent to us. */
  readonly signingSecret: string
  readonly apiUrl?: string
}

export const headers = { signature: 'x-slack-signature', timestamp: 'x-slack-request-timestamp' } as const

export const descriptor: Descriptor = {
  contract: contractVersion,
  channel: 'workchatD',
  provider: 'slack',
  traits: traitsOf('workchatD'),
  form: providerForm('workchatD', 'slack'),
  headers: Object.values(headers),
}

export function methodUrl({ apiUrl = 'https://slack.com/api' }: SlackAuth, method: 'chat.postMessage'): string {
  return `${apiUrl.replace(/\/+$/, '')}/${method}`
}

export type Refusal = Omit<Extract<SendOutcome, { kind: 'refused' }>, 'kind' | 'detail'>

const later: Refusal = { reason: 'sendFailed', again: 'later' }
const account: Refusal = { reason: 'sendFailed', again: 'elsewhere', needsOperator: true }
const nobody: Refusal = { reason: 'unknownRecipient', again: 'elsewhere' }
const wrong: Refusal = { reason: 'invalidMessage', again: 'never' }
const large: Refusal = { reason: 'tooLarge', again: 'never' }

/** By the word that stands in an answer which is not `ok`. */
export const refusals: Readonly<Record<string, Refusal>> = {
  ratelimited: { reason: 'rateLimited', again: 'later' },
  rate_limited: { reason: 'rateLimited', again: 'later' },
  internal_error: later,
  fatal_error: later,
  service_unavailable: later,
  request_timeout: later,
  not_authed: account,
  invalid_auth: account,
  account_inactive: account,
  token_revoked: account,
  token_expired: account,
  missing_scope: account,
  no_permission: account,
  not_allowed_token_type: account,
  org_login_required: account,
  team_access_not_granted: account,
  access_denied: account,
  // Posting there is restricted, which says nothing of other places.
  restricted_action: { reason: 'sendFailed', again: 'elsewhere' },
  channel_not_found: nobody,
  user_not_found: nobody,
  not_in_channel: nobody,
  is_archived: nobody,
  cannot_dm_bot: nobody,
  messages_tab_disabled: nobody,
  invalid_blocks: wrong,
  invalid_blocks_format: wrong,
  invalid_arguments: wrong,
  invalid_json: wrong,
  no_text: wrong,
  msg_too_long: large,
  msg_blocks_too_long: large,
}
