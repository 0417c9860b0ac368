/** How messages go to the graph API, and what its answers mean. */
import t from 'tap'
import { messengerAdapter } from '../../../adapters/messenger/messenger/adapter.js'
import { whatsappAdapter } from '../../../adapters/messenger/whatsapp/adapter.js'
import { createTestProvider } from './provider.js'
import { graphError, pageAuth, person, psid, wamid, whatsappAuth } from './samples.js'

const context = { address: person, messageId: 'msg_1', lastInboundId: 'wamid.0' }
const [hello] = whatsappAdapter.render([{ kind: 'text', text: 'Hi' }], context)
const [greeting] = messengerAdapter.render([{ kind: 'text', text: 'Hi' }], { ...context, address: psid })

t.test('WhatsApp is called at the number of the binding, with its token in a header', async (t) => {
  const { sendContext, requests } = createTestProvider(whatsappAuth, person, {
    status: 200,
    body: { messages: [{ id: wamid('C1') }] },
  })
  t.same(await whatsappAdapter.send(hello!, sendContext), { kind: 'sent', providerId: wamid('C1') })
  const [request] = requests
  t.equal(request?.url, 'https://graph.facebook.com/v23.0/106540352242922/messages')
  t.equal(request?.headers?.authorization, `Bearer ${whatsappAuth.accessToken}`)
  t.same(JSON.parse(String(request?.body)), { ...hello!.body, biz_opaque_callback_data: 'msg_1.0' })
})

t.test('Messenger is called in the name of the page, and its token is in no URL', async (t) => {
  const { sendContext, requests } = createTestProvider(pageAuth, psid, {
    status: 200,
    body: { recipient_id: psid, message_id: 'm_1' },
  })
  t.same(await messengerAdapter.send(greeting!, sendContext), { kind: 'sent', providerId: 'm_1' })
  t.equal(requests[0]?.url, 'https://graph.facebook.com/v23.0/me/messages')
  t.equal(requests[0]?.headers?.authorization, `Bearer ${pageAuth.accessToken}`)
})

t.test('A configured API address replaces the usual one', async (t) => {
  const auth = { ...whatsappAuth, apiUrl: 'http://127.0.0.1:9000/graph/' }
  const { sendContext, requests } = createTestProvider(auth, person, { status: 500 })
  await whatsappAdapter.send(hello!, sendContext)
  t.equal(requests[0]?.url, 'http://127.0.0.1:9000/graph/v23.0/106540352242922/messages')
})

t.test('A signal gets no id from the provider, so it is reported under ours', async (t) => {
  const typing = whatsappAdapter.signal?.('typing', context)
  const onWhatsapp = createTestProvider(whatsappAuth, person, { status: 200, body: { success: true } })
  t.same(await whatsappAdapter.send(typing!, onWhatsapp.sendContext), { kind: 'sent', providerId: 'msg_1.0' })
  const action = messengerAdapter.signal?.('typing', { ...context, address: psid })
  const onMessenger = createTestProvider(pageAuth, psid, { status: 200, body: { recipient_id: psid } })
  t.same(await messengerAdapter.send(action!, onMessenger.sendContext), { kind: 'sent', providerId: 'msg_1.0' })
})

t.test('A response without a message id is not accepted as success', async (t) => {
  for (const body of ['', '{}', { messages: [] }, { messages: [{ id: 7 }] }, { messages: [{ id: 'two words' }] }]) {
    const { sendContext } = createTestProvider(whatsappAuth, person, { status: 200, body })
    t.match(await whatsappAdapter.send(hello!, sendContext), { kind: 'refused', retry: 'later' }, JSON.stringify(body))
  }
})

t.test('Without a response the outcome is unknown, since the message may have been accepted', async (t) => {
  const { sendContext } = createTestProvider(whatsappAuth, person, 'silence')
  t.match(await whatsappAdapter.send(hello!, sendContext), { kind: 'refused', retry: 'later', isUnknown: true })
})

t.test('The text of an error is not repeated, since it may contain the token', async (t) => {
  const { accessToken } = whatsappAuth
  const { sendContext } = createTestProvider(whatsappAuth, person, {
    status: 400,
    body: { error: { code: 190, message: `Malformed access token ${accessToken}`, error_subcode: accessToken } },
  })
  const outcome = await whatsappAdapter.send(hello!, sendContext)
  t.match(outcome, { needsOperator: true, retry: 'otherChannel' })
  t.notMatch(JSON.stringify(outcome), accessToken)
})

t.test('A subcode distinguishes a closed window or one person from a page that may not write at all', async (t) => {
  const outcome = (answer: ReturnType<typeof graphError>) =>
    messengerAdapter.send(greeting!, createTestProvider(pageAuth, psid, answer).sendContext)
  t.match(await outcome(graphError(400, 10, { error_subcode: 2_018_278 })), {
    reason: 'windowClosed',
    retry: 'otherChannel',
    needsOperator: undefined,
  })
  t.match(await outcome(graphError(400, 10, { error_subcode: 1 })), { reason: 'sendFailed', needsOperator: undefined })
  t.match(await outcome(graphError(403, 10)), { reason: 'sendFailed', needsOperator: true })
})

t.test('A status without a known code decides by itself', async (t) => {
  const outcome = (status: number) =>
    whatsappAdapter.send(hello!, createTestProvider(whatsappAuth, person, { status }).sendContext)
  t.match(await outcome(401), { retry: 'later', needsOperator: undefined })
  t.match(await outcome(403), { retry: 'otherChannel', needsOperator: undefined })
  t.match(await outcome(404), { reason: 'sendFailed', retry: 'otherChannel', needsOperator: undefined })
  t.match(await outcome(429), { reason: 'rateLimited', retry: 'later' })
  t.match(await outcome(503), { reason: 'sendFailed', retry: 'later' })
})
