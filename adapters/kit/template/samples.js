/** Samples: calls and answers of {{provider}}, with the expected results. Replace them by your own recordings. */
// @ts-check
import { signatureHeader, timestampHeader } from './descriptor.js'
import { signatureOf } from './receive.js'

const from = '+14155550100'
/** @param {string} status */
const receipt = (status) => ({ id: `wire_7.${status}`, type: 'receipt', from, messageId: 'wire_7', status })
/**
 * @param {string} status
 * @param {'sent' | 'delivered' | 'read' | 'failed'} state
 * @returns {import('parley/adapters/kit').ExpectedItem}
 */
const received = (status, state) => ({
  id: `wire_7.${status}`,
  address: from,
  inbound: { kind: 'receipt', receipt: { providerId: 'wire_7', state } },
})

/** @type {import('parley/adapters/kit').Samples<import('./descriptor.js').Auth>} */
export const samples = {
  auth: { accountId: 'acme', apiKey: 'key-of-the-sample-account', signingSecret: 'secret-of-the-sample-account' },
  address: from,
  sign({ body, at }, auth) {
    const timestamp = String(Math.floor(at / 1000))
    return { [timestampHeader]: timestamp, [signatureHeader]: signatureOf(auth, timestamp, body) }
  },
  calls: [
    {
      name: 'a person writes',
      body: { events: [{ id: 'evt_1', type: 'message', from, text: 'Hello' }] },
      becomes: {
        kind: 'items',
        items: [{ id: 'evt_1', address: from, inbound: { kind: 'content', content: { text: 'Hello' } } }],
      },
    },
    {
      name: 'a person taps a reply',
      body: { events: [{ id: 'evt_2', type: 'tap', from, postback: 'p1.msg_9.0', label: 'Yes' }] },
      becomes: {
        kind: 'items',
        items: [
          { id: 'evt_2', address: from, inbound: { kind: 'tap', messageId: 'msg_9', tapIndex: 0, label: 'Yes' } },
        ],
      },
    },
    {
      name: 'receipts in every state',
      body: { events: ['accepted', 'delivered', 'seen', 'failed'].map(receipt) },
      becomes: {
        kind: 'items',
        items: [
          received('accepted', 'sent'),
          received('delivered', 'delivered'),
          received('seen', 'read'),
          received('failed', 'failed'),
        ],
      },
    },
    {
      name: 'a person wants no more messages, beside events that nobody knows',
      body: { events: [{ id: 'evt_3', type: 'poke', from }, null, { id: 'evt_4', type: 'stopped', from }] },
      becomes: {
        kind: 'items',
        items: [
          { problem: true },
          { problem: true },
          { id: 'evt_4', address: from, inbound: { kind: 'system', system: 'optOut' } },
        ],
      },
    },
    {
      name: 'a call that was recorded long ago',
      body: { events: [] },
      signed: { headers: { [timestampHeader]: '1000000000', [signatureHeader]: '00' }, at: Date.UTC(2026, 10, 20) },
      becomes: { kind: 'refused' },
    },
  ],
  answers: [
    {
      name: 'it was taken',
      answer: { status: 202, body: { id: 'wire_7' } },
      becomes: { kind: 'sent', providerId: 'wire_7' },
    },
    {
      name: 'nobody has that number',
      answer: { status: 404, body: { code: 'unknown_recipient', message: 'No such user' } },
      becomes: { kind: 'refused', reason: 'unknownRecipient', retry: 'otherChannel' },
    },
    {
      name: 'the person opted out',
      answer: { status: 409, body: { code: 'opted_out' } },
      becomes: { kind: 'refused', reason: 'optedOut', retry: 'never' },
    },
    {
      name: 'too many messages',
      answer: { status: 429, headers: { 'retry-after': '30' }, body: '' },
      becomes: { kind: 'refused', retry: 'later' },
    },
    {
      name: 'the key was revoked',
      answer: { status: 401, body: { message: 'Invalid key' } },
      becomes: { kind: 'refused', retry: 'otherChannel', needsOperator: true },
    },
  ],
}
