/** Parsed JSON of which nothing is known yet: what counts as JSON, and what as an object. */
import fc from 'fast-check'
import t from 'tap'
import { isRecord, parseJson } from '../../core/json.js'

t.test('Values written as JSON are read back, from a text and from bytes', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      return [parseJson(text), parseJson(Buffer.from(text))].every((read) => JSON.stringify(read) === text)
    }),
  )
})

t.test('A body that is not JSON or not UTF-8 gives undefined', async (t) => {
  for (const text of ['', '{', "{'a':1}", 'undefined', '[1,]']) t.equal(parseJson(text), undefined, text)
  t.equal(parseJson(Uint8Array.of(0x22, 0xff, 0x22)), undefined, 'a byte that no UTF-8 has')
})

t.test('An object is neither null nor a list', async (t) => {
  t.ok(isRecord({}))
  t.ok(isRecord(Object.create(null)))
  for (const value of [null, undefined, [], 'a', 1, () => 1]) t.notOk(isRecord(value))
})
