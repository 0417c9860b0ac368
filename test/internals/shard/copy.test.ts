/**
 * A node's copy of a shard: what the log says and nothing else, however often writing fails, and a log that is another
 * is noticed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import {
  ancestorsOf,
  type Copy,
  createCopy,
  Diverged,
  isAheadOf,
  type Position,
} from '../../../runtime/shard/cluster/copy.js'
import { type Entry, encodeEntry } from '../../../runtime/shard/cluster/entry.js'
import type { Change, Space } from '../../../runtime/store/contract.js'
import { StoreFailed } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'

const dir = mkdtempSync(join(tmpdir(), 'parley-copy-'))
const store = await openStore({ dir, shards: 400, durability: 'async' })
t.teardown(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})
let spaces = 0
const newSpace = () => store.space(spaces++)

const lineageId = '00000000000000aa'
const bytesOf = (text: string) => Buffer.from(` ${text}`)
const put = (key: string, value: string): Change => ({ key: bytesOf(key), value: bytesOf(value) })
const owner = (epoch: number, holder: string): Entry => ({ kind: 'owner', epoch, owner: holder })
const commit = (epoch: number, holder: string, ...changes: Change[]): Entry => ({
  kind: 'commit',
  epoch,
  owner: holder,
  changes,
})

/** Takes entries as messages of that size from number `from` on; answers the last number. */
async function applyAll(
  copy: Copy,
  entries: readonly Entry[],
  from = 1,
  size = 1_000,
  of = lineageId,
): Promise<number> {
  let number = from - 1
  for (const entry of entries) for (const message of encodeEntry(of, entry, size)) await copy.receive(message, ++number)
  return number
}

/** What a space holds besides the copy's own note, as text. */
function contentsOf(space: Space): Record<string, string> {
  const rows = space.rows(undefined, 10_000).filter(({ key }) => key[0] === 0x20 && key.indexOf('shard.copy') < 0)
  return Object.fromEntries(rows.map(({ key, value }) => [String(key).slice(1), String(value).slice(1)]))
}

t.test('A copy takes what the log says and knows after a restart how far it is', async (t) => {
  const space = newSpace()
  const copy = createCopy(space)
  t.ok(copy.isEmpty())
  t.same(copy.position(), { lineageId: '', epoch: 0, owner: '', number: 0 })
  t.equal(copy.startReading(), 0)
  const large = 'x'.repeat(500)
  const entries = [
    owner(1, 'ann/1'),
    commit(1, 'ann/1', put('a', '1'), put('b', large)),
    owner(2, ''),
    owner(3, 'ben/1'),
    commit(3, 'ben/1', { key: bytesOf('a'), value: undefined }, put('c', '3')),
  ]
  const last = await applyAll(copy, entries, 1, 100)
  t.ok(last > entries.length, 'an entry in several messages')
  await copy.flush()
  const position = { lineageId, epoch: 3, owner: 'ben/1', number: last }
  t.same([copy.position(), copy.readTo(), copy.isComplete(), copy.isEmpty()], [position, last, true, false])
  t.same(contentsOf(space), { b: large, c: '3' })
  const reopened = createCopy(space)
  t.same([reopened.position(), reopened.startReading()], [position, last])
})

t.test('The beginning of an entry that nobody finished is reached and changes nothing', async (t) => {
  const space = newSpace()
  const copy = createCopy(space)
  copy.startReading()
  const last = await applyAll(copy, [owner(1, 'ann/1'), commit(1, 'ann/1', put('a', '1'))])
  const unfinished = encodeEntry(lineageId, commit(1, 'ann/1', put('b', 'x'.repeat(500))), 100).slice(0, -1)
  for (const [at, message] of unfinished.entries()) await copy.receive(message, last + 1 + at)
  await copy.flush()
  t.equal(copy.readTo(), last + unfinished.length)
  t.equal(copy.position().number, last)
  await applyAll(copy, [owner(2, 'ben/1'), commit(2, 'ben/1', put('c', '1'))], last + unfinished.length + 1)
  await copy.flush()
  t.same(contentsOf(space), { a: '1', c: '1' })
  t.equal(copy.position().number, copy.readTo())
})

t.test('A log that does not go on from this copy is noticed, and nothing of it is applied', async (t) => {
  const before = [owner(1, 'ann/1'), commit(1, 'ann/1', put('a', '1'))]
  const strangers: Record<string, { entry: Entry; of?: string }> = {
    'another line': { entry: commit(1, 'ann/1', put('b', '1')), of: '00000000000000bb' },
    'a line founded anew': {
      entry: { kind: 'owner', epoch: 2, owner: 'ben/1', reseeded: true },
      of: '00000000000000bb',
    },
    'an epoch left out': { entry: owner(3, 'ben/1') },
    'an epoch again': { entry: owner(1, 'ben/1') },
    'a commit of an epoch to come': { entry: commit(2, 'ann/1', put('b', '1')) },
    'a commit of an epoch that is over': { entry: commit(0, 'ann/1', put('b', '1')) },
    'a commit of somebody else': { entry: commit(1, 'ben/1', put('b', '1')) },
    'a commit of another life': { entry: commit(1, 'ann/2', put('b', '1')) },
  }
  for (const [name, { entry, of }] of Object.entries(strangers)) {
    const space = newSpace()
    const copy = createCopy(space)
    copy.startReading()
    await applyAll(copy, before)
    await copy.flush()
    await t.rejects(applyAll(copy, [entry], 3, 1_000, of), Diverged, name)
    await copy.flush()
    t.same(contentsOf(space), { a: '1' }, name)
    t.equal(copy.position().number, 2, name)
  }
})

t.test('A copy that holds nothing never follows a log whose beginning is in a snapshot', async (t) => {
  const copy = createCopy(newSpace())
  copy.startReading()
  const founding: Entry = { kind: 'owner', epoch: 1, owner: '', reseeded: true }
  await t.rejects(applyAll(copy, [founding]), { name: 'Diverged' })
  t.equal(copy.position().number, 0)
  await copy.reseed({ lineageId, epoch: 1, owner: '', number: 1 })
  t.match(copy.position(), { lineageId, epoch: 1, number: 1 }, 'only whoever founded it goes on from there')
})

t.test('After a failed write it goes on where readers see it, and leaves no hole', async (t) => {
  const anyCommit = fc.array(fc.tuple(fc.nat({ max: 5 }), fc.option(fc.nat({ max: 9 }), { nil: undefined })), {
    maxLength: 5,
  })
  let failures = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCommit, { minLength: 1, maxLength: 25 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 20, max: 60 }),
      async (commits, fails, size) => {
        const space = newSpace()
        let writes = 0
        const failing: Space = {
          ...space,
          async commit(changes) {
            if (fails[writes++ % (fails.length * 2)]) {
              failures++
              throw new StoreFailed('no room')
            }
            await space.commit(changes)
          },
        }
        const copy = createCopy(failing)
        const entries = [
          owner(1, 'ann/1'),
          ...commits.map((changes) =>
            commit(
              1,
              'ann/1',
              ...changes.map(([key, value]) => ({
                key: bytesOf(`k${key}`),
                value: value === undefined ? undefined : bytesOf(String(value)),
              })),
            ),
          ),
        ]
        const log = entries.flatMap((entry) => encodeEntry(lineageId, entry, size))
        // As a follower of a log does: from where the copy says, again after every failure.
        for (let tries = 0; copy.position().number < log.length; tries++) {
          if (tries > 1_000) throw new Error('it never gets there')
          const from = copy.startReading()
          try {
            for (const [at, message] of log.slice(from).entries()) {
              await copy.receive(message, from + at + 1)
              if ((at * 7) % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
            }
            await copy.flush()
          } catch (error) {
            if (!(error instanceof StoreFailed)) throw error
          }
          const seen = createCopy(space).position()
          if (!isDeepStrictEqual(contentsOf(space), stateAfter(entries, log, seen.number, size)))
            throw new Error(`at ${seen.number} there is ${JSON.stringify(contentsOf(space))}`)
        }
      },
    ),
    { numRuns: 60 },
  )
  t.ok(failures > 50, `${failures} writes failed`)

  /** What the entries that end at or before that message come to. */
  function stateAfter(
    entries: readonly Entry[],
    log: readonly Buffer[],
    number: number,
    size: number,
  ): Record<string, string> {
    const state: Record<string, string> = {}
    let at = 0
    for (const entry of entries) {
      at += encodeEntry(lineageId, entry, size).length
      if (at > number || entry.kind !== 'commit') continue
      for (const { key, value } of entry.changes) {
        if (value) state[String(key).slice(1)] = String(value).slice(1)
        else delete state[String(key).slice(1)]
      }
    }
    t.ok(log.length >= number)
    return state
  }
})

t.test('A copy that is made anew holds the rows it was given and nothing from before', async (t) => {
  const space = newSpace()
  const copy = createCopy(space)
  copy.startReading()
  const many = Array.from({ length: 1_300 }, (_, n) => put(`old ${n}`, 'old'))
  await applyAll(copy, [owner(1, 'ann/1'), commit(1, 'ann/1', ...many)], 1, 1_000_000)
  await copy.flush()
  const position: Position = { lineageId: '00000000000000bb', epoch: 7, owner: 'ben/1', number: 40, completeFrom: 42 }
  await copy.load(rows([[put('x', '1')], [put('y', '2'), put('old 3', 'new')]], position))
  t.same(contentsOf(space), { x: '1', y: '2', 'old 3': 'new' })
  t.same(copy.position(), position)
  t.notOk(copy.isComplete(), 'not before the entries that were written meanwhile')
  t.equal(copy.startReading(), 40)
  await applyAll(copy, [commit(7, 'ben/1', put('z', '3')), commit(7, 'ben/1')], 41, 1_000, position.lineageId)
  await copy.flush()
  t.ok(copy.isComplete())
  t.same(createCopy(space).position(), { lineageId: position.lineageId, epoch: 7, owner: 'ben/1', number: 42 })
})

t.test('A copy that was being made when the process ended says so, and counts as nothing', async (t) => {
  const space = newSpace()
  const copy = createCopy(space)
  copy.startReading()
  await applyAll(copy, [owner(1, 'ann/1'), commit(1, 'ann/1', put('a', '1'))])
  await copy.flush()
  await t.rejects(copy.load(cutOff()), /cut off/)
  for (const each of [copy, createCopy(space)]) {
    t.equal(each.position().loading, true)
    t.equal(each.position().number, 0)
    t.notOk(each.isComplete())
  }
  await copy.load(rows([[put('b', '2')]], { lineageId, epoch: 1, owner: 'ann/1', number: 9 }))
  t.same(contentsOf(space), { b: '2' })
  t.ok(copy.isComplete())
})

async function* rows(parts: readonly Change[][], position: Position): AsyncGenerator<readonly Change[], Position> {
  yield* parts
  return position
}

async function* cutOff(): AsyncGenerator<readonly Change[], Position> {
  yield [put('b', '1')]
  throw new Error('cut off')
}

t.test(
  'A copy is beyond a log that lost its end, also one that lost the founding of its line, and beyond no other',
  async (t) => {
    const at = {
      lineageId: 'new',
      number: 50,
      ancestors: [
        { lineageId: 'old', before: 40 },
        { lineageId: 'older', before: 9 },
      ],
    }
    const logs = [
      [{ lineageId: 'new', last: 49 }, true],
      [{ lineageId: 'new', last: 50 }, false],
      [{ lineageId: 'old', last: 39 }, true],
      [{ lineageId: 'old', last: 40 }, false],
      [{ lineageId: 'older', last: 8 }, true],
      [{ lineageId: 'older', last: 9 }, false],
      [{ lineageId: 'other', last: 10 }, false],
    ] as const
    for (const [log, expected] of logs) t.equal(isAheadOf(at, log), expected, JSON.stringify(log))
    t.notOk(isAheadOf({ lineageId: 'new', number: 50 }, { lineageId: 'old', last: 10 }))
  },
)

t.test('A founding remembers every line it was founded upon, and every entry after it does', async (t) => {
  const [first, second, tried] = ['00'.repeat(8), '11'.repeat(8), '22'.repeat(8)] as const
  const copy = createCopy(newSpace())
  await copy.apply(first, { kind: 'owner', epoch: 1, owner: 'ann/1' }, 1)
  const ancestors = ancestorsOf(copy.position(), tried, 4)
  await copy.reseed({ lineageId: second, epoch: 2, owner: 'ann/1', number: 4, ancestors })
  await copy.apply(second, { kind: 'commit', epoch: 2, owner: 'ann/1', changes: [] }, 5)
  const expected = [
    { lineageId: tried, before: 4 },
    { lineageId: first, before: 4 },
  ]
  t.match(copy.position(), { number: 5, ancestors: expected })
  t.same(
    ancestorsOf(copy.position(), second, 3),
    [{ lineageId: second, before: 3 }, ...expected],
    'also by the next founding',
  )
  t.same(ancestorsOf(createCopy(newSpace()).position(), undefined, 1), [])
})
