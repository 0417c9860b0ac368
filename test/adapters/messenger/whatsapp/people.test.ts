/** People of WhatsApp with and without a number, and what they do that has no place in a conversation. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { whatsappAdapter } from '../../../../adapters/messenger/whatsapp/adapter.js'
import { whatsappAuth } from '../samples.js'

function itemsOf(value: object, field = 'messages') {
  const metadata = { phone_number_id: whatsappAuth.phoneNumberId }
  const entry = [{ id: 'WABA', changes: [{ field, value: { metadata, ...value } }] }]
  const body = Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry }))
  const signature = `sha256=${createHmac('sha256', whatsappAuth.appSecret).update(body).digest('hex')}`
  const url = 'https://gateway.example/v4/ingress/cb_1'
  const request = { bindingId: 'cb_1', method: 'POST', url, header: () => signature, body, at: 0 } as const
  const received = whatsappAdapter.receive(request, whatsappAuth)
  return received.kind === 'items' ? received.items : received
}

const text = { id: 'wamid.1', type: 'text', text: { body: 'Hi' } }

t.test('A person with a username is identified by the business-scoped id', async (t) => {
  t.match(itemsOf({ contacts: [{ user_id: 'US.13491208655302741918' }], messages: [text] }), [
    { id: 'wamid.1', address: 'US.13491208655302741918', inbound: { content: { text: 'Hi' } } },
  ])
  t.match(itemsOf({ statuses: [{ id: 'wamid.2', status: 'delivered', recipient_user_id: 'US.1' }] }), [
    { address: 'US.1', inbound: { receipt: { providerId: 'wamid.2', state: 'delivered' } } },
  ])
})

t.test('A person whose number comes with the id is identified by the number, as before', async (t) => {
  const contacts = [{ wa_id: '15550100', user_id: 'US.1' }]
  const person = { address: '15550100', alias: 'US.1' }
  t.match(itemsOf({ contacts, messages: [{ ...text, from: '15550100' }] }), [person])
  t.match(itemsOf({ contacts, messages: [text] }), [person])
  const others = [{ wa_id: '15550200', user_id: 'US.2' }, ...contacts]
  t.match(itemsOf({ contacts: others, messages: [{ ...text, from: '15550100' }] }), [person], 'among other contacts')
  const status = { id: 'wamid.2', status: 'read', recipient_id: '15550100', recipient_user_id: 'US.1' }
  t.match(itemsOf({ statuses: [status] }), [person])
})

t.test('An unsupported message reaches the agent as a message that says so', async (t) => {
  const rows: readonly [object, RegExp][] = [
    [{ type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } }, /a reaction.*👍/],
    [{ type: 'contacts', contacts: [{ name: { formatted_name: 'Ada' }, phones: [{ phone: '+1555' }] }] }, /Ada \+1555/],
    [{ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response_json: '{"a":1}' } } }, /\{"a":1\}/],
    [
      {
        type: 'order',
        order: {
          catalog_id: '9',
          text: 'No onions',
          product_items: [{ product_retailer_id: 'soup', quantity: 2, item_price: 4.5, currency: 'USD' }],
        },
      },
      /an order .*: 2 × soup, No onions/,
    ],
    [{ type: 'unsupported', errors: [{ code: 131_051 }] }, /something that cannot be shown/],
  ]
  for (const [message, words] of rows) {
    const items = itemsOf({ messages: [{ from: '15550100', id: 'wamid.3', ...message }] })
    t.match(items, [{ id: 'wamid.3', inbound: { kind: 'content', content: { text: words } } }])
  }
})

/** As Meta's reference of the webhook field `user_preferences` shows it. */
const preference = (value: string, more: object = {}) => ({
  contacts: [{ profile: { name: 'Ada' }, wa_id: '15550100' }],
  user_preferences: [
    {
      wa_id: '15550100',
      detail: 'A sentence of the provider',
      category: 'marketing_messages',
      value,
      timestamp: 1_731_705_721,
      ...more,
    },
  ],
})

t.test('An opt-out of marketing messages reaches the agent as text, and opts the person out of nothing', async (t) => {
  for (const [value, words] of [
    ['stop', '[The person asked for no more marketing messages]'],
    ['resume', '[The person allowed marketing messages again]'],
  ] as const) {
    const items = itemsOf(preference(value), 'user_preferences')
    const inbound = { kind: 'content', content: { text: words } }
    t.same(items, [{ id: `15550100:1731705721:${value}`, address: '15550100', inbound }])
    t.same(itemsOf(preference(value, { timestamp: '1731705721' }), 'user_preferences'), items, 'however it is written')
  }
})

t.test('A preference of an unknown kind, or without a person, is refused', async (t) => {
  for (const value of [
    preference('pause'),
    preference('stop', { category: 'weather_reports' }),
    preference('stop', { timestamp: undefined }),
    { contacts: [], user_preferences: [{ category: 'marketing_messages', value: 'stop', timestamp: 1 }] },
    { user_preferences: [7] },
    {},
  ])
    t.match(itemsOf(value, 'user_preferences'), [{ problem: String }])
})
