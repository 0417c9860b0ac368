/** How messages go to Apple. */
import t from 'tap'
import { uuidFrom } from '../../../../adapters/kit/http.js'
import { appleAdapter } from '../../../../adapters/vendor/apple/adapter.js'
import { createTestProvider, noon } from '../../messenger/provider.js'
import { appleAuth, person } from './samples.js'

const [hello] = appleAdapter.render([{ kind: 'text', text: 'Hi' }], { address: person, messageId: 'msg_1' })

t.test('A message is sent from the business to the person under a stable id', async (t) => {
  const { sendContext, requests } = createTestProvider(appleAuth, person, { status: 200 })
  const id = uuidFrom('msg_1.0')
  t.same(await appleAdapter.send(hello!, sendContext), { kind: 'sent', providerId: id })
  t.same(await appleAdapter.send(hello!, sendContext), { kind: 'sent', providerId: id }, 'each time it is tried')
  const [request] = requests
  t.equal(request?.url, 'https://mspgw.push.apple.com/v1/message')
  t.match(request?.headers, {
    id,
    'source-id': appleAuth.businessId,
    'destination-id': person,
    'auto-reply': 'true',
    authorization: /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/,
  })
  t.same(JSON.parse(String(request?.body)), {
    type: 'text',
    body: 'Hi',
    v: 1,
    id,
    sourceId: appleAuth.businessId,
    destinationId: person,
  })
})

t.test('The token is created when the message is sent', async (t) => {
  const { sendContext, requests } = createTestProvider(appleAuth, person, { status: 200 })
  await appleAdapter.send(hello!, sendContext)
  const [, claims = ''] = String(requests[0]?.headers?.authorization).split('.')
  t.match(JSON.parse(Buffer.from(claims, 'base64url').toString()), { iat: noon / 1_000, iss: appleAuth.mspId })
})

t.test('A native payload does not set the sender', async (t) => {
  const payload = { type: 'text', body: 'Hi', sourceId: 'another-business', id: 'another-id' }
  const [rendered] = appleAdapter.render([{ kind: 'native', payload }], { address: person, messageId: 'msg_1' })
  const { sendContext, requests } = createTestProvider(appleAuth, person, { status: 200 })
  await appleAdapter.send(rendered!, sendContext)
  t.match(JSON.parse(String(requests[0]?.body)), { sourceId: appleAuth.businessId, id: uuidFrom('msg_1.0') })
})

t.test('Without a response the message may have been accepted, so it is retried under the same id', async (t) => {
  const { sendContext } = createTestProvider(appleAuth, person, 'silence')
  t.match(await appleAdapter.send(hello!, sendContext), { kind: 'refused', retry: 'later' })
})
