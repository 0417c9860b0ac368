/** How the graph API makes itself known: a greeting with our own word, and a signature over the raw body. */
import fc from 'fast-check'
import t from 'tap'
import { instagramAdapter } from '../../../adapters/messenger/instagram/adapter.js'
import { messengerAdapter } from '../../../adapters/messenger/messenger/adapter.js'
import { whatsappAdapter } from '../../../adapters/messenger/whatsapp/adapter.js'
import type { Adapter, IngressRequest } from '../../../core/channel/adapter.js'
import { noon } from './provider.js'
import { changed, event, hubSign, message, pageAuth, whatsappAuth } from './samples.js'

const url = 'https://gateway.example/v4/ingress/cb_1'

function request(body: string | Uint8Array, signature?: string): IngressRequest {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const signed =
    signature ?? hubSign({ method: 'POST', url, body: bytes, at: noon }, whatsappAuth)['X-Hub-Signature-256']
  const header = (name: string) => (name === 'x-hub-signature-256' ? signed : '')
  return { bindingId: 'cb_1', method: 'POST', url, header, body: bytes, at: noon }
}

function verificationRequest(query: string): IngressRequest {
  const whole = `${url}?${query}`
  return { bindingId: 'cb_1', method: 'GET', url: whole, header: () => '', body: new Uint8Array(), at: noon }
}

t.test('A signature that was computed elsewhere is valid', async (t) => {
  const body = '{"object":"whatsapp_business_account","entry":[]}'
  const auth = { ...whatsappAuth, appSecret: 'app_secret' }
  const vector = 'sha256=c236c758c9b2bd40b388a550eeca09eaca72384dd0aa5e7c31d19cddac5bba46'
  t.same(whatsappAdapter.receive(request(body, vector), auth), { kind: 'items', items: [] })
  t.same(whatsappAdapter.receive(request(`${body} `, vector), auth), { kind: 'refused' })
})

t.test('A signature that is wrong, missing or malformed is refused', async (t) => {
  const body = JSON.stringify(changed({ messages: [message('A1', { type: 'text', text: { body: 'Hi' } })] }))
  const good = request(body).header('x-hub-signature-256')
  const bad = [
    '',
    'sha256=',
    good.slice(7),
    good.toUpperCase(),
    `${good}0`,
    good.slice(0, -1),
    good.replace('256', '1'),
  ]
  for (const signature of bad) {
    t.same(whatsappAdapter.receive(request(body, signature), whatsappAuth), { kind: 'refused' }, signature)
  }
})

t.test('A handshake is echoed only with our verify token, and only plain text', async (t) => {
  const verifySubscription = (token: string, challenge: string, mode = 'subscribe') =>
    whatsappAdapter.receive(
      verificationRequest(`hub.mode=${mode}&hub.verify_token=${token}&hub.challenge=${encodeURIComponent(challenge)}`),
      whatsappAuth,
    )
  t.same(verifySubscription('a-word-of-our-own', '42'), { kind: 'answer', status: 200, type: 'text/plain', body: '42' })
  t.same(verifySubscription('a-word-of-our-ow', '42'), { kind: 'refused' })
  t.same(verifySubscription('', '42'), { kind: 'refused' })
  t.same(verifySubscription('a-word-of-our-own', '42', 'unsubscribe'), { kind: 'refused' })
  t.same(verifySubscription('a-word-of-our-own', '<script>'), { kind: 'refused' })
  t.same(whatsappAdapter.receive(verificationRequest(''), whatsappAuth), { kind: 'refused' })
})

/** JSON of the kind that these providers send, in which anything may be anything. */
const names = [
  'entry',
  'changes',
  'value',
  'field',
  'messages',
  'statuses',
  'messaging',
  'message',
  'id',
  'from',
  'type',
]
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('messages', 'text', 'interactive', 'image', '__proto__', 'constructor', pageAuth.pageId, ''),
    fc.jsonValue(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, 'text', 'mid', 'sender', 'read', 'postback', '__proto__'), tie('value')),
  ),
})).value

const adapters: readonly (readonly [string, Adapter<never>])[] = [
  ['whatsapp', whatsappAdapter as Adapter<never>],
  ['messenger', messengerAdapter as Adapter<never>],
  ['instagram', instagramAdapter as Adapter<never>],
]

for (const [name, adapter] of adapters) {
  const auth = { ...whatsappAuth, ...pageAuth } as never

  t.test(`A signed call of any content never makes ${name} throw`, async (t) => {
    const isUnharmed = (body: string | Uint8Array) =>
      ['items', 'unreadable'].includes(adapter.receive(request(body), auth).kind)
    const nested = fc.array(anything).map((entry) => JSON.stringify({ entry }))
    const inner = anything.map((each) =>
      JSON.stringify({
        entry: [{ id: pageAuth.pageId, changes: [{ field: 'messages', value: each }], messaging: [each] }],
      }),
    )
    const bodies = fc.oneof(fc.uint8Array(), fc.json(), nested, inner)
    fc.assert(fc.property(bodies, isUnharmed), { numRuns: 500 })
    t.pass('for every body')
  })

  t.test(`A call of ${name} with one altered bit is refused`, async (t) => {
    const body = Buffer.from(JSON.stringify({ entry: [{ id: pageAuth.pageId, messaging: [event({})] }] }))
    const good = request(body).header('x-hub-signature-256')
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.nat(7), (at, bit) => {
        const altered = Buffer.from(body)
        altered[at] = altered[at]! ^ (1 << bit)
        return adapter.receive(request(altered, good), auth).kind === 'refused'
      }),
    )
    t.equal(adapter.receive(request(body, good), auth).kind, 'items', 'and the unaltered call is accepted')
  })
}
