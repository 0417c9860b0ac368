/** The visitors of the web chat scenario: they read sockets as browsers do, and keep within every limit of a node. */
import fc from 'fast-check'
import t from 'tap'
import { addressOf, rateOf, sequenceOf, textOf, visitorsPerAddress } from '../../bench/scenarios/webchat/fixtures.js'
import { createFrameReader, textBytes, upgradeRequest } from '../../bench/scenarios/webchat/websocketframes.js'
import { budgets, webchat as limits } from '../../core/limits/index.js'

/** A frame as servers write it: without a mask. */
function serverFrame(kind: number, payload: Buffer): Buffer {
  const head = Buffer.from([0x80 | kind, payload.length < 126 ? payload.length : 126])
  const long = Buffer.alloc(payload.length < 126 ? 0 : 2)
  if (long.length > 0) long.writeUInt16BE(payload.length)
  return Buffer.concat([head, long, payload])
}

t.test('Frames are read in order, however the bytes are split', async (t) => {
  const anyFrame = fc.oneof(
    fc.record({ kind: fc.constant(0x1), text: fc.string({ unit: 'grapheme', maxLength: 400 }) }),
    fc.record({ kind: fc.constant(0x9), text: fc.string({ maxLength: 20 }) }),
  )
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 12 }), fc.array(fc.nat(40), { minLength: 1 }), (frames, cuts) => {
      const head = Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n')
      const bytes = Buffer.concat([head, ...frames.map(({ kind, text }) => serverFrame(kind, Buffer.from(text)))])
      const received: string[] = []
      const read = createFrameReader({
        opened: () => received.push('opened'),
        text: (text) => received.push(`text ${text}`),
        ping: (payload) => received.push(`ping ${Buffer.from(payload)}`),
        closed: () => received.push('closed'),
      })
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const end = at + 1 + cuts[turn % cuts.length]!
        read(bytes.subarray(at, end))
        at = end
      }
      t.same(received, ['opened', ...frames.map(({ kind, text }) => `${kind === 0x1 ? 'text' : 'ping'} ${text}`)])
    }),
  )
})

t.test('A refused or ended socket reports it, and frames of the client are masked', async (t) => {
  const codes: number[] = []
  const ends = { opened: () => {}, text: () => {}, ping: () => {}, closed: (code: number) => void codes.push(code) }
  t.throws(() => createFrameReader(ends)(Buffer.from('HTTP/1.1 429 Too Many Requests\r\n\r\n')), { message: /429/ })
  const read = createFrameReader(ends)
  read(Buffer.from('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  read(serverFrame(0x8, Buffer.from([0x11, 0x31])))
  t.same(codes, [4401])
  const frame = textBytes('x'.repeat(200))
  t.same([...frame.subarray(0, 4)], [0x81, 0x80 | 126, 0, 200])
  t.equal(frame.length, 4 + 4 + 200)
  t.match(
    upgradeRequest('127.0.0.1:1', '/chat'),
    /^GET \/chat HTTP\/1\.1\r\n[\s\S]+Sec-WebSocket-Version: 13\r\n[\s\S]+\r\n\r\n$/,
  )
})

t.test('Ten thousand visitors come from enough addresses to keep every limit per address', async (t) => {
  const perAddress = new Map<string, number>()
  for (let visitor = 0; visitor < 10_000; visitor++) {
    const address = addressOf(visitor)
    if (visitor % 1_000 === 0) t.match(address, /^127\.0\.\d{1,3}\.\d{1,3}$/)
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1)
  }
  t.ok([...perAddress.values()].every((count) => count === visitorsPerAddress))
  t.ok(visitorsPerAddress <= limits.socketsPerAddress && visitorsPerAddress <= budgets.webchatVisitors.burstCalls)
  for (const visitors of [8, 300, 10_000]) {
    const each = rateOf(visitors) / visitors
    t.ok(each <= budgets.webchatMessages.refillPerSecond)
    t.ok(each * visitorsPerAddress <= budgets.webchatAddress.refillPerSecond)
  }
  t.equal(rateOf(10_000), 1_000)
  t.equal(sequenceOf(textOf(123_456)), 123_456)
})
