/**
 * What a call costs that anybody may make: without something that looks like a signature its body is never looked at.
 */
import t from 'tap'
import { builtInAdapters } from '../../adapters/index.js'
import type { IngressRequest } from '../../core/channel/adapter.js'
import { ingressBounds } from '../../core/limits/index.js'
import { pageAuth, whatsappAuth } from './messenger/samples.js'
import { auth as rcs } from './rcs/rbm/samples.js'
import { auth as twilio } from './sms/twilio/samples.js'
import { appleAuth } from './vendor/apple/samples.js'
import { slackAuth } from './workchat/slack/samples.js'

const credentials: Readonly<Record<string, unknown>> = {
  twilio,
  apple: appleAuth,
  slack: slackAuth,
  whatsapp: whatsappAuth,
  messenger: pageAuth,
  instagram: pageAuth,
}

const at = Date.UTC(2026, 10, 20)
const url = 'https://gateway.example/v4/ingress/cb_1'

/** A reader of its body fails. */
function unreadable(header: (name: string) => string): IngressRequest {
  return {
    bindingId: 'cb_1',
    method: 'POST',
    url,
    header,
    at,
    get body(): Uint8Array {
      throw new Error('the body was read')
    },
  }
}

for (const adapter of builtInAdapters) {
  const { channel, provider } = adapter.descriptor
  if (adapter.connect || provider === 'rbm') continue
  t.test(`A call to ${channel}/${provider} without a signature is refused before its body is read`, async (t) => {
    const auth = credentials[provider]
    t.ok(auth, 'the test knows credentials')
    for (const given of ['', ' ', 'x', 'sha256=', 'v0=', 'Bearer x', 'x'.repeat(10_000)]) {
      const header = (name: string) => (name.includes('timestamp') ? String(at / 1_000) : given)
      t.same(adapter.receive(unreadable(header), auth), { kind: 'refused' }, given.slice(0, 20))
    }
  })
}

t.test('rcs/rbm accepts nothing but a handshake without a signature', async (t) => {
  const adapter = builtInAdapters.find(({ descriptor }) => descriptor.provider === 'rbm')!
  const receive = (body: string) =>
    adapter.receive({ bindingId: 'cb_1', method: 'POST', url, header: () => '', at, body: Buffer.from(body) }, rcs)
  const greeting = (bytes: number) =>
    JSON.stringify({ clientToken: rcs.clientToken, secret: 'a secret' }).padEnd(bytes, ' ')
  t.equal(receive(greeting(ingressBounds.rbmGreetingBytes)).kind, 'answer')
  t.equal(receive(greeting(ingressBounds.rbmGreetingBytes + 1)).kind, 'refused')
})
