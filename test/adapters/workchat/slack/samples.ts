/** Calls and answers of Slack, for the suite that every adapter passes. */
import { createHmac } from 'node:crypto'
import type {
  AnswerSample,
  CallSample,
  ExpectedItem,
  Samples,
  UnsignedCall,
} from '../../../../adapters/kit/suite/samples.js'
import type { SlackAuth } from '../../../../adapters/workchat/slack/descriptor.js'
import type { ReportedInbound } from '../../../../core/channel/providermedia.js'

export const slackAuth: SlackAuth = {
  botToken: 'xoxb-123456789012-sampletoken',
  signingSecret: '8f742231b10e8888abcd99yyyzzz85a5',
}
/** Where Slack keeps files. */
export const fileAt = 'https://files.slack.com/files-pri/T1DC2JH3J-F024BERPE/a.png'
export const dm = 'D024BE91L'
export const user = 'U2CERLKJA'

/** Written apart from the adapter, so that they check each other. */
export function slackSign({ body, at }: Pick<UnsignedCall, 'body' | 'at'>, { signingSecret }: SlackAuth) {
  const timestamp = String(Math.floor(at / 1_000))
  const signing = createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(body)
  return { 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': `v0=${signing.digest('hex')}` }
}

export const wrote = (event: object, eventId = 'Ev1') => ({
  type: 'event_callback',
  team_id: 'T1DC2JH3J',
  event_id: eventId,
  event_time: 1_763_640_000,
  event: { type: 'message', channel: dm, channel_type: 'im', user, ...event },
})
export const tapped = (...actions: readonly unknown[]) =>
  `payload=${encodeURIComponent(
    JSON.stringify({
      type: 'block_actions',
      user: { id: user },
      channel: { id: dm },
      message: { ts: '1763640000.000100' },
      actions,
    }),
  )}`
const postback = 'p1.msg_0sample.2'
const tap: ReportedInbound = { kind: 'tap', messageId: 'msg_0sample', tapIndex: 2, label: 'Table 3' }
const label = { type: 'plain_text', text: 'Table 3' }
const items = (...all: readonly ExpectedItem[]) => ({ kind: 'items', items: all }) as const
const problem = { problem: true } as const
const inboundItem = (end: string, inbound: ReportedInbound, address = dm): ExpectedItem => ({
  id: `${address.split('/')[0]}:${end}`,
  address,
  inbound,
})
const textContent = (text: string): ReportedInbound => ({ kind: 'content', content: { text } })
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const calls: readonly CallSample[] = [
  {
    name: 'the greeting of an app',
    body: { type: 'url_verification', token: 'old', challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P' },
    becomes: { kind: 'answer', status: 200, body: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P' },
  },
  {
    name: 'a direct message',
    body: wrote({ text: 'Is &lt;2 &amp; 3&gt; free on <https://roma.example|roma.example>?', ts: '1763640001.000100' }),
    becomes: items(inboundItem('1763640001.000100', textContent('Is <2 & 3> free on roma.example?'))),
  },
  {
    name: 'a message in a channel',
    body: wrote({ type: 'app_mention', channel: 'C061EG9SL', text: 'Hi <@U0LAN0Z89>', ts: '1763640002.000100' }),
    becomes: items(inboundItem('1763640002.000100', textContent('Hi @U0LAN0Z89'), `C061EG9SL/${user}`)),
  },
  {
    name: 'a picture with words',
    body: wrote({
      subtype: 'file_share',
      text: 'Like this',
      ts: '1763640003.000100',
      files: [
        { url_private: fileAt, mimetype: 'image/png', name: 'a.png' },
        { url_private: 'https://drive.example/b', is_external: true, name: 'b' },
        { url_private: 'https://notslack.com/c' },
      ],
    }),
    becomes: items(
      inboundItem('1763640003.000100', {
        kind: 'content',
        content: {
          text: 'Like this',
          media: [
            { mediaRef: fileAt, type: 'image/png', name: 'a.png' },
            { url: 'https://drive.example/b', name: 'b' },
            { url: 'https://notslack.com/c' },
          ],
        },
      }),
    ),
  },
  {
    name: 'our own message',
    body: wrote({ bot_id: 'B1', text: 'We said so', ts: '1763640004.000100' }),
    becomes: items(),
  },
  {
    name: 'a message that was changed',
    body: wrote({
      subtype: 'message_changed',
      user: undefined,
      ts: '1763640005.000200',
      message: { type: 'message', user, text: 'Table for 4', ts: '1763640005.000100' },
      previous_message: { type: 'message', user, text: 'Table for 2', ts: '1763640005.000100' },
    }),
    becomes: items(
      inboundItem('1763640005.000200', textContent('[The person edited a message, which now says: Table for 4]')),
    ),
  },
  {
    name: 'a message whose link got a preview',
    body: wrote({
      subtype: 'message_changed',
      user: undefined,
      ts: '1763640005.000300',
      message: { type: 'message', user, text: 'See roma.example', ts: '1763640005.000100', attachments: [{}] },
      previous_message: { type: 'message', user, text: 'See roma.example', ts: '1763640005.000100' },
    }),
    becomes: items(),
  },
  {
    name: 'a message in a thread',
    body: wrote({ text: 'And here?', ts: '1763640006.000100', thread_ts: '1763640001.000100' }),
    becomes: items(inboundItem('1763640006.000100@1763640001.000100', textContent('And here?'))),
  },
  {
    name: 'a message that was passed on, without words of its own',
    body: wrote({ text: '', ts: '1763640007.000100', attachments: [{ is_share: true }] }),
    becomes: items(
      inboundItem('1763640007.000100', textContent('[The person sent a message that cannot be shown here]')),
    ),
  },
  {
    name: 'a message without who wrote it',
    body: wrote({ user: undefined, text: 'Hi', ts: '1763640008.000100' }),
    becomes: { kind: 'unreadable' },
  },
  {
    name: 'a reaction',
    body: wrote({
      type: 'reaction_added',
      reaction: 'thumbsup',
      item: { type: 'message', channel: dm, ts: '1763640001.000100' },
      event_ts: '1763640009.000100',
    }),
    becomes: items(
      inboundItem(
        '1763640009.000100:reaction',
        textContent('[The person sent a reaction that cannot be shown here: thumbsup]'),
      ),
    ),
  },
  {
    name: 'words of a kind that is new',
    body: wrote({ subtype: 'sung', text: 'La la', ts: '1763640010.000100' }),
    becomes: items(inboundItem('1763640010.000100', textContent('La la'))),
  },
  {
    name: 'a person who joined a channel',
    body: wrote({ subtype: 'channel_join', channel: 'C061EG9SL', text: 'has joined', ts: '1763640011.000100' }),
    becomes: items(),
  },
  { name: 'an event that is new', body: wrote({ type: 'sang' }), becomes: items(problem) },
  {
    name: 'a button, an entry of a menu, and what cannot be read',
    headers: form,
    body: tapped(
      { type: 'button', action_id: postback, value: postback, text: label, action_ts: '1763640006.1' },
      'nonsense',
      { type: 'button', action_id: 'other', value: 'not-ours', text: label, action_ts: '1763640007.1' },
      {
        type: 'static_select',
        action_id: 'choice',
        selected_option: { text: label, value: postback },
        action_ts: '1763640008.1',
      },
    ),
    becomes: items(
      inboundItem('1763640000.000100:1763640006.1:2', tap),
      problem,
      inboundItem('1763640000.000100:1763640007.1', textContent('Table 3')),
      inboundItem('1763640000.000100:1763640008.1:2', tap),
    ),
  },
  {
    name: 'a form of another kind',
    headers: form,
    body: 'token=x&command=%2Fhello',
    becomes: { kind: 'unreadable' },
  },
]

const refused = (
  error: string,
  reason: string,
  retry: 'later' | 'otherChannel' | 'never',
  operator = false,
): AnswerSample => ({
  name: error,
  answer: { status: 200, body: { ok: false, error } },
  becomes: { kind: 'refused', reason, retry, ...(operator && { needsOperator: true as const }) },
})

export const slackSamples: Samples<SlackAuth> = {
  auth: slackAuth,
  invalidAuths: [{ auth: { ...slackAuth, botToken: 'xoxp-123456789012-sampletoken' }, field: 'botToken' }],
  address: dm,
  sign: slackSign,
  calls,
  media: [
    {
      name: 'a file',
      mediaRef: fileAt,
      becomes: { kind: 'at', url: fileAt, headers: { authorization: `Bearer ${slackAuth.botToken}` } },
    },
    { name: 'a file of somebody else', mediaRef: 'https://drive.example/b', becomes: { kind: 'refused' } },
    { name: 'a file without TLS', mediaRef: fileAt.replace('https', 'http'), becomes: { kind: 'refused' } },
  ],
  answers: [
    {
      name: 'a message taken',
      answer: { status: 200, body: { ok: true, channel: dm, ts: '1763640009.000100' } },
      becomes: { kind: 'sent', providerId: `${dm}:1763640009.000100` },
    },
    refused('invalid_auth', 'sendFailed', 'otherChannel', true),
    refused('missing_scope', 'sendFailed', 'otherChannel', true),
    refused('channel_not_found', 'unknownRecipient', 'otherChannel'),
    refused('is_archived', 'unknownRecipient', 'otherChannel'),
    refused('restricted_action', 'sendFailed', 'otherChannel'),
    refused('invalid_blocks', 'invalidMessage', 'never'),
    refused('msg_blocks_too_long', 'tooLarge', 'never'),
    refused('internal_error', 'sendFailed', 'later'),
    refused('ratelimited', 'rateLimited', 'later'),
    refused('something_new', 'sendFailed', 'otherChannel'),
    {
      name: 'too many calls',
      answer: { status: 429, headers: { 'Retry-After': '30' }, body: '' },
      becomes: { kind: 'refused', reason: 'rateLimited', retry: 'later' },
    },
  ],
}
