/** Answers in slices: the same text as in one piece, with turns of the event loop in between. */
import fc from 'fast-check'
import t from 'tap'
import { isLong, jsonInSlices } from '../../../runtime/http/slices.js'
import { countTurns } from '../../harness/eventloop.js'

async function slicesOf(value: unknown): Promise<string[]> {
  const slices: string[] = []
  for await (const slice of jsonInSlices(value)) slices.push(slice)
  return slices
}

t.test('The slices joined are the JSON of the value', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const text = (await slicesOf(value)).join('')
      if (text !== JSON.stringify(value)) throw new Error(text)
    }),
  )
  t.equal((await slicesOf({ a: undefined, b: [undefined], c: { d: undefined } })).join(''), '{"b":[null],"c":{}}')
})

t.test('A long list is serialized in many slices, each in its own turn', async (t) => {
  const value = { data: Array.from({ length: 2_000 }, (_, at) => ({ id: at, text: 'x'.repeat(200) })) }
  t.ok(isLong(value))
  t.notOk(isLong({ data: [1, 2, 3] }))
  const count = countTurns()
  const slices = await slicesOf(value)
  const turns = count.end()
  t.ok(slices.length > 3)
  t.ok(turns >= slices.length - 1, `${turns} turns for ${slices.length} slices`)
})
