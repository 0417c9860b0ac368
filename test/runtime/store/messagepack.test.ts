/** Our writer of MessagePack, held against the library that reads what it writes. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { Packr } from 'msgpackr'
import t from 'tap'
import { store as limits } from '../../../runtime/store/limits.js'
import { pack, UnsupportedValue } from '../../../runtime/store/messagepack.js'
import { anyRecord } from './generated.js'

const library = new Packr({ useRecords: false, variableMapSize: true, copyBuffers: true, useToJSON: false })

/** A copy: what the library lends is written over by what it packs next. */
const byLibrary = (version: number, value: unknown) => Buffer.from(library.pack([version, value]))

/** Whether the library alone would give something else back than it was given. */
const bends = (value: unknown) => !isDeepStrictEqual(library.unpack(byLibrary(1, value)), [1, value])

t.test('Any plain data is encoded as the library encodes it, or reported as different', async (t) => {
  fc.assert(
    fc.property(anyRecord, fc.nat(1_000), (value, version) => {
      const bytes = pack(version, value)
      if (bytes === undefined) return bends(value)
      t.ok(bytes.equals(byLibrary(version, value)))
      return !bends(value)
    }),
    { numRuns: 2_000 },
  )
})

const repeated = (text: string, lengths: readonly number[]) => lengths.map((length) => text.repeat(length))
const neighboursOf = (...limits: readonly number[]) => limits.flatMap((limit) => [limit - 1, limit, limit + 1])

t.test('At every size boundary a value is encoded as the library encodes it', async (t) => {
  const sizes = neighboursOf(1, 10, 16, 21, 32, 40, 64, 85, 128, 256, 21_845, 32_768, 65_536)
  const numbers = neighboursOf(0, 0x20, 0x80, 0x100, 0x8000, 0x10000, 2 ** 31, 2 ** 32, 2 ** 53)
  const values: unknown[] = [
    ...['a', 'ä', '\uffee', '😀', '\0'].flatMap((text) => repeated(text, sizes)),
    ...repeated('a', sizes).map((text) => `${text}ä`),
    ...numbers.flatMap((number) => [number, -number, number + 0.5]).filter((number) => !Object.is(number, -0)),
    ...sizes.map((length) => Buffer.alloc(length, 7)),
    ...sizes.map((length) => new Uint8Array(length).fill(7)),
    ...sizes.map((length) => new Array(length).fill(true)),
    ...sizes.map((length) => Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, index]))),
    Object.assign(Object.create(null), { bare: 1 }),
    // biome-ignore lint/suspicious/noSparseArray: it is what is tested
    [1, , 3],
  ]
  let mismatches = 0
  for (const value of values) if (!pack(1, value)?.equals(byLibrary(1, value))) mismatches++
  t.equal(mismatches, 0)
})

t.test('Encoded records stay unchanged by later ones, even if some of those fail', async (t) => {
  const values = fc.sample(anyRecord, { numRuns: 400, seed: 7 }).map((value, index) => [value, 'x'.repeat(index * 37)])
  const packed = values.map((value) => {
    t.throws(() => pack(1, ['begun', value, new Map()]), UnsupportedValue)
    return pack(1, value)
  })
  const mismatches = values.filter((value, index) => packed[index] && !packed[index].equals(byLibrary(1, value)))
  t.same(mismatches, [])
  t.ok(packed.filter((bytes) => bytes !== undefined).length > 200)
  const large = { text: 'y'.repeat(1_000_000), list: values }
  t.same(pack(1, large)?.equals(byLibrary(1, large)) ?? bends(large), true)
})

t.test('A value that is not plain is named', async (t) => {
  class Person {}
  const refused: [unknown, RegExp][] = [
    [new Map(), /^a Map is/],
    [[new Date()], /^a Date is/],
    [{ deep: { person: new Person() } }, /^a Person is/],
    [1n, /^a bigint is/],
    [() => 1, /^a function is/],
    [Symbol('s'), /^a symbol is/],
  ]
  for (const [value, message] of refused) t.throws(() => pack(1, value), { message })
  const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 0)
  t.ok(pack(1, nested(limits.recordDepth)))
  t.throws(() => pack(1, nested(limits.recordDepth + 1)), { message: /^something nested deeper/ })
})
