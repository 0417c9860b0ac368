/** Descriptor data of Slack: credential form, traits and refusals. */
import { providerForm } from '../../../core/catalogs/index.js'
import { contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { withoutTrailingSlash } from '../../kit/http.js'
import { account, busy, content, person, type Row, transient } from '../../kit/refusals.js'

export interface SlackAuth {
  readonly botToken: string
  /** The key of the signatures of incoming calls. */
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
  return `${withoutTrailingSlash(apiUrl)}/${method}`
}

const large = content('tooLarge')

/** Errors of `chat.postMessage`, as Slack documents them, by the `error` word of an answer that is not `ok`. */
export const refusals: Readonly<Record<string, Row>> = {
  ratelimited: busy,
  rate_limited: busy,
  message_limit_exceeded: busy,
  internal_error: transient(),
  fatal_error: transient(),
  service_unavailable: transient(),
  request_timeout: transient(),
  team_added_to_org: transient(),
  not_authed: account(),
  invalid_auth: account(),
  account_inactive: account(),
  token_revoked: account(),
  token_expired: account(),
  missing_scope: account(),
  no_permission: account(),
  not_allowed_token_type: account(),
  org_login_required: account(),
  ekm_access_denied: account(),
  team_access_not_granted: account(),
  // Posting to that channel is restricted; other channels are not affected.
  access_denied: person('sendFailed'),
  restricted_action: person('sendFailed'),
  restricted_action_read_only_channel: person('sendFailed'),
  restricted_action_thread_only_channel: person('sendFailed'),
  restricted_action_non_threadable_channel: person('sendFailed'),
  user_is_restricted: person('sendFailed'),
  channel_not_found: person(),
  user_not_found: person(),
  user_disabled: person(),
  not_in_channel: person(),
  is_archived: person(),
  cannot_dm_bot: person(),
  messages_tab_disabled: person(),
  invalid_blocks: content(),
  invalid_blocks_format: content(),
  invalid_arguments: content(),
  invalid_json: content(),
  no_text: content(),
  msg_too_long: large,
  msg_blocks_too_long: large,
}
