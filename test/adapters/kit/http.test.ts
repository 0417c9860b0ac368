/** What adapters share to read and to sign: it holds for all that may come in. */
import fc from 'fast-check'
import t from 'tap'
import { asNumber, asText, noAnswer, readJson, sameText, unavailable, uuidFrom } from '../../../adapters/kit/http.js'
import { isRecord } from '../../../core/json.js'
import { isWithinJsonBounds } from '../../../core/jsonbounds.js'
import { ingressBounds } from '../../../core/limits/index.js'

t.test('Two texts compare as equal exactly when they are equal', async (t) => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => sameText(text, String(text))))
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => sameText(a, b) === (a === b)))
  t.equal(sameText('', ''), true)
  t.equal(sameText('é', 'e\u0301'), false, 'nothing is normalised')
})

t.test('An id always gives the same UUID, and another id another UUID', async (t) => {
  const v5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  fc.assert(fc.property(fc.string(), (id) => v5.test(uuidFrom(id))))
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => a === b || uuidFrom(a) !== uuidFrom(b)))
  t.equal(
    uuidFrom('msg_1'),
    'ad8941be-7fa8-5441-a341-7df73b0ba8ca',
    'a change would make retries on their way double messages',
  )
})

t.test('JSON in UTF-8 is parsed, and any other body gives undefined', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      return JSON.stringify(readJson(Buffer.from(text))) === text
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      readJson(bytes)
    }),
  )
  t.equal(readJson(Uint8Array.of(0x22, 0xff, 0x22)), undefined, 'a text that is not UTF-8')
  t.equal(readJson(Buffer.from('{"a":1')), undefined, 'half a document')
  t.equal(readJson(new Uint8Array()), undefined, 'nothing')
})

t.test('JSON that is nested too deep or has too many values is not parsed', async (t) => {
  const nested = (depth: number) => Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`)
  t.ok(readJson(nested(ingressBounds.json.depth)))
  t.equal(readJson(nested(ingressBounds.json.depth + 1)), undefined)
  t.equal(readJson(nested(500_000)), undefined)
  const many = (count: number) => Buffer.from(`[${Array(count).fill(0).join(',')}]`)
  t.ok(readJson(many(ingressBounds.json.tokens)))
  t.equal(readJson(many(ingressBounds.json.tokens + 1)), undefined)
})

t.test('Brackets inside of strings do not count', async () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('[', '{', ',', ':', '"', '\\', 'a') })), (texts) => {
      const bounds = { depth: 1, tokens: texts.length + 1 }
      return isWithinJsonBounds(Buffer.from(JSON.stringify(texts)), bounds)
    }),
  )
})

t.test('A value of another type than expected is read as undefined', async (t) => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value)
      return (
        isRecord(value) === isPlain &&
        asText(value) === (typeof value === 'string' ? value : undefined) &&
        asNumber(value) === (Number.isFinite(value) ? value : undefined)
      )
    }),
  )
  t.equal(asNumber(Number.NaN), undefined)
  t.equal(asNumber('12'), undefined)
})

t.test('A call that may have been accepted, or cannot be accepted now, is retried later', async (t) => {
  t.same(noAnswer({ kind: 'none', detail: 'No answer in time.', unsent: false }), {
    kind: 'refused',
    reason: 'sendFailed',
    detail: 'No answer in time.',
    retry: 'later',
  })
  for (let status = 100; status < 600; status++) {
    const transient = status >= 500 || [408, 425, 429].includes(status)
    t.equal(unavailable(status)?.kind, transient ? 'refused' : undefined, `${status}`)
    if (transient) t.match(unavailable(status), { retry: 'later', detail: `The provider answered ${status}.` })
  }
  t.match(unavailable(429, '30'), { reason: 'rateLimited', detail: /wait 30 seconds/ })
  t.match(unavailable(503, 'Bearer abc'), { detail: 'The provider answered 503.' }, 'only a number is repeated')
})
