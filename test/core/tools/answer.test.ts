/** What is seen of a tool's answer (decisions 13 and 14), and what each answer means (decisions 17 and 18). */
import fc from 'fast-check'
import t from 'tap'
import { tools as limits, turn } from '../../../core/limits/index.js'
import { readAnswer } from '../../../core/tools/answer.js'
import { conclude, type Exchange, verdictOf, waitBeforeNext } from '../../../core/tools/verdict.js'

const read = (body: string | Uint8Array, rules: { secrets?: string[]; hiddenFields?: string[] } = {}, isCut = false) =>
  readAnswer(typeof body === 'string' ? Buffer.from(body) : body, isCut, { secrets: [], ...rules })

t.test('An answer is JSON, or text when it is none; an empty one is null', async (t) => {
  t.same(read('{"free":[1,2]}'), { free: [1, 2] })
  t.same(read('"done"'), 'done')
  t.equal(read('<b>done</b>'), '<b>done</b>')
  t.equal(read(''), null)
  t.equal(read(Buffer.from([0xff, 0x41])), '\ufffdA', 'and bytes that are no text do no harm')
  t.match(read('['.repeat(100_000)), { text: /^\[{1000}/ }, 'nesting without an end is text')
})

t.test('decision 13: an answer is cut to 16 KB, with a note', async (t) => {
  const long = JSON.stringify({ rows: Array.from({ length: 5_000 }, (_, index) => `row ${index} “é😀”`) })
  for (const given of [long, 'é'.repeat(20_000), '\u0001'.repeat(20_000), '😀'.repeat(9_000), '"\\'.repeat(20_000)]) {
    const result = read(given) as { note: string; text: string }
    t.equal(result.note, 'The answer was cut to 16 KB.')
    const bytes = Buffer.byteLength(JSON.stringify(result))
    t.ok(bytes <= turn.toolResultBytes && bytes > turn.toolResultBytes / 2, `${bytes} bytes`)
    t.ok(given.startsWith(result.text))
    t.notMatch(result.text, /[\uD800-\uDBFF]$/)
  }
  t.same(read('{"rows":[', {}, true), { note: 'The answer was cut to 16 KB.', text: '{"rows":[' })
})

t.test('decision 14: hidden fields are removed wherever they are, before anything else is done', async (t) => {
  const order = { id: 7, cost: 1, lines: [{ cost: 2, name: 'Tea', more: { cost: { of: 3 } } }] }
  t.same(read(JSON.stringify(order), { hiddenFields: ['cost'] }), { id: 7, lines: [{ name: 'Tea', more: {} }] })
  t.match(read('cost: 7', { hiddenFields: ['cost'] }), { note: /left out because fields of it are hidden/ })
  t.match(read('{"cost":7', { hiddenFields: ['cost'] }, true), { note: /left out/ })
})

t.test('A secret that an answer repeats is not seen, in whatever place and spelling of JSON', async (t) => {
  const secret = fc.stringMatching(/^[A-Za-z0-9"\\/+=_-]{8,40}$/)
  const place = fc.constantFrom('value', 'name', 'list', 'text', 'escaped')
  fc.assert(
    fc.property(secret, place, fc.string(), (value, where, noise) => {
      const authorization = `Bearer ${value}`
      const bodies = {
        value: JSON.stringify({ headers: { authorization }, noise }),
        name: JSON.stringify({ [authorization]: noise }),
        list: JSON.stringify([noise, [value]]),
        text: `${noise} ${authorization} ${noise}`,
        escaped: `{"a":"${Array.from(value, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`,
      }
      const result = JSON.stringify(read(bodies[where], { secrets: [authorization] }))
      return !result.includes(value) && !result.includes(JSON.stringify(value).slice(1, -1))
    }),
  )
  t.same(read('{"a":"Bearer of news"}', { secrets: ['Bearer s3cr3t-value'] }), { a: 'Bearer of news' })
})

const answered = (status: number, more: object = {}): Exchange => ({
  ...{ ok: true, status, body: new Uint8Array(), isCut: false },
  ...more,
})
const unanswered = (mayHaveArrived: boolean, isStopped = false): Exchange => ({
  ...{ ok: false, message: 'The endpoint did not answer in time.', mayHaveArrived, isStopped },
})
const kindOf = (exchange: Exchange) => verdictOf('the integration crm', exchange).kind

t.test('decisions 17 and 18: what an answer means', async (t) => {
  const cases: [number, string][] = [
    [200, 'done'],
    [204, 'done'],
    [302, 'failed'],
    [400, 'failed'],
    [404, 'failed'],
    [409, 'failed'],
    [429, 'unsent'],
    [500, 'failed'],
    [502, 'unknown'],
    [503, 'failed'],
    [504, 'unknown'],
  ]
  for (const [status, kind] of cases) t.equal(kindOf(answered(status)), kind, `${status}`)
  t.equal(kindOf(answered(503, { retryAfterMs: 0 })), 'unsent')
  t.equal(kindOf(answered(503, { retryAfterMs: limits.retryAfterMaxMs + 1 })), 'failed', 'later is too late')
  t.equal(kindOf(unanswered(false)), 'unsent')
  t.equal(kindOf(unanswered(false, true)), 'failed')
  t.equal(kindOf(unanswered(true)), 'unknown')
  t.equal(kindOf(unanswered(true, true)), 'unknown')
  t.match(verdictOf('the integration crm', answered(302)), { reason: /redirect, which is not followed/ })
  t.match(verdictOf('the integration crm', answered(404)), { reason: 'The integration crm answered with status 404.' })
})

t.test('decision 18: attempts are bounded, and waits between them grow or are those that were asked for', async (t) => {
  const unsent = verdictOf('It', unanswered(false))
  const unknown = verdictOf('It', unanswered(true))
  const waits = (verdict: typeof unsent, isIdempotent: boolean) =>
    [1, 2, 3, 4].map((attempts) => waitBeforeNext(verdict, attempts, isIdempotent, 1))
  t.same(waits(unsent, false), [limits.retryMs, 2 * limits.retryMs, undefined, undefined])
  t.same(waits(unknown, false), [undefined, undefined, undefined, undefined])
  t.same(waits(unknown, true), [limits.retryMs, 2 * limits.retryMs, undefined, undefined])
  t.same(waits(verdictOf('It', answered(404)), true), [undefined, undefined, undefined, undefined])
  const busy = verdictOf('It', answered(429))
  t.equal(waitBeforeNext(busy, 2, false, 100), 5, 'R3: our own wait is divided by the time scale')
  t.equal(waitBeforeNext(verdictOf('It', answered(429, { retryAfterMs: 3_000 })), 1, false, 100), 3_000)
})

t.test('decision 18: once an attempt is in doubt, only a good answer says what happened', async (t) => {
  const done = verdictOf('It', answered(200))
  t.equal(conclude('It', done, true).kind, 'done')
  for (const exchange of [answered(404), unanswered(false), unanswered(true), answered(500)]) {
    t.equal(conclude('It', verdictOf('It', exchange), true).kind, 'unknown')
  }
  t.equal(conclude('It', verdictOf('It', unanswered(false)), false).kind, 'failed')
})
