/** What Apple tells. */
import fc from 'fast-check'
import t from 'tap'
import { appleAdapter } from '../../../../adapters/vendor/apple/adapter.js'
import type { IngressRequest } from '../../../../core/channel/adapter.js'
import { adapter as limits } from '../../../../core/limits/index.js'
import { noon } from '../../messenger/provider.js'
import { appleAuth, attachment, bearer, fileRef, interactiveReply, messageBody, person } from './samples.js'

function request(body: unknown, authorization = bearer({ aud: appleAuth.mspId, iat: noon / 1_000 })): IngressRequest {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const header = (name: string) => (name === 'authorization' ? authorization : '')
  return {
    bindingId: 'cb_1',
    method: 'POST',
    url: 'https://gateway.example/v4/ingress/cb_1',
    header,
    body: bytes,
    at: noon,
  }
}

t.test('A person who left and writes again opts in, and this is reported before their message', async (t) => {
  const received = appleAdapter.receive(request(messageBody('a1', { type: 'text', body: 'Me again' })), appleAuth)
  t.same(received, {
    kind: 'items',
    items: [
      { id: 'a1:back', address: person, inbound: { kind: 'system', system: 'optIn' } },
      { id: 'a1', address: person, inbound: { kind: 'content', content: { text: 'Me again' } } },
    ],
  })
  const typing = appleAdapter.receive(request(messageBody('a2', { type: 'typing_start' })), appleAuth)
  t.match(typing, { items: [{ id: 'a2', inbound: { system: 'typing' } }] }, 'but not by typing')
})

t.test('A call without a valid token, and a GET, is not read', async (t) => {
  const body = messageBody('a1', { type: 'text', body: 'Hi' })
  t.same(appleAdapter.receive(request(body, ''), appleAuth), { kind: 'refused' })
  t.same(appleAdapter.receive({ ...request(body), method: 'GET' }, appleAuth), { kind: 'refused' })
})

t.test('The key of an attachment is only in the reference that opens it', async (t) => {
  const attachments = [{ ...attachment, name: 'a.jpg' }]
  const received = appleAdapter.receive(
    request(messageBody('a1', { type: 'text', body: '\ufffc', attachments })),
    appleAuth,
  )
  t.match(received, { items: [{}, { inbound: { content: { media: [{ mediaRef: fileRef }] } } }] })
  t.notMatch(JSON.stringify(received), attachment.key)
})

t.test('Of a message with more files than an item may hold, a note replaces the others', async (t) => {
  const receiveFiles = (count: number) => {
    const attachments = Array.from({ length: count }, () => attachment)
    const received = appleAdapter.receive(
      request(messageBody('a1', { type: 'text', body: '', attachments })),
      appleAuth,
    )
    const item = received.kind === 'items' ? received.items[1] : undefined
    return item && 'inbound' in item && item.inbound.kind === 'content' ? item.inbound.content : undefined
  }
  const all = receiveFiles(limits.mediaPerItem)
  t.equal(all?.media?.length, limits.mediaPerItem)
  t.equal(all?.text, undefined, 'a list at the limit is whole')
  const truncated = receiveFiles(limits.mediaPerItem + 1)
  t.equal(truncated?.media?.length, limits.mediaPerItem)
  t.equal(truncated?.text, '[The person sent a file that cannot be shown here]')
})

t.test('No signed call of Apple makes the adapter throw', async (t) => {
  const parts = fc.constantFrom(
    'quick-reply',
    'listPicker',
    'event',
    'timePicker',
    'sections',
    'items',
    'timeslots',
    '__proto__',
  )
  const data = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(parts, tie('value')),
    ),
  })).value
  const bodies = fc.oneof(
    fc.uint8Array(),
    fc.json(),
    data.map((each) => messageBody('a1', interactiveReply(each as object))),
    data.map((each) => messageBody('a1', { type: 'text', body: each, attachments: each })),
  )
  fc.assert(
    fc.property(bodies, (body) => appleAdapter.receive(request(body), appleAuth).kind !== 'refused'),
    { numRuns: 500 },
  )
  t.pass('for every body')
})
