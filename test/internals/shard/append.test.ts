/** Appending for sure: whatever answers are lost, it ends with the truth, and nothing stands in the log twice. */
import fc from 'fast-check'
import t from 'tap'
import type { Clock } from '../../../runtime/clock.js'
import { BusUnreachable, type Log } from '../../../runtime/nats/contract.js'
import { appendWithRetry } from '../../../runtime/shard/cluster/logwriter.js'
import { LogTruncated, NotOwner, OutcomeUnknown } from '../../../runtime/shard/errors.js'
import { cluster as limits } from '../../../runtime/shard/limits.js'

/** Time that passes as soon as a caller waits for it. */
const hasty: Clock = {
  now: () => 0,
  monotonic: () => 0,
  setTimer(_at, call) {
    setImmediate(call)
    return () => {}
  },
  nextTick: (call) => void setImmediate(call),
}

type Fate = 'answered' | 'lost' | 'answer lost' | 'late'

/** A log whose calls meet these fates, one after another and then none; late ones arrive before the next call. */
function logWith(fates: readonly Fate[], stored: string[] = []) {
  const trimmed = { upTo: 0 }
  const late: (() => void)[] = []
  let calls = 0
  let stranger: { at: number; word: string } | undefined
  function add(word: string, after: number): 'appended' | 'conflict' {
    if (stored.length !== after) return 'conflict'
    stored.push(word)
    return 'appended'
  }
  async function meet<T>(act: () => T): Promise<T> {
    for (const arrive of late.splice(0)) arrive()
    if (stranger && calls >= stranger.at) {
      stored.push(stranger.word)
      stranger = undefined
    }
    const fate = fates[calls++] ?? 'answered'
    if (fate === 'late') late.push(act)
    if (fate === 'lost' || fate === 'late') throw new BusUnreachable(fate)
    const answer = act()
    if (fate === 'answer lost') throw new BusUnreachable(fate)
    return answer
  }
  const log: Log = {
    entryBytes: 100,
    append: (entry, after) => meet(() => add(String(entry), after)),
    bounds: () => meet(() => ({ first: Math.min(trimmed.upTo, stored.length) + 1, last: stored.length })),
    read: (number) =>
      meet(() => (number <= trimmed.upTo || number > stored.length ? undefined : Buffer.from(stored[number - 1]!))),
    follow: () => () => {},
    trim: async () => {},
  }
  return {
    log,
    stored,
    trimmed,
    /** Another process writes when so many calls were made. */
    writes: (word: string, at: number) => {
      stranger = { word, at }
    },
  }
}

const append = (log: Log, messages: readonly Uint8Array[], after: number) =>
  appendWithRetry({ log, clock: hasty, limits }, messages, after)
const bytes = (words: readonly string[]) => words.map((word) => Buffer.from(word))
const anyFates = fc.array(fc.constantFrom<Fate>('answered', 'answered', 'lost', 'answer lost', 'late'), {
  maxLength: 12,
})
const anyWords = fc.integer({ min: 1, max: 4 }).map((count) => Array.from({ length: count }, (_, at) => `mine ${at}`))

t.test('Alone, it always gets there, each message once and in order', async (t) => {
  await fc.assert(
    fc.asyncProperty(anyFates, anyWords, fc.nat({ max: 3 }), async (fates, words, before) => {
      const old = Array.from({ length: before }, (_, at) => `old ${at}`)
      const { log, stored } = logWith(fates, [...old])
      await append(log, bytes(words), before)
      if (String(stored) !== String([...old, ...words])) throw new Error(`the log holds ${stored}`)
    }),
    { numRuns: 300 },
  )
  t.pass('whatever answers are lost')
})

t.test('Beside another writer it ends with the truth', async (t) => {
  let [there, moved] = [0, 0]
  await fc.assert(
    fc.asyncProperty(anyFates, anyWords, fc.nat({ max: 10 }), async (fates, words, at) => {
      const { log, stored, writes } = logWith(fates)
      writes('another’s', at)
      const outcome = await append(log, bytes(words), 0).catch((error) => error)
      // What is still on its way arrives, and changes nothing any more.
      await log.bounds().catch(() => {})
      const isThere = words.every((word, index) => stored[index] === word)
      if (outcome === undefined && isThere) there++
      else if (outcome instanceof NotOwner && !isThere) moved++
      else throw new Error(`it ended with ${outcome}, and the log holds ${stored}`)
      if (stored.filter((word) => word === words[0]).length > 1) throw new Error(`twice: ${stored}`)
    }),
    { numRuns: 500 },
  )
  t.ok(there > 20 && moved > 20, `${there} times it was there, ${moved} times somebody else was`)
})

t.test('A log that has lost its end, or was trimmed past the question, is told apart from another owner', async (t) => {
  const lost = logWith([], ['one'])
  await t.rejects(append(lost.log, bytes(['mine']), 3), LogTruncated)
  t.same(lost.stored, ['one'])
  const trimmed = logWith([], ['one', 'two', 'three'])
  trimmed.trimmed.upTo = 2
  await t.rejects(append(trimmed.log, bytes(['mine']), 1), OutcomeUnknown)
  await t.rejects(append(trimmed.log, bytes(['mine']), 2), NotOwner)
})
