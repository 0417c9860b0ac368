/** Calls and answers of WhatsApp, Messenger and Instagram, for the suite that every adapter passes. */

import { createHmac } from 'node:crypto'
import type {
  AnswerSample,
  CallSample,
  ExpectedItem,
  Samples,
  UnsignedCall,
} from '../../../adapters/kit/suite/samples.js'
import type { InstagramAuth } from '../../../adapters/messenger/instagram/adapter.js'
import type { PageAuth } from '../../../adapters/messenger/page/descriptor.js'
import type { WhatsappAuth } from '../../../adapters/messenger/whatsapp/descriptor.js'
import type { Inbound } from '../../../core/channel/inbound.js'
import type { ReportedInbound } from '../../../core/channel/providermedia.js'

const graphAuth = {
  accessToken: 'EAAGsampletoken0123456789',
  appSecret: 'app_secret_of_the_sample',
  verifyToken: 'a-word-of-our-own',
}
export const whatsappAuth: WhatsappAuth = { ...graphAuth, phoneNumberId: '106540352242922' }
export const pageAuth: PageAuth = { ...graphAuth, pageId: '2210451234567890' }
export const person = '14155550100'
export const psid = '6543210987654321'

/** Written apart from the adapters, so that they check each other. */
export function hubSign({ body }: UnsignedCall, { appSecret }: { readonly appSecret: string }) {
  return { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}` }
}

/** Where the API says that media is: at another host than its own. */
export const lookaside = 'https://lookaside.example/whatsapp_business/attachments/?mid=77&hash=ATsample'

const items = (...all: readonly ExpectedItem[]) => ({ kind: 'items', items: all }) as const
const problem = { problem: true } as const
const tap: Inbound = { kind: 'tap', messageId: 'msg_0sample', tapIndex: 2, label: 'Table 3' }
const postback = 'p1.msg_0sample.2'
const textContent = (text: string): Inbound => ({ kind: 'content', content: { text } })

const greetings: readonly CallSample[] = [
  {
    name: 'the greeting of a callback',
    method: 'GET',
    query: 'hub.mode=subscribe&hub.verify_token=a-word-of-our-own&hub.challenge=1158201444',
    proves: 'nothing',
    becomes: { kind: 'answer', status: 200, body: '1158201444' },
  },
  {
    name: 'a greeting with another word',
    method: 'GET',
    query: 'hub.mode=subscribe&hub.verify_token=another-word&hub.challenge=1158201444',
    proves: 'nothing',
    becomes: { kind: 'refused' },
  },
]

const metadata = { display_phone_number: '15550001111', phone_number_id: whatsappAuth.phoneNumberId }
export const changed = (value: object, field = 'messages') => ({
  object: 'whatsapp_business_account',
  entry: [
    { id: '102290129340398', changes: [{ field, value: { messaging_product: 'whatsapp', metadata, ...value } }] },
  ],
})
export const wamid = (end: string) => `wamid.HBgLMTQxNTU1NTAxMDAVAgAR${end}`
export const message = (end: string, content: object) => ({
  from: person,
  id: wamid(end),
  timestamp: '1749416383',
  ...content,
})
export const status = (end: string, state: string, more: object = {}) => ({
  id: wamid(end),
  status: state,
  timestamp: '1749416384',
  recipient_id: person,
  ...more,
})
const whatsappItem = (end: string, inbound: ReportedInbound): ExpectedItem => ({
  id: wamid(end),
  address: person,
  inbound,
})
const receipt = (end: string, state: 'sent' | 'delivered' | 'read' | 'failed', more: object = {}): ExpectedItem => ({
  id: `${wamid(end)}:${state}`,
  address: person,
  inbound: { kind: 'receipt', receipt: { providerId: wamid(end), state, ...more } },
})
const reply = (kind: 'button_reply' | 'list_reply') => ({
  type: 'interactive',
  interactive: { type: kind, [kind]: { id: postback, title: 'Table 3' } },
})
const failedWith = (code: number, reason: string) => ({
  sample: { errors: [{ code, title: 'A title', message: 'A title', error_data: { details: 'More of it' } }] },
  becomes: { reason, detail: `The provider answered with code ${code}.` },
})
const late = failedWith(131_047, 'windowClosed')

const whatsappCalls: readonly CallSample[] = [
  ...greetings,
  {
    name: 'text',
    body: changed({ messages: [message('A1', { type: 'text', text: { body: 'Hi there' } })] }),
    becomes: items(whatsappItem('A1', textContent('Hi there'))),
  },
  {
    name: 'a tapped button',
    body: changed({ messages: [message('A2', reply('button_reply'))] }),
    becomes: items(whatsappItem('A2', tap)),
  },
  {
    name: 'a chosen row',
    body: changed({ messages: [message('A3', reply('list_reply'))] }),
    becomes: items(whatsappItem('A3', tap)),
  },
  {
    name: 'a tapped button of a template',
    body: changed({ messages: [message('A4', { type: 'button', button: { text: 'Yes please', payload: 'yes-9' } })] }),
    becomes: items(whatsappItem('A4', textContent('Yes please'))),
  },
  {
    name: 'a shared location',
    body: changed({
      messages: [message('A5', { type: 'location', location: { latitude: 40.72, longitude: -73.99, name: 'Roma' } })],
    }),
    becomes: items(
      whatsappItem('A5', {
        kind: 'content',
        content: { place: { latitude: 40.72, longitude: -73.99, label: 'Roma' } },
      }),
    ),
  },
  {
    name: 'a picture with words',
    body: changed({
      messages: [message('A6', { type: 'image', image: { id: '77', mime_type: 'image/jpeg', caption: 'Like this' } })],
    }),
    becomes: items(
      whatsappItem('A6', {
        kind: 'content',
        content: { text: 'Like this', media: [{ mediaRef: '77', type: 'image/jpeg' }] },
      }),
    ),
  },
  {
    name: 'every state, and a failure',
    body: changed({
      statuses: [
        status('B1', 'sent'),
        status('B1', 'delivered'),
        status('B1', 'read'),
        status('B2', 'failed', late.sample),
      ],
    }),
    becomes: items(
      receipt('B1', 'sent'),
      receipt('B1', 'delivered'),
      receipt('B1', 'read'),
      receipt('B2', 'failed', late.becomes),
    ),
  },
  {
    name: 'a batch in which some cannot be read, with a status before the message',
    body: {
      object: 'whatsapp_business_account',
      entry: [
        7,
        ...changed({ statuses: [status('B3', 'read'), null, status('B4', 'evaporated')] }).entry,
        ...changed({
          messages: [message('A7', { type: 'reaction' }), message('A8', { type: 'text', text: { body: 'Me' } })],
        }).entry,
        ...changed({}, 'account_update').entry,
      ],
    },
    becomes: items(
      problem,
      whatsappItem('A7', textContent('[The person sent back a reaction that cannot be shown here]')),
      whatsappItem('A8', textContent('Me')),
      receipt('B3', 'read'),
      problem,
      problem,
    ),
  },
  {
    name: 'something about another number of the same app',
    body: changed({
      metadata: { phone_number_id: '999' },
      messages: [message('A9', { type: 'text', text: { body: 'Hi' } })],
    }),
    becomes: { ...items(), otherAccounts: [{ account: '999' }] },
  },
  {
    name: 'a batch of two numbers of the same app',
    body: {
      object: 'whatsapp_business_account',
      entry: [
        ...changed({ metadata: { phone_number_id: '999' }, statuses: [status('B5', 'read')] }).entry,
        ...changed({ messages: [message('A10', { type: 'text', text: { body: 'Ours' } })] }).entry,
        ...changed({ metadata: {}, messages: [] }).entry,
      ],
    },
    becomes: { ...items(problem, whatsappItem('A10', textContent('Ours'))), otherAccounts: [{ account: '999' }] },
  },
  {
    name: 'a phone call',
    body: changed({ calls: [{ id: 'wacid.1', from: person, event: 'connect', timestamp: '1749416383' }] }, 'calls'),
    becomes: items(),
  },
  { name: 'nothing at all', body: { object: 'whatsapp_business_account', entry: [] }, becomes: items() },
]

export const graphError = (status: number, code: number, more: object = {}) => ({
  status,
  body: { error: { message: `(#${code}) Something`, type: 'OAuthException', code, ...more, fbtrace_id: 'A1' } },
})
const refused = (
  name: string,
  answer: AnswerSample['answer'],
  reason: string,
  retry: 'later' | 'otherChannel' | 'never',
  operator = false,
): AnswerSample => ({
  name,
  answer,
  becomes: { kind: 'refused', reason, retry, ...(operator && { needsOperator: true as const }) },
})

export const whatsappSamples: Samples<WhatsappAuth> = {
  auth: whatsappAuth,
  invalidAuths: [
    { auth: { ...whatsappAuth, phoneNumberId: '+1 415 555 0100' }, field: 'phoneNumberId' },
    { auth: { ...whatsappAuth, accessToken: 'two words' }, field: 'accessToken' },
  ],
  address: person,
  sign: hubSign,
  calls: whatsappCalls,
  media: [
    {
      name: 'a picture',
      mediaRef: '77',
      answer: { status: 200, body: { url: lookaside, mime_type: 'image/jpeg', id: '77' } },
      becomes: { kind: 'at', url: lookaside, headers: { Authorization: `Bearer ${graphAuth.accessToken}` } },
    },
    {
      name: 'a picture that lies where nobody could trust it',
      mediaRef: '77',
      answer: { status: 200, body: { url: lookaside.replace('https', 'http'), id: '77' } },
      becomes: { kind: 'refused' },
    },
    {
      name: 'a picture that is gone',
      mediaRef: '78',
      answer: { status: 400, body: { error: { message: 'Unsupported get request', code: 100 } } },
      becomes: { kind: 'refused' },
    },
  ],
  answers: [
    {
      name: 'a message taken',
      answer: { status: 200, body: { contacts: [{ input: person, wa_id: person }], messages: [{ id: wamid('C1') }] } },
      becomes: { kind: 'sent', providerId: wamid('C1') },
    },
    refused('a closed window', graphError(400, 131_047), 'windowClosed', 'otherChannel'),
    refused('nobody there', graphError(400, 131_026), 'unknownRecipient', 'otherChannel'),
    refused('somebody who wants nothing more', graphError(400, 131_050), 'optedOut', 'never'),
    refused('a kind it does not know', graphError(400, 131_051), 'unsupportedPart', 'otherChannel'),
    refused('media it cannot fetch', graphError(400, 131_053), 'mediaUnreachable', 'otherChannel'),
    refused('withheld', graphError(400, 131_049), 'sendFailed', 'otherChannel'),
    refused('too much of it', graphError(400, 131_048), 'sendFailed', 'otherChannel'),
    refused('too many a second', graphError(400, 130_429), 'rateLimited', 'later'),
    refused('too many to one person', graphError(400, 131_056), 'rateLimited', 'later'),
    refused('an account that is locked', graphError(403, 131_031), 'sendFailed', 'otherChannel', true),
    refused('an account that is not paid for', graphError(400, 131_042), 'sendFailed', 'otherChannel', true),
    refused('a template that is missing', graphError(404, 132_001), 'invalidMessage', 'otherChannel'),
    refused('a wrong member', graphError(400, 100), 'invalidMessage', 'otherChannel'),
    refused('a wrong value', graphError(400, 131_009), 'invalidMessage', 'otherChannel'),
    refused('a token that has ended', graphError(401, 190), 'sendFailed', 'otherChannel', true),
    refused('a code that is new', graphError(400, 139_999), 'sendFailed', 'otherChannel'),
    refused('too many calls', { status: 429, headers: { 'Retry-After': '7' } }, 'rateLimited', 'later'),
  ],
}

const pageBody = (object: 'page' | 'instagram', ...messaging: readonly unknown[]) => ({
  object,
  entry: [{ id: pageAuth.pageId, time: 1_749_416_383_000, messaging }],
})
export const event = (content: object, sender = psid) => ({
  sender: { id: sender },
  recipient: { id: pageAuth.pageId },
  timestamp: 1_749_416_383_000,
  ...content,
})
const pageItem = (id: string, inbound: Inbound): ExpectedItem => ({ id, address: psid, inbound })
const mark = (state: 'delivered' | 'read', upTo: number): ExpectedItem => ({
  id: `${psid}:${upTo}:${state}`,
  address: psid,
  inbound: { kind: 'receipt', receipt: { providerId: '', state, upTo } },
})
const receiptItem = (mid: string, state: 'delivered' | 'read'): ExpectedItem => ({
  id: `${mid}:${state}`,
  address: psid,
  inbound: { kind: 'receipt', receipt: { providerId: mid, state } },
})

const pageCalls = (object: 'page' | 'instagram'): readonly CallSample[] => [
  ...greetings,
  {
    name: 'text',
    body: pageBody(object, event({ message: { mid: 'm_1', text: 'Hello' } })),
    becomes: items(pageItem('m_1', textContent('Hello'))),
  },
  {
    name: 'a tapped quick reply, whose title was cut',
    body: pageBody(object, event({ message: { mid: 'm_2', text: 'Table 3', quick_reply: { payload: postback } } })),
    becomes: items(pageItem('m_2', tap)),
  },
  {
    name: 'a tapped button of a card',
    body: pageBody(object, event({ postback: { mid: 'm_3', title: 'Table 3', payload: postback } })),
    becomes: items(pageItem('m_3', tap)),
  },
  {
    name: 'a tapped button without a name, that is not ours',
    body: pageBody(object, event({ postback: { title: 'Get started', payload: 'GET_STARTED' } })),
    becomes: items(pageItem(`${psid}:1749416383000`, textContent('Get started'))),
  },
  {
    name: 'a picture',
    body: pageBody(
      object,
      event({
        message: { mid: 'm_4', attachments: [{ type: 'image', payload: { url: 'https://cdn.example/1.jpg' } }] },
      }),
    ),
    becomes: items(pageItem('m_4', { kind: 'content', content: { media: [{ url: 'https://cdn.example/1.jpg' }] } })),
  },
  {
    name: 'our own message',
    body: pageBody(object, event({ message: { mid: 'm_5', text: 'We said so', is_echo: true } }, pageAuth.pageId)),
    becomes: items(),
  },
  {
    name: 'a batch in which some cannot be read, with a receipt before the message',
    body: pageBody(
      object,
      event({ read: { watermark: 1_749_416_390_000 } }),
      'nonsense',
      event({ hologram: { action: 'wave' } }),
      event({ message: { mid: 'm_6', text: 'Still here' } }),
    ),
    becomes: items(problem, problem, pageItem('m_6', textContent('Still here')), mark('read', 1_749_416_390_000)),
  },
  {
    name: 'a shared location',
    body: pageBody(
      object,
      event({
        message: {
          mid: 'm_11',
          attachments: [{ type: 'location', title: 'Roma', payload: { coordinates: { lat: 40.72, long: -73.99 } } }],
        },
      }),
    ),
    becomes: items(
      pageItem('m_11', { kind: 'content', content: { place: { latitude: 40.72, longitude: -73.99, label: 'Roma' } } }),
    ),
  },
  {
    name: 'words with something that cannot be shown',
    body: pageBody(object, event({ message: { mid: 'm_12', text: 'See', attachments: [{ type: 'template' }] } })),
    becomes: items(pageItem('m_12', textContent('See\n[The person sent an attachment that cannot be shown here]'))),
  },
  {
    name: 'a message of a kind that is new',
    body: pageBody(object, event({ message: { mid: 'm_13', hologram: {} } })),
    becomes: items(pageItem('m_13', textContent('[The person sent something that cannot be shown here]'))),
  },
  {
    name: 'a reaction',
    body: pageBody(object, event({ reaction: { mid: 'm_1', action: 'react', emoji: '👍' } })),
    becomes: items(
      pageItem(
        `${psid}:1749416383000:reaction`,
        textContent('[The person sent a reaction that cannot be shown here: 👍]'),
      ),
    ),
  },
  {
    name: 'a warning to the page',
    body: pageBody(object, {
      recipient: { id: pageAuth.pageId },
      timestamp: 1_749_416_383_000,
      policy_enforcement: { action: 'warning', reason: 'Too many complaints.' },
    }),
    becomes: items(),
  },
  {
    name: 'an order',
    body: pageBody(
      object,
      event({ order: { note: 'No onions', products: [{ id: '77', name: 'Soup', quantity: 2 }, { id: '78' }] } }),
    ),
    becomes: items(
      pageItem(
        `${psid}:1749416383000:order`,
        textContent('[The person sent an order that cannot be shown here: 2 × Soup, 78, No onions]'),
      ),
    ),
  },
  {
    name: 'a talk that another app holds',
    body: { object, entry: [{ id: pageAuth.pageId, standby: [event({ message: { mid: 'm_14', text: 'Hi' } })] }] },
    becomes: items(),
  },
]

const pageAnswers: readonly AnswerSample[] = [
  {
    name: 'a message taken',
    answer: { status: 200, body: { recipient_id: psid, message_id: 'm_9' } },
    becomes: { kind: 'sent', providerId: 'm_9' },
  },
  refused('a closed window', graphError(400, 10, { error_subcode: 2_018_278 }), 'windowClosed', 'otherChannel'),
  refused('no permission', graphError(403, 10), 'sendFailed', 'otherChannel', true),
  refused('nobody there', graphError(400, 100, { error_subcode: 2_018_001 }), 'unknownRecipient', 'otherChannel'),
  refused('a person who is not to be reached', graphError(400, 551), 'unknownRecipient', 'otherChannel'),
  refused('a wrong member', graphError(400, 100), 'invalidMessage', 'otherChannel'),
  refused('a token that has ended', graphError(401, 190), 'sendFailed', 'otherChannel', true),
  refused('too many calls', graphError(400, 613), 'rateLimited', 'later'),
  refused('trouble', graphError(500, 2), 'sendFailed', 'later'),
]

const pageSamples = <Auth extends PageAuth>(
  object: 'page' | 'instagram',
  auth: Auth,
  calls: readonly CallSample[],
): Samples<Auth> => ({
  auth,
  invalidAuths: [
    { auth: { ...auth, pageId: 'our.page' }, field: 'pageId' },
    { auth: { ...auth, accessToken: 'line\nbreak' }, field: 'accessToken' },
  ],
  address: psid,
  sign: hubSign,
  calls: [...pageCalls(object), ...calls],
  answers: pageAnswers,
})

export const messengerSamples = pageSamples('page', pageAuth, [
  {
    name: 'delivered, by name and by a mark',
    body: pageBody('page', event({ delivery: { mids: ['m_7', 'm_8'], watermark: 1_749_416_391_000 } })),
    becomes: items(
      receiptItem('m_7', 'delivered'),
      receiptItem('m_8', 'delivered'),
      mark('delivered', 1_749_416_391_000),
    ),
  },
  {
    name: 'delivered, by a mark alone',
    body: pageBody('page', event({ delivery: { watermark: 1_749_416_392_000 } })),
    becomes: items(mark('delivered', 1_749_416_392_000)),
  },
  {
    name: 'something about another page of the same app',
    body: { object: 'page', entry: [{ id: '999', messaging: [event({ message: { mid: 'm_10', text: 'Hi' } })] }] },
    becomes: { ...items(), otherAccounts: [{ account: '999' }] },
  },
])

/** The samples name the account as the page is named. */
export const instagramAuth: InstagramAuth = { ...pageAuth, accountId: pageAuth.pageId }

export const instagramSamples = pageSamples('instagram', instagramAuth, [
  {
    name: 'seen',
    body: pageBody('instagram', event({ read: { mid: 'm_7' } })),
    becomes: items(receiptItem('m_7', 'read')),
  },
  {
    name: 'something about another account of the same app',
    body: { object: 'instagram', entry: [{ id: '999', messaging: [event({ message: { mid: 'm_10', text: 'Hi' } })] }] },
    becomes: { ...items(), otherAccounts: [{ account: '999' }] },
  },
])
