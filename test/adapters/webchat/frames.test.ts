/** The adapter of web chat: what pages are shown of any message, and what is made of whatever pages send. */
import fc from 'fast-check'
import t from 'tap'
import { Value } from 'typebox/value'
import { checkAdapter } from '../../../adapters/kit/suite/check.js'
import { corpusFor } from '../../../adapters/kit/suite/corpus.js'
import { webchatAdapter } from '../../../adapters/webchat/adapter.js'
import { decodeFrame } from '../../../adapters/webchat/decoder.js'
import { encodeFrame } from '../../../adapters/webchat/encoder.js'
import { type Block, clientFrames, type MessageFrame, serverFrames } from '../../../adapters/webchat/frames.js'
import { type ContentMessage, tapsOf } from '../../../core/amf/index.js'
import { parsePostback } from '../../../core/channel/postback.js'
import type { ServerEvent } from '../../../core/channel/socketcodec.js'
import { webchat as limits } from '../../../core/limits/index.js'
import { render } from '../../../core/render/index.js'
import { contentMessage } from '../../core/amf/arbitrary.js'

const { traits } = webchatAdapter.descriptor
const reader = { locale: 'en-US', zone: 'Europe/Vienna' }
const about = { address: 'vis_1', messageId: 'msg_1' }

function messageFrame(message: ContentMessage): MessageFrame {
  const [payload, ...more] = webchatAdapter.render(render(message, traits, reader).blocks, about)
  if (more.length > 0) throw new Error('a message is one frame')
  return JSON.parse(encodeFrame({ kind: 'message', cursor: 1, at: 0, state: 'sent', payload, contacts: [] }))
}

function tapsIn(block: Block): string[] {
  const chips = 'chips' in block ? (block.chips ?? []) : []
  const cards = block.kind === 'card' ? [block.card] : block.kind === 'carousel' ? block.cards : []
  const rows = block.kind === 'list' ? block.rows : block.kind === 'times' ? block.slots : []
  const tappable = [...cards.flatMap((card) => card.chips ?? []), ...rows, ...chips]
  return tappable.flatMap(({ tap }) => (tap === undefined ? [] : [tap]))
}

const applying =
  /header that is read|traits are|credential form|Sample credentials|bounded list|same blocks|should read|Typing is shown|never rejects/

t.test('The adapter passes every sentence of the suite that does not concern a provider', async (t) => {
  const samples = { auth: {}, address: about.address, sign: () => ({}), calls: [], answers: [] }
  const findings = await checkAdapter(webchatAdapter, samples, { only: applying })
  t.equal(findings.length, 9)
  for (const { name, ok, problems } of findings) t.ok(ok, `${name} ${problems.join()}`)
})

t.test('Every message is one frame of the contract, whose taps all return unchanged', async (t) => {
  for (const [name, message] of Object.entries(corpusFor('webchat'))) {
    t.ok(Value.Check(serverFrames.message, messageFrame(message)), name)
  }
  fc.assert(
    fc.property(contentMessage, (message) => {
      const frame = messageFrame(message)
      if (!Value.Check(serverFrames.message, frame)) return false
      const expectedTaps = new Set(render(message, traits, reader).blocks.flatMap((block) => tapIndexesIn(block)))
      const taps = frame.blocks.flatMap(tapsIn)
      const tapIndexes = taps.map((tap) => {
        const read = decodeFrame(JSON.stringify({ v: 1, type: 'tap', id: 'x', tap }))
        return read.kind === 'said' && read.inbound.kind === 'tap' ? read.inbound.tapIndex : -1
      })
      return tapIndexes.every((place) => expectedTaps.has(place)) && new Set(tapIndexes).size === expectedTaps.size
    }),
    { numRuns: 200 },
  )
})

/** Places of everything that can be tapped, read off the rendering without looking at its build. */
function tapIndexesIn(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(tapIndexesIn)
  if (typeof value !== 'object' || value === null) return []
  if ((value as { kind?: unknown }).kind === 'native') return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'tap' && typeof inner === 'number' ? [inner] : tapIndexesIn(inner),
  )
}

t.test('A choice of many is a list, whose taps are in the order of the message', async (t) => {
  const options = Array.from({ length: 8 }, (_, n) => ({ id: `o${n}`, label: `Option ${n}` }))
  const message: ContentMessage = {
    spec: 'amf/1',
    parts: [{ type: 'ask.choice', intentId: 'pick', prompt: 'Which?', options }],
  }
  const [list] = messageFrame(message).blocks
  t.equal(list?.kind, 'list')
  t.same(
    tapsIn(list!).map((tap) => parsePostback(tap)),
    tapsOf(message).map((_, place) => ({ messageId: 'msg_1', tapIndex: place })),
  )
})

const serverEvents: readonly ServerEvent[] = [
  { kind: 'welcome', address: 'vis_1', cursor: 3, more: true },
  { kind: 'said', cursor: 1, at: 0, id: 'x', content: { text: 'Hi', place: { address: 'Here' } } },
  { kind: 'said', cursor: 1, at: 0, id: 'x', content: { media: [{ url: 'https://a.example/b', name: 'b' }] } },
  {
    kind: 'older',
    from: 1,
    entries: [{ kind: 'said', cursor: 1, at: 0, id: 'x', content: { text: 'Hi' } }],
    more: true,
  },
  { kind: 'caughtUp', cursor: 3 },
  { kind: 'ping', cursor: 3 },
  { kind: 'accepted', id: 'x' },
  { kind: 'typing' },
  { kind: 'seen', at: 0 },
  { kind: 'error', code: 'invalidFrame', message: 'must not be empty', field: 'text', id: 'x' },
  { kind: 'error', code: 'rateLimited', message: 'Slower.', retryAfterMs: 1000 },
]

t.test('Every other notice is a frame of the contract, too', async (t) => {
  for (const event of serverEvents) {
    const frame = JSON.parse(encodeFrame(event))
    t.equal(frame.type, event.kind)
    t.ok(Value.Check(serverFrames[event.kind], frame), JSON.stringify(frame))
  }
  const eventTypes = new Set([...serverEvents.map(({ kind }) => kind), 'message'])
  t.same(
    Object.keys(serverFrames).filter((type) => !eventTypes.has(type as ServerEvent['kind'])),
    [],
    'all of them were tried',
  )
})

const frame = (type: string, members: object = {}) => JSON.stringify({ v: 1, type, ...members })
const place = { latitude: 48.2, longitude: 16.3 }
const media = [{ url: 'https://a.example/b.jpg', type: 'image/jpeg' }]

t.test('Each frame of a page is read as the contract defines it', async (t) => {
  const inboundFrame = (inbound: object) => ({ kind: 'said', id: 'x', inbound })
  const meanings: [string, object][] = [
    [frame('text', { id: 'x', text: ' Hi\n' }), inboundFrame({ kind: 'content', content: { text: ' Hi\n' } })],
    [frame('tap', { id: 'x', tap: 'p1.msg_1.3' }), inboundFrame({ kind: 'tap', messageId: 'msg_1', tapIndex: 3 })],
    [
      frame('tap', { id: 'x', tap: 'p1.msg_1.0', label: 'Yes' }),
      inboundFrame({ kind: 'tap', messageId: 'msg_1', tapIndex: 0, label: 'Yes' }),
    ],
    [frame('location', { id: 'x', place }), inboundFrame({ kind: 'content', content: { place } })],
    [
      frame('media', { id: 'x', media, text: 'This' }),
      inboundFrame({ kind: 'content', content: { media, text: 'This' } }),
    ],
    [frame('typing'), { kind: 'typing' }],
    [frame('older', { before: 41 }), { kind: 'older', before: 41 }],
    [frame('delivered', { messageIds: ['a', 'b', 'a'] }), { kind: 'mark', state: 'delivered', messageIds: ['a', 'b'] }],
    [frame('read', { messageIds: ['a'] }), { kind: 'mark', state: 'read', messageIds: ['a'] }],
  ]
  for (const [text, meaning] of meanings) t.strictSame(decodeFrame(text), meaning, text)
})

t.test('An invalid frame is reported with its field, and with its id if it has one', async (t) => {
  const invalidFrames: [string, { field: string; id?: string }][] = [
    ['', { field: '' }],
    ['[]', { field: '' }],
    ['null', { field: '' }],
    ['{"v":1', { field: '' }],
    [frame('shout', { id: 'x' }), { field: 'type', id: 'x' }],
    ['{"type":"text","id":"x","text":"Hi"}', { field: 'v', id: 'x' }],
    ['{"v":2,"type":"text","id":"x","text":"Hi"}', { field: 'v', id: 'x' }],
    [frame('text', { text: 'Hi' }), { field: 'id' }],
    [frame('text', { id: 'a b', text: 'Hi' }), { field: 'id' }],
    [frame('text', { id: 'x', text: '' }), { field: 'text', id: 'x' }],
    [frame('text', { id: 'x', text: 'a\0b' }), { field: 'text', id: 'x' }],
    [frame('text', { id: 'x', text: 'a'.repeat(limits.textChars + 1) }), { field: 'text', id: 'x' }],
    [frame('text', { id: 'x', text: 'Hi', html: '<b>' }), { field: 'html', id: 'x' }],
    [frame('tap', { id: 'x', tap: '3' }), { field: 'tap', id: 'x' }],
    [frame('location', { id: 'x', place: {} }), { field: 'place', id: 'x' }],
    [frame('location', { id: 'x', place: { latitude: 1 } }), { field: 'place', id: 'x' }],
    [frame('location', { id: 'x', place: { latitude: 91, longitude: 0 } }), { field: 'place.latitude', id: 'x' }],
    [frame('media', { id: 'x', media: [{ url: 'javascript:alert(1)' }] }), { field: 'media[0].url', id: 'x' }],
    [frame('media', { id: 'x', media: [] }), { field: 'media', id: 'x' }],
    [frame('read', { messageIds: [] }), { field: 'messageIds' }],
    [frame('read', { messageIds: ['a:b'] }), { field: 'messageIds[0]' }],
  ]
  for (const [text, { field, id }] of invalidFrames) {
    const read = decodeFrame(text)
    t.match(read, { kind: 'invalid', field }, text.slice(0, 80))
    t.equal((read as { id?: string }).id, id, text.slice(0, 80))
  }
})

t.test('No frame of a page makes the reader throw, and every accepted frame fits the contract', async () => {
  const member = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string()), fc.object())
  const loose = fc.record(
    {
      v: fc.oneof(fc.constant(1), member),
      type: fc.oneof(fc.constantFrom(...Object.keys(clientFrames)), member),
      id: fc.oneof(fc.constant('x'), member),
      text: fc.oneof(fc.string(), member),
      place: fc.oneof(fc.constant(place), member),
      media: fc.oneof(fc.constant(media), member),
      messageIds: fc.oneof(fc.constant(['a']), member),
      tap: fc.oneof(fc.constant('p1.msg_1.0'), member),
    },
    { requiredKeys: [] },
  )
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    loose.map((value) => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(text, (given) => {
      const read = decodeFrame(given)
      if (read.kind === 'invalid') return true
      const value = JSON.parse(given)
      return Value.Check(clientFrames[value.type as keyof typeof clientFrames], value)
    }),
    { numRuns: 1_000 },
  )
})
