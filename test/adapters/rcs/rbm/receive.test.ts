/** What RCS Business Messaging sends in: who is believed, what each event becomes, and that nothing makes it fail. */
import fc from 'fast-check'
import t from 'tap'
import { rbmAdapter } from '../../../../adapters/rcs/rbm/adapter.js'
import type { IngressRequest, IngressResult } from '../../../../core/channel/adapter.js'
import { address, auth, enveloped, events, signatureFor } from './samples.js'

function receive(body: Uint8Array | string, headers?: Readonly<Record<string, string>>): IngressResult {
  const given = headers ?? signatureFor(body, auth.clientToken)
  const request: IngressRequest = {
    bindingId: 'cb_1',
    method: 'POST',
    url: 'https://gateway.example/v4/ingress/cb_1',
    header: (name) => given[name.toLowerCase()] ?? '',
    body: Buffer.from(body),
    at: Date.UTC(2026, 10, 20),
  }
  return rbmAdapter.receive(request, auth)
}

const itemsOf = (event: unknown) => {
  const received = receive(enveloped(event))
  return received.kind === 'items' ? received.items : received
}

t.test('A webhook validation with the client token gets the secret back', async (t) => {
  const greeting = (clientToken: unknown, secret: unknown = 'a secret') =>
    receive(JSON.stringify({ clientToken, secret }), {})
  t.same(greeting(auth.clientToken), { kind: 'answer', status: 200, type: 'text/plain', body: 'a secret' })
  for (const wrong of ['', 'another', `${auth.clientToken} `, 12, null, { length: 3 }]) {
    t.same(greeting(wrong), { kind: 'refused' }, `clientToken ${JSON.stringify(wrong)}`)
  }
  t.same(greeting(auth.clientToken, 7), { kind: 'refused' }, 'a secret that is no text')
})

t.test('Every event of the platform becomes the matching item', async (t) => {
  for (const [name, { event, items }] of Object.entries(events)) t.same(itemsOf(event), items, name)
})

t.test('A repeated event has the same id, and each state of a message has its own id', async (t) => {
  const ids = Object.values(events).flatMap(({ event }) => {
    const items = itemsOf(event)
    return Array.isArray(items) ? items.map((item) => ('id' in item ? item.id : '')) : []
  })
  t.equal(new Set(ids).size, ids.length)
})

t.test('A tap on an action that only opens something produces no item', async (t) => {
  const tapped = (suggestionResponse: object) =>
    itemsOf({ senderPhoneNumber: address, messageId: 'MxB1', suggestionResponse })
  t.same(tapped({ postbackData: 'untold', text: 'View on map', type: 'ACTION' }), [])
  t.same(tapped({ postbackData: Buffer.from('untold').toString('base64'), text: 'View on map' }), [])
  t.same(tapped({ postbackData: 'theirs', text: 'Open', type: 'ACTION' }), [], 'an action of a payload of the caller')
})

t.test('A place on the equator or on the meridian is a place', async (t) => {
  const at = (location: object) => itemsOf({ senderPhoneNumber: address, messageId: 'MxB2', location })
  t.match(at({ longitude: 12.5 }), [{ inbound: { content: { place: { latitude: 0, longitude: 12.5 } } } }])
  t.match(at({ latitude: -3, longitude: 0 }), [{ inbound: { content: { place: { latitude: -3, longitude: 0 } } } }])
  t.match(at({}), [{ inbound: { content: { place: { latitude: 0, longitude: 0 } } } }], 'zeros are left out')
  for (const wrong of [
    { latitude: 91, longitude: 0 },
    { latitude: '4', longitude: 5 },
    { latitude: 1, longitude: 181 },
  ]) {
    t.match(at(wrong), [{ inbound: { content: { text: /cannot be shown/ } } }], JSON.stringify(wrong))
  }
})

t.test(
  'An unreadable action of a person is a message that says so, and other unreadable events are problems',
  async (t) => {
    const odd: unknown[] = [
      { text: 'from nobody' },
      { senderPhoneNumber: address },
      { senderPhoneNumber: address, text: 'no id' },
      { senderPhoneNumber: address, messageId: 'MxC1', text: '' },
      { senderPhoneNumber: address, messageId: 'MxC2', userFile: { payload: {} } },
      { senderPhoneNumber: address, eventType: 'DELIVERED', eventId: 'e' },
      { senderPhoneNumber: address, eventType: 'IS_TYPING' },
      { senderPhoneNumber: address, eventType: { toString: 1 }, eventId: 'e' },
      { senderPhoneNumber: address, messageId: 'MxC3', suggestionResponse: { type: { toString: 1 } } },
    ]
    for (const event of odd) {
      const isNamed = JSON.stringify(event).includes('"MxC')
      const expected = isNamed ? { inbound: { content: { text: /cannot be shown/ } } } : { problem: String }
      t.match(itemsOf(event), [expected], JSON.stringify(event))
    }
    const late = { phoneNumber: address, messageId: 'm', eventType: 'TTL_EXPIRATION_REVOKE_FAILED', eventId: 'e' }
    t.same(itemsOf(late), [], 'it may still arrive, and then a receipt says so')
  },
)

t.test('A call that the platform did not sign is refused', async (t) => {
  const body = enveloped(events.text!.event)
  t.equal(receive(body).kind, 'items')
  t.equal(receive(body, {}).kind, 'refused', 'no signature')
  t.equal(receive(body, signatureFor(body, 'another token')).kind, 'refused', 'signed with another key')
  t.equal(receive(enveloped(events.read!.event), signatureFor(body, auth.clientToken)).kind, 'refused', 'another event')
  t.equal(
    rbmAdapter.receive(
      { bindingId: 'b', method: 'GET', url: '', header: () => '', body: Buffer.from(body), at: 0 },
      auth,
    ).kind,
    'refused',
    'the platform does not ask',
  )
})

t.test('Additional fields of the envelope are ignored', async (t) => {
  const { message } = JSON.parse(enveloped(events.text!.event))
  const body = JSON.stringify({
    message: { ...message, attributes: { message_type: 'TEXT' }, messageId: '1', publishTime: 'now' },
    subscription: 'projects/x',
  })
  t.same(receive(body), { kind: 'items', items: events.text!.items })
})

t.test('A call with one altered byte in body or signature is refused', async () => {
  const bodies = Object.values(events).map(({ event }) => enveloped(event))
  fc.assert(
    fc.property(fc.constantFrom(...bodies), fc.nat(), fc.integer({ min: 1, max: 255 }), (text, at, change) => {
      const body = Buffer.from(text)
      const headers = signatureFor(body, auth.clientToken)
      const changed = Buffer.from(body)
      changed[at % body.length]! ^= change
      if (receive(changed, headers).kind !== 'refused') throw new Error(`accepted: ${changed}`)
      const signature = Buffer.from(headers['x-goog-signature']!, 'latin1')
      signature[at % signature.length]! ^= change
      if (receive(body, { 'x-goog-signature': signature.toString('latin1') }).kind !== 'refused')
        throw new Error(`accepted: ${signature}`)
    }),
    { numRuns: 1_000 },
  )
})

t.test('No body, signed or not, makes the adapter throw', async () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc.json().map((text) => Buffer.from(JSON.stringify({ message: { data: Buffer.from(text).toString('base64') } }))),
    fc.record({ message: fc.record({ data: fc.anything() }) }).map((each) => Buffer.from(JSON.stringify(each) ?? '')),
    mutated.map((event) => Buffer.from(enveloped(event))),
  )
  fc.assert(
    fc.property(anything, (body) => {
      receive(body)
      receive(body, {})
    }),
    { numRuns: 1_000 },
  )
})

/** Events of the platform in which one member is something else. */
const mutated = fc
  .tuple(
    fc.constantFrom(...Object.values(events).map(({ event }) => event as Readonly<Record<string, unknown>>)),
    fc.nat(),
    fc.jsonValue(),
  )
  .map(([event, at, value]) => {
    const names = Object.keys(event)
    return { ...event, [names[at % names.length]!]: value }
  })
