/** People of WhatsApp with and without a number, and what they do that has no place in a conversation. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { whatsappAdapter } from '../../../../adapters/messenger/whatsapp/adapter.js'
import { whatsappAuth } from '../samples.js'

function itemsOf(value: object) {
  const metadata = { phone_number_id: whatsappAuth.phoneNumberId }
  const entry = [{ id: 'WABA', changes: [{ field: 'messages', value: { metadata, ...value } }] }]
  const body = Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry }))
  const signature = `sha256=${createHmac('sha256', whatsappAuth.appSecret).update(body).digest('hex')}`
  const url = 'https://gateway.example/v4/ingress/cb_1'
  const request = { bindingId: 'cb_1', method: 'POST', url, header: () => signature, body, at: 0 } as const
  const received = whatsappAdapter.receive(request, whatsappAuth)
  return received.kind === 'items' ? received.items : received
}

const text = { id: 'wamid.1', type: 'text', text: { body: 'Hi' } }

t.test('A person with a username is known by the id of the business', async (t) => {
  t.match(itemsOf({ contacts: [{ user_id: 'US.13491208655302741918' }], messages: [text] }), [
    { id: 'wamid.1', address: 'US.13491208655302741918', inbound: { content: { text: 'Hi' } } },
  ])
  t.match(itemsOf({ statuses: [{ id: 'wamid.2', status: 'delivered', recipient_user_id: 'US.1' }] }), [
    { address: 'US.1', inbound: { receipt: { providerId: 'wamid.2', state: 'delivered' } } },
  ])
})

t.test('A person whose number comes with the id is known by the number, as before', async (t) => {
  const contacts = [{ wa_id: '15550100', user_id: 'US.1' }]
  t.match(itemsOf({ contacts, messages: [{ ...text, from: '15550100' }] }), [{ address: '15550100' }])
  t.match(itemsOf({ contacts, messages: [text] }), [{ address: '15550100' }])
  const status = { id: 'wamid.2', status: 'read', recipient_id: '15550100', recipient_user_id: 'US.1' }
  t.match(itemsOf({ statuses: [status] }), [{ address: '15550100' }])
})

t.test('What has no place in a conversation reaches the agent as a message that says so', async (t) => {
  const rows: readonly [object, RegExp][] = [
    [{ type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } }, /a reaction.*👍/],
    [{ type: 'contacts', contacts: [{ name: { formatted_name: 'Ada' }, phones: [{ phone: '+1555' }] }] }, /Ada \+1555/],
    [{ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response_json: '{"a":1}' } } }, /\{"a":1\}/],
    [{ type: 'unsupported', errors: [{ code: 131_051 }] }, /something that cannot be shown/],
  ]
  for (const [message, words] of rows) {
    const items = itemsOf({ messages: [{ from: '15550100', id: 'wamid.3', ...message }] })
    t.match(items, [{ id: 'wamid.3', inbound: { kind: 'content', content: { text: words } } }])
  }
})
