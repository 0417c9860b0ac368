/** Keys as bytes: what was handed out stays as it was, however many are made after it. */
import fc from 'fast-check'
import t from 'tap'
import { keyBytes, keyParts, temporaryKeyBytes } from '../../../runtime/store/key.js'

const part = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.integer(),
  fc.constantFrom('', '\u0000', 'x'.repeat(900)),
)
const made = fc.record({
  parts: fc.array(part, { maxLength: 2 }),
  isByOwner: fc.boolean(),
  /** Made for a read that is over at once. */
  isPassing: fc.boolean(),
})

t.test('A key is never overwritten by later ones, of any length and for any use', async (t) => {
  fc.assert(
    fc.property(fc.array(made, { minLength: 100, maxLength: 300 }), (all) => {
      const encoded = all.flatMap(({ parts, isByOwner, isPassing }) => {
        const key = isByOwner ? ['owner', ...parts] : parts
        const table = { name: 'table', ...(isByOwner && { isByOwner: true as const }) }
        if (!isPassing) return [{ key, bytes: keyBytes(table, key) }]
        t.strictSame(keyParts(temporaryKeyBytes(table, key)), key)
        return []
      })
      for (const { key, bytes } of encoded) t.strictSame(keyParts(bytes), key)
    }),
    { numRuns: 30 },
  )
})

t.test('A key that cannot be stored does not affect the next one', async (t) => {
  t.throws(() => keyBytes({ name: 'table' }, ['a', 'x'.repeat(5_000)]), /longer than/)
  t.throws(() => keyBytes({ name: 'table' }, [Number.NaN]), /NaN/)
  t.strictSame(keyParts(keyBytes({ name: 'table' }, ['a', 1])), ['a', 1])
})
