/** Calls and answers of Apple Messages for Business, for the suite that every adapter passes. */

import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { AnswerSample, CallSample, ExpectedItem, Samples } from '../../../../adapters/kit/suite/samples.js'
import type { AppleAuth } from '../../../../adapters/vendor/apple/descriptor.js'
import type { Inbound } from '../../../../core/channel/inbound.js'

const key = Buffer.from('0123456789abcdef0123456789abcdef')
export const appleAuth: AppleAuth = {
  businessId: '5c1cdb82-0000-4000-8000-0123456789ab',
  mspId: 'e41d8cd98f00',
  secret: key.toString('base64'),
}
export const person = 'urn:mbid:AQAAY4bCsample0address='

/** Written apart from the adapter, so that they check each other. */
export function bearer(
  claims: object,
  signingKey: string | Uint8Array = key,
  header: object = { alg: 'HS256' },
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const content = `${part(header)}.${part(claims)}`
  return `Bearer ${content}.${createHmac('sha256', signingKey).update(content).digest('base64url')}`
}

export const messageBody = (id: string, content: object) => ({
  v: 1,
  id,
  sourceId: person,
  destinationId: appleAuth.businessId,
  locale: 'en_US',
  ...content,
})

/** As Apple spells what a device can do, and as it is told on. */
export const everyAbility = ['LIST', 'TIME', 'QUICK', 'AUTH', 'AUTH2', 'FORM'] as const

const items = (...all: readonly ExpectedItem[]) => ({ kind: 'items', items: all }) as const
/** A person who writes after leaving has come back. */
const back = (id: string): ExpectedItem => ({
  id: `${id}:back`,
  address: person,
  inbound: { kind: 'system', system: 'optIn' },
})
const inboundItems = (id: string, inbound: Inbound) => items(back(id), { id, address: person, inbound })
const systemItems = (id: string, system: 'typing' | 'unsubscribed') =>
  items({ id, address: person, inbound: { kind: 'system', system } })
const postback = 'p1.msg_0sample.2'
const tap: Inbound = { kind: 'tap', messageId: 'msg_0sample', tapIndex: 2, label: 'Table 3' }
export const interactiveReply = (data: object) => ({
  type: 'interactive',
  interactiveData: { bid: 'com.apple.messages', data: { version: '1.0', requestIdentifier: 'r1', ...data } },
})
/** Where a file lies, as Apple says it. */
export const attachment = {
  url: 'https://mmcs.example/1',
  owner: 'M1',
  signature: '81'.repeat(21),
  key: `00${'ab'.repeat(32)}`,
}
export const fileRef = Buffer.from(JSON.stringify(attachment)).toString('base64url')

const calls: readonly CallSample[] = [
  {
    name: 'text',
    body: messageBody('a1', { type: 'text', body: 'Hi there' }),
    becomes: inboundItems('a1', { kind: 'content', content: { text: 'Hi there' } }),
  },
  {
    name: 'text of a device that can do everything',
    headers: { 'Capability-List': everyAbility.join(',') },
    body: messageBody('a14', { type: 'text', body: 'New phone' }),
    becomes: items(
      { ...back('a14'), deviceCapabilities: everyAbility },
      {
        id: 'a14',
        address: person,
        inbound: { kind: 'content', content: { text: 'New phone' } },
        deviceCapabilities: everyAbility,
      },
    ),
  },
  {
    name: 'a picture with words',
    body: messageBody('a2', {
      type: 'text',
      body: 'Like this \ufffc',
      attachments: [{ name: 'a.jpg', mimeType: 'image/jpeg', size: '10', ...attachment }],
    }),
    becomes: items(back('a2'), {
      id: 'a2',
      address: person,
      inbound: {
        kind: 'content',
        content: { text: 'Like this', media: [{ mediaRef: fileRef, type: 'image/jpeg', name: 'a.jpg' }] },
      },
    }),
  },
  {
    name: 'a picture without its key',
    body: messageBody('a15', { type: 'text', body: '\ufffc', attachments: [{ name: 'a.jpg', url: attachment.url }] }),
    becomes: inboundItems('a15', {
      kind: 'content',
      content: { text: '[The person sent a file that cannot be shown here]' },
    }),
  },
  {
    name: 'text, packed',
    body: gzipSync(JSON.stringify(messageBody('a16', { type: 'text', body: 'Hi there' }))),
    becomes: inboundItems('a16', { kind: 'content', content: { text: 'Hi there' } }),
  },
  { name: 'nothing that can be read', body: 'Hi there', becomes: { kind: 'unreadable' } },
  {
    name: 'more than a call has, packed',
    body: gzipSync(Buffer.alloc(2 ** 21)),
    becomes: { kind: 'unreadable' },
  },
  {
    name: 'a quick reply by its identifier',
    body: messageBody(
      'a3',
      interactiveReply({
        'quick-reply': { items: [{ identifier: postback, title: 'Table 3' }], selectedIdentifier: postback },
      }),
    ),
    becomes: inboundItems('a3', tap),
  },
  {
    name: 'a quick reply by its place',
    body: messageBody(
      'a4',
      interactiveReply({
        'quick-reply': {
          items: [
            { identifier: 'p1.msg_0sample.1', title: 'Table 2' },
            { identifier: postback, title: 'Table 3' },
          ],
          selectedIndex: 1,
        },
      }),
    ),
    becomes: inboundItems('a4', tap),
  },
  {
    name: 'a row of a list',
    body: messageBody(
      'a5',
      interactiveReply({ listPicker: { sections: [{ items: [{ identifier: postback, title: 'Table 3' }] }] } }),
    ),
    becomes: inboundItems('a5', tap),
  },
  {
    name: 'a time',
    body: messageBody(
      'a6',
      interactiveReply({ event: { timeslots: [{ identifier: postback, startTime: '2026-11-20T12:00+0000' }] } }),
    ),
    becomes: inboundItems('a6', { kind: 'tap', messageId: 'msg_0sample', tapIndex: 2 }),
  },
  {
    name: 'a time, as others nest it',
    body: messageBody('a7', interactiveReply({ timePicker: { event: { timeslots: [{ identifier: postback }] } } })),
    becomes: inboundItems('a7', { kind: 'tap', messageId: 'msg_0sample', tapIndex: 2 }),
  },
  {
    name: 'a choice that is not ours',
    body: messageBody(
      'a8',
      interactiveReply({ listPicker: { sections: [{ items: [{ identifier: '7', title: 'Seven' }] }] } }),
    ),
    becomes: inboundItems('a8', { kind: 'content', content: { text: 'Seven' } }),
  },
  { name: 'typing', body: messageBody('a9', { type: 'typing_start' }), becomes: systemItems('a9', 'typing') },
  {
    name: 'the person leaves',
    body: messageBody('a10', { type: 'close' }),
    becomes: systemItems('a10', 'unsubscribed'),
  },
  {
    name: 'an answer that is only a reference',
    body: messageBody('a11', { type: 'interactive', interactiveDataRef: attachment }),
    becomes: items(back('a11'), {
      id: 'a11',
      address: person,
      inbound: { kind: 'reference', reference: fileRef },
    }),
  },
  {
    name: 'a type that is new',
    body: messageBody('a12', { type: 'hologram' }),
    becomes: inboundItems('a12', {
      kind: 'content',
      content: { text: '[The person sent something that cannot be shown here]' },
    }),
  },
  {
    name: 'another business',
    body: { ...messageBody('a13', { type: 'text', body: 'Hi' }), destinationId: 'other' },
    becomes: { ...items(), otherAccounts: [{ account: 'other' }] },
  },
  {
    name: 'no business at all',
    body: { ...messageBody('a14', { type: 'text', body: 'Hi' }), destinationId: '' },
    becomes: { kind: 'unreadable' },
  },
]

const refused = (
  status: number,
  reason: string,
  retry: 'later' | 'otherChannel' | 'never',
  operator = false,
): AnswerSample => ({
  name: String(status),
  answer: { status, body: { message: 'Something' } },
  becomes: { kind: 'refused', reason, retry, ...(operator && { needsOperator: true as const }) },
})

export const appleSamples: Samples<AppleAuth> = {
  auth: appleAuth,
  invalidAuths: [
    { auth: { ...appleAuth, businessId: 'two words' }, field: 'businessId' },
    { auth: { ...appleAuth, mspId: 'line\nbreak' }, field: 'mspId' },
  ],
  address: person,
  oneByOne: true,
  sign: ({ at }, { mspId }) => ({ Authorization: bearer({ aud: mspId, iat: Math.floor(at / 1_000) }) }),
  // A token tells who calls, not what is said.
  calls: calls.map((call) => ({ ...call, proves: 'caller' })),
  media: [
    {
      name: 'a picture',
      mediaRef: fileRef,
      answer: { status: 200, body: { 'download-url': 'https://cvws.icloud-content.com/1' } },
      becomes: {
        kind: 'at',
        url: 'https://cvws.icloud-content.com/1',
        headers: {},
        aesKey: 'ab'.repeat(32),
      },
    },
    { name: 'a picture that is gone', mediaRef: fileRef, answer: { status: 404 }, becomes: { kind: 'refused' } },
    { name: 'nothing that Apple named', mediaRef: 'bm90aGluZw', becomes: { kind: 'refused' } },
  ],
  answers: [
    { name: 'a message taken', answer: { status: 200 }, becomes: { kind: 'sent' } },
    refused(400, 'invalidMessage', 'never'),
    refused(401, 'sendFailed', 'otherChannel', true),
    refused(403, 'sendFailed', 'otherChannel', true),
    refused(404, 'unknownRecipient', 'otherChannel'),
    refused(410, 'optedOut', 'never'),
    refused(413, 'tooLarge', 'never'),
    refused(418, 'sendFailed', 'otherChannel'),
    refused(429, 'rateLimited', 'later'),
    refused(503, 'sendFailed', 'later'),
  ],
}
