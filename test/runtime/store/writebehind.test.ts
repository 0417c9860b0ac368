/** Write-behind: readers see every commit at once, and the file ends up with the same. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { Commit } from '../../../runtime/store/commits.js'
import { type Environment, openEnvironment } from '../../../runtime/store/environment.js'
import { store as limits } from '../../../runtime/store/limits.js'
import { type Bounds, isWithin } from '../../../runtime/store/range.js'
import { withWriteBehind } from '../../../runtime/store/writebehind.js'
import { waitUntil } from '../../harness/clock.js'

const scratchDir = mkdtempSync(join(tmpdir(), 'parley-writebehind-'))
t.teardown(() => rmSync(scratchDir, { recursive: true, force: true }))
let made = 0

/** A real environment whose transactions wait until they are let through. */
function createPausedEnvironment(mapBytes = 1024 ** 2): {
  environment: Environment
  open: () => Environment
  letOne: () => void
  letAll: () => void
} {
  const path = join(scratchDir, String(made++))
  const open = () => openEnvironment(path, mapBytes)
  const below = open()
  let waiting: (() => void)[] = []
  let isPaused = true
  const write: Environment['write'] = async (commits) => {
    if (isPaused) await new Promise<void>((go) => waiting.push(go))
    return below.write(commits)
  }
  const letOne = () => waiting.shift()?.()
  const letAll = () => {
    isPaused = false
    for (const go of waiting.splice(0)) go()
    waiting = []
  }
  return { environment: { ...below, write }, open, letOne, letAll }
}

const anyKey = fc.uint8Array({ minLength: 1, maxLength: 2, max: 5 }).map((bytes) => Buffer.from(bytes))
const anyValue = fc.option(
  fc.nat(255).map((byte) => Buffer.from([byte])),
  { nil: undefined },
)
const anySpace = fc.nat(1)
const anyStep = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ space: anySpace, changes: fc.array(fc.record({ key: anyKey, value: anyValue })) }),
  },
  { weight: 1, arbitrary: fc.constant('written' as const) },
)
const anyBounds: fc.Arbitrary<Bounds> = fc.record({
  start: anyKey,
  isStartExclusive: fc.boolean(),
  end: anyKey,
  isEndInclusive: fc.boolean(),
  reverse: fc.boolean(),
  limit: fc.integer({ min: 1, max: 8 }),
})

type Model = Map<number, Map<string, Buffer>>

function apply(model: Model, { space, changes }: Commit): void {
  const rows = model.get(space) ?? new Map<string, Buffer>()
  model.set(space, rows)
  for (const { key, value } of changes) {
    if (value) rows.set(key.toString('hex'), value)
    else rows.delete(key.toString('hex'))
  }
}

function sliceOf(model: Model, space: number, bounds: Bounds): [string, string][] {
  const rows = [...(model.get(space) ?? [])].filter(([key]) => isWithin(Buffer.from(key, 'hex'), bounds)).sort()
  return (bounds.reverse ? rows.reverse() : rows)
    .slice(0, bounds.limit)
    .map(([key, value]) => [key, value.toString('hex')])
}

function mustEqual(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected))
    throw new Error(`${what}: found ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`)
}

function mustRead(environment: Environment, model: Model, questions: readonly Bounds[]): void {
  for (const space of [0, 1]) {
    for (const bounds of questions) {
      const readRows = environment.slice(space, bounds, bounds.limit)
      const spelled = readRows.map(({ key, value }) => [key.toString('hex'), Buffer.from(value).toString('hex')])
      mustEqual(spelled, sliceOf(model, space, bounds), `${bounds.limit} rows of ${space}`)
      const one = environment.get(space, bounds.start)
      const expected = model.get(space)?.get(Buffer.from(bounds.start).toString('hex'))
      const copied = one && Buffer.from(Uint8Array.prototype.slice.call(one, 0, one.length))
      mustEqual(copied?.toString('hex'), expected?.toString('hex'), `a key of ${space}`)
    }
  }
}

t.test('Readers see each commit as soon as it is accepted, and the file gets all of them', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { maxLength: 12 }),
      fc.array(anyBounds, { maxLength: 6 }),
      async (steps, anyQuestions) => {
        const { environment, open, letOne, letAll } = createPausedEnvironment()
        const behind = withWriteBehind(environment, 0)
        const model: Model = new Map()
        const questions = anyQuestions.filter(({ start, end, reverse }) =>
          reverse ? Buffer.compare(start, end) > 0 : Buffer.compare(start, end) < 0,
        )
        for (const step of steps) {
          if (step === 'written') {
            letOne()
            await new Promise((turn) => setImmediate(turn))
          } else {
            await behind.write([step])
            apply(model, step)
          }
          mustRead(behind, model, questions)
        }
        letAll()
        await behind.close()
        const reopened = open()
        mustRead(reopened, model, questions)
        await reopened.close()
      },
    ),
    { numRuns: 120 },
  )
  t.pass('any commits, any reads')
})

t.test('A commit waits while too much data is unwritten', async (t) => {
  const { environment, letAll } = createPausedEnvironment()
  const behind = withWriteBehind(environment, 0)
  const big = (n: number): Commit => ({
    space: 0,
    changes: [{ key: Buffer.from([n]), value: Buffer.alloc(limits.unwrittenBytes / 4) }],
  })
  let acceptedCount = 0
  const all = Array.from({ length: 8 }, (_, n) => behind.write([big(n)]).then(() => acceptedCount++))
  await waitUntil(() => acceptedCount > 0)
  await new Promise((turn) => setImmediate(turn))
  t.ok(acceptedCount < 8, `${acceptedCount} of 8 were accepted while none could be written`)
  letAll()
  await Promise.all(all)
  t.equal(acceptedCount, 8)
  await behind.close()
})

t.test('After a failed transaction all accepted commits can be read and no more are accepted', async (t) => {
  const { environment } = createPausedEnvironment()
  const behind = withWriteBehind({ ...environment, write: () => Promise.reject(new Error('the disk is broken')) }, 0)
  const commit: Commit = { space: 0, changes: [{ key: Buffer.from([1]), value: Buffer.from([2]) }] }
  await behind.write([commit])
  await waitUntil(() => behind.failure() !== undefined)
  t.same(behind.get(0, Buffer.from([1])), Buffer.from([2]))
  await t.rejects(behind.write([commit]), { message: 'the disk is broken' })
  await behind.close()
})

/** Commits of one change each, and how many of them each transaction had. */
function countSyncs(everyMs: number) {
  const { environment, letAll } = createPausedEnvironment(4 * limits.unwrittenBytes)
  letAll()
  const transactions: number[] = []
  const write: Environment['write'] = (commits) => {
    transactions.push(commits.reduce((sum, { changes }) => sum + changes.length, 0))
    return environment.write(commits)
  }
  const behind = withWriteBehind({ ...environment, write }, everyMs)
  const add = (n: number, bytes = 1) =>
    behind.write([{ space: 0, changes: [{ key: Buffer.from([n]), value: Buffer.alloc(bytes) }] }])
  return { behind, transactions, add }
}

const anHour = 60 * 60 * 1000

t.test('Commits share a transaction until its time, unless there is much to write', async (t) => {
  const { behind, transactions, add } = countSyncs(anHour)
  await add(0)
  await waitUntil(() => transactions.length > 0)
  for (let n = 1; n <= 10; n++) await add(n)
  await new Promise((turn) => setImmediate(turn))
  t.same(transactions, [1], 'the first goes at once, the next waits')
  await add(11, limits.unwrittenBytes)
  await add(12)
  t.same(transactions, [1, 11], 'too much is unwritten, so it does not wait for the time')
  await behind.close()
  t.same(transactions, [1, 11, 1], 'closing writes the rest')
})

t.test('A copy contains the commits before it, without waiting for the next transaction', async (t) => {
  const { behind, transactions, add } = countSyncs(anHour)
  await add(1)
  await waitUntil(() => transactions.length > 0)
  await add(2)
  const path = join(scratchDir, 'copy')
  await behind.copyTo(path)
  await behind.close()
  const copy = openEnvironment(path, 1024 ** 2)
  t.same(
    [1, 2].map((n) => copy.get(0, Buffer.from([n])) !== undefined),
    [true, true],
  )
  await copy.close()
})
