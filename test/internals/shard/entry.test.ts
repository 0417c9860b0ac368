/** Entries of a log: any entry in messages of any size, and what nobody finished is as if it had never begun. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import {
  createAssembler,
  type Entry,
  encodeEntry,
  lineageIdOf,
  newLineageId,
} from '../../../runtime/shard/cluster/entry.js'

const anyBytes = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))
const plain = { noNullPrototype: true } as const
const anyChange = fc.record({ key: anyBytes, value: fc.option(anyBytes, { nil: undefined }) }, plain)
const anyEpoch = fc.integer({ min: 1, max: 2 ** 40 })
const anyEntry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ kind: fc.constant('owner' as const), epoch: anyEpoch, owner: fc.string() }, plain),
  fc.record(
    { kind: fc.constant('owner' as const), epoch: anyEpoch, owner: fc.string(), reseeded: fc.constant(true as const) },
    plain,
  ),
  fc.record(
    {
      kind: fc.constant('commit' as const),
      epoch: anyEpoch,
      owner: fc.string(),
      changes: fc.array(anyChange, { maxLength: 12 }),
    },
    plain,
  ),
)
const anyLineageId = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex'))
const anySize = fc.oneof(fc.integer({ min: 10, max: 40 }), fc.integer({ min: 41, max: 5_000 }))

function mustEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected))
    throw new Error(`${JSON.stringify(actual)} came of ${JSON.stringify(expected)}`)
}

t.test('An entry comes back as it was from messages of any size, each of which names its line', async (t) => {
  fc.assert(
    fc.property(anyEntry, anyLineageId, anySize, (entry, line, size) => {
      const messages = encodeEntry(line, entry, size)
      const assembler = createAssembler()
      const assembled = messages.map((message) => assembler.add(message))
      mustEqual(assembled.pop(), entry)
      mustEqual(
        assembled.some((each) => each !== undefined),
        false,
      )
      for (const message of messages) {
        mustEqual(lineageIdOf(message), line)
        if (message.length > size) throw new Error(`a message of ${message.length} bytes, ${size} fit`)
      }
    }),
    { numRuns: 500 },
  )
  t.pass('any entry, any size')
})

t.test('What an owner left unfinished is dropped when the next entry begins', async (t) => {
  const written = fc.record({
    entry: anyEntry,
    line: anyLineageId,
    size: anySize,
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  let dropped = 0
  fc.assert(
    fc.property(fc.array(written, { minLength: 1, maxLength: 8 }), (all) => {
      const assembler = createAssembler()
      const assembled: Entry[] = []
      const whole: Entry[] = []
      for (const { entry, line, size, share } of all) {
        const messages = encodeEntry(line, entry, size)
        const there = messages.slice(0, Math.ceil(messages.length * Math.min(1, share * 2)))
        if (there.length === messages.length) whole.push(entry)
        else dropped++
        for (const message of there) assembled.push(...[assembler.add(message) ?? []].flat())
      }
      mustEqual(assembled, whole)
    }),
    { numRuns: 300 },
  )
  t.ok(dropped > 50, `${dropped} entries were cut off`)
})

t.test('An entry of a newer or an earlier Parley is refused in a sentence', async (t) => {
  const [message] = encodeEntry('00'.repeat(8), { kind: 'owner', epoch: 1, owner: 'somebody' }, 1_000)
  message![9] = 4
  t.throws(() => createAssembler().add(message!), /version 4, written by a newer Parley; this one reads 3/)
  for (const earlier of [1, 2]) {
    message![9] = earlier
    t.throws(() => createAssembler().add(message!), /written by an earlier Parley; this one reads 3/)
  }
})

t.test('A line is drawn at random', async (t) => {
  t.equal(
    newLineageId((count) => Buffer.alloc(count, 0xab)),
    'abababababababab',
  )
})
