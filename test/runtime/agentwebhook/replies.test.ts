/** Replies of agents as they are read off the wire: the same messages however they are cut, and bounded work. */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { agentWebhook } from '../../../core/limits/index.js'
import { type ReplyPart, readReply } from '../../../runtime/agentwebhook/replies.js'
import { type Clock, systemClock } from '../../../runtime/clock.js'

const settings = { now: Date.UTC(2026, 10, 20), zone: 'UTC', bodyTimeoutMs: 10_000, lineTimeoutMs: 10_000 }
const real: Pick<Clock, 'monotonic' | 'nextTick'> = systemClock
const line = (text: string) => JSON.stringify({ message: { spec: 'amf/1', parts: [{ type: 'text', text }] } })

async function read(type: string, pieces: Iterable<Uint8Array>, clock = real) {
  const parts: ReplyPart[] = []
  const body = Readable.from(pieces, { objectMode: true })
  for await (const piece of readReply(type, body, { ...settings, clock })) parts.push(piece)
  return parts
}

function cut(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const ends = [...new Set(offsets.map((offset) => offset % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
}

t.test('Lines are the same, however the input is split', async (t) => {
  const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(texts, fc.array(fc.nat(), { maxLength: 30 }), async (sourceTexts, offsets) => {
      const bytes = Buffer.from(sourceTexts.map((text) => `${line(text)}\n`).join(''))
      const expected = await read('application/x-ndjson', [bytes])
      const inPieces = await read('application/x-ndjson', cut(bytes, offsets))
      if (JSON.stringify(expected) !== JSON.stringify(inPieces)) throw new Error('another reading')
    }),
  )
  t.pass()
})

t.test('A line in one-byte pieces is scanned once', async (t) => {
  const bytes = Buffer.from(`${line('a'.repeat(1_500))}\n${line('b'.repeat(1_500))}`)
  let readCount = 0
  const pieces = Array.from(bytes, (_, at) => {
    const piece = bytes.subarray(at, at + 1)
    const indexOf = piece.indexOf.bind(piece)
    piece.indexOf = ((...sourceTexts: Parameters<typeof indexOf>) => {
      readCount += piece.length
      return indexOf(...sourceTexts)
    }) as typeof piece.indexOf
    return piece
  })
  const found = await read('application/x-ndjson', pieces)
  t.equal(found.length, 2)
  t.ok(found.every((piece) => 'message' in piece))
  t.ok(readCount <= bytes.length + found.length, `${readCount} bytes were looked at`)
})

t.test('A reply that is nested too deep or has too many values is not parsed', async (t) => {
  const depth = agentWebhook.replyBytes / 4
  const nested = Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`)
  t.match(await read('application/json', [nested]), [{ problem: /not JSON/ }])
  t.match(await read('application/x-ndjson', [nested]), [{ problem: /not JSON/ }])
  const wide = Buffer.from(`[${'0,'.repeat(400_000)}0]`)
  t.match(await read('application/json', [wide]), [{ problem: /not JSON/ }])
})

/** Says what it is given, and then nothing more. */
function stallingBody(...pieces: string[]): Readable {
  const body = new Readable({ read() {} })
  for (const piece of pieces) body.push(Buffer.from(piece))
  return body
}

t.test(
  'A JSON or AML reply that is incomplete in time is cut, and so is a streamed one without a next line',
  async (t) => {
    const short = { ...settings, clock: real, bodyTimeoutMs: 20, lineTimeoutMs: 20 }
    const late = { code: 'UND_ERR_BODY_TIMEOUT' }
    const all = async (type: string, body: Readable) => {
      const found: unknown[] = []
      try {
        for await (const piece of readReply(type, body, short)) found.push(piece)
      } catch (error) {
        return { found, error }
      }
      return { found }
    }
    for (const type of ['application/json', 'text/svc-aml']) {
      t.match(await all(type, stallingBody('{"messages": [')), { found: [], error: late })
    }
    const line = JSON.stringify({ message: { spec: 'amf/1', parts: [{ type: 'text', text: 'hi' }] } })
    const parts = await all('application/x-ndjson', stallingBody(`${line}\n`, '{"mess'))
    t.match(parts, { found: [{ message: {} }], error: late }, 'pieces before the error count')
  },
)

/** Blank lines of every kind, a megabyte of them. */
const blanks = Buffer.from('\n \n\r\n\t\r\n'.repeat(100_000))

t.test('Blank lines are not counted in a reply', async (t) => {
  let decoded = 0
  const { decode } = TextDecoder.prototype
  t.teardown(() => Object.assign(TextDecoder.prototype, { decode }))
  TextDecoder.prototype.decode = function (...sourceTexts) {
    decoded++
    return decode.apply(this, sourceTexts)
  }
  t.same(await read('application/x-ndjson', [blanks]), [])
  const bytes = Buffer.concat([blanks, Buffer.from(line('Hello')), Buffer.from('\n \n')])
  t.match(await read('application/x-ndjson', [bytes]), [{ message: {} }])
  t.match(await read('application/x-ndjson', cut(bytes, [blanks.length + 3, blanks.length + 9])), [{ message: {} }])
  t.equal(decoded, 2, 'only lines that hold something are decoded')
})

t.test('The number of lines of a reply is bounded, and those within the bound count', async (t) => {
  const maxLines = agentWebhook.replyLines
  const good = `${line('Hello')}\n`
  const all = await read('application/x-ndjson', [
    Buffer.from(good.repeat(maxLines) + blanks.toString().slice(0, 1_000)),
  ])
  t.equal(all.filter((piece) => 'message' in piece).length, maxLines)
  t.equal(all.length, maxLines)
  for (const more of ['{}', '{}\n', '{}\n'.repeat(100_000)]) {
    const found = await read('application/x-ndjson', [Buffer.from(good.repeat(maxLines) + more)])
    t.equal(found.length, maxLines + 1)
    t.same(found.at(-1), { problem: `The reply has more than ${maxLines} lines.` })
  }
})

t.test('A line that is not UTF-8 affects no other', async (t) => {
  const bytes = Buffer.concat([Buffer.from(line('a')), Buffer.from('\n"\xe4\xff"\n', 'latin1'), Buffer.from(line('ä'))])
  t.match(await read('application/x-ndjson', [bytes]), [
    { message: { parts: [{ text: 'a' }] } },
    { problem: /not UTF-8/ },
    { message: { parts: [{ text: 'ä' }] } },
  ])
})

t.test('The event loop gets its turn while a long reply is read', async (t) => {
  let ms = 0
  let turns = 0
  const clock: Pick<Clock, 'monotonic' | 'nextTick'> = {
    monotonic: () => ms++,
    nextTick(call) {
      turns++
      systemClock.nextTick(call)
    },
  }
  const lines = Buffer.from(`${line('Hello')}\n`.repeat(400))
  await read('application/x-ndjson', [lines], clock)
  t.ok(turns >= 50, `lines: ${turns} turns`)
  for (const type of ['application/x-ndjson', 'application/json', 'text/svc-aml']) {
    turns = 0
    await read(type, Array(400).fill(Buffer.from('\n')), clock)
    t.ok(turns >= 50, `pieces of ${type}: ${turns} turns`)
  }
})

t.test('A reply sets one timer for each piece, not for each line', async (t) => {
  let timers = 0
  const { setTimeout: original } = globalThis
  t.teardown(() => Object.assign(globalThis, { setTimeout: original }))
  globalThis.setTimeout = ((...sourceTexts: Parameters<typeof original>) => {
    timers++
    return original(...sourceTexts)
  }) as typeof original
  const lines = Buffer.from(`${line('Hello')}\n`.repeat(500))
  await read('application/x-ndjson', [lines, blanks, lines.subarray(0, 5)])
  t.ok(timers <= 4, `${timers} timers`)
})
