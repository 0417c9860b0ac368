/**
 * What one page is told of a record, whatever happens meanwhile: in order, each line once, and never more than it
 * reads.
 */
import fc from 'fast-check'
import t from 'tap'
import type { ServerEvent } from '../../../core/channel/socketcodec.js'
import { type Refusal, refuse } from '../../../core/errors.js'
import { webchat as limits } from '../../../core/limits/index.js'
import type { Clock } from '../../../runtime/clock.js'
import { Feed } from '../../../runtime/webchat/feed.js'
import type { TranscriptEntry } from '../../../runtime/webchat/render.js'
import type { Head, TranscriptPage } from '../../../runtime/webchat/transcript.js'

const frameBytes = 30 * 1024
const maxBytes = limits.bufferedBytes + 2 * frameBytes

/** A record in memory, a page that reads only when it is told to, and the feed between them. */
class Scene {
  now = 1_000_000
  readonly alarms = new Set<() => void>()
  /** Alarms go off when a test says so: what waits for the disk elsewhere waits for nothing here. */
  readonly clock: Clock = {
    now: () => this.now,
    monotonic: () => this.now,
    setTimer: (_at, call) => {
      this.alarms.add(call)
      return () => this.alarms.delete(call)
    },
    nextTick: (call) => void setImmediate(call),
  }
  readonly serverEvents: ServerEvent[] = []
  readonly transcript: TranscriptEntry[] = []
  /** Lines that are no longer kept, as if their messages had been forgotten. */
  readonly removed = new Set<number>()
  reads = 0
  refusals = 0
  unshowable = 0
  bufferedBytes = 0
  maxBufferedBytes = 0
  closedWith: number | undefined
  signal: Head['signal']
  readonly feed: Feed

  constructor(after?: number, before = 0) {
    for (let n = 0; n < before; n++) this.append()
    this.feed = new Feed({
      address: 'vis_1',
      after,
      clock: this.clock,
      socket: {
        send: () => {
          this.bufferedBytes += frameBytes
          this.maxBufferedBytes = Math.max(this.maxBufferedBytes, this.bufferedBytes)
          return this.bufferedBytes > limits.bufferedMaxBytes ? 'dropped' : 'sent'
        },
        bufferedBytes: () => this.bufferedBytes,
        close: (code) => {
          this.closedWith = code
          this.feed.end()
        },
      },
      codec: {
        write: (event) => {
          this.serverEvents.push(event)
          return ''
        },
      },
      read: async (from) => this.read(from),
      eventOf: async (entry) => {
        if (this.unshowable > 0) {
          this.unshowable--
          return undefined
        }
        return { kind: 'said', cursor: entry.cursor, at: 0, id: '', content: {} }
      },
      onError: (error) => t.error(error),
    })
  }

  get head(): Head {
    return { newest: this.transcript.length, ...(this.signal && { signal: this.signal }) }
  }

  append(): void {
    const cursor = this.transcript.length + 1
    this.transcript.push({ cursor, at: 0, said: { id: `id-${cursor}`, content: { text: `Line ${cursor}` } } })
  }

  private read(from: number | undefined): TranscriptPage | Refusal {
    this.reads++
    if (this.refusals > 0) {
      this.refusals--
      return refuse('service.unavailable')
    }
    const start = from ?? Math.max(0, this.transcript.length - limits.historyLines)
    const rows = this.transcript.slice(start, start + limits.linesPerRead)
    const upTo = rows.at(-1)?.cursor ?? this.transcript.length
    const transcript = rows.filter(({ cursor }) => !this.removed.has(cursor))
    return { head: this.head, entries: transcript, scannedTo: upTo, more: from === undefined && start > 0 }
  }

  /** The page reads everything that was sent. */
  drain(): void {
    this.bufferedBytes = 0
    this.feed.drained()
  }

  sentCursors(): number[] {
    return this.serverEvents.flatMap((each) => (each.kind === 'said' ? [each.cursor] : []))
  }

  kinds(): string[] {
    return this.serverEvents.map(({ kind }) => kind)
  }

  /** The time for everything that waits has come. */
  async ring(): Promise<void> {
    const due = [...this.alarms]
    this.alarms.clear()
    for (const call of due) call()
    await turns()
  }

  /** Lets time pass and the page read until nothing more is told or tried. */
  async waitUntilIdle(): Promise<void> {
    for (let before = ''; before !== `${this.serverEvents.length} ${this.reads}`; ) {
      before = `${this.serverEvents.length} ${this.reads}`
      this.drain()
      await this.ring()
      this.drain()
      await turns()
    }
  }
}

/** Enough turns of the loop for a page of lines to be read and told. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const step = fc.constantFrom('append', 'lost', 'drain', 'look', 'refuse', 'unshowable', 'wait')

t.test('Every line behind the cursor is sent in order and once, despite losses, delays and slow reads', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.nat({ max: 60 }),
      fc.nat({ max: 60 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 5 }),
      async (steps, before, given, removed) => {
        const after = Math.min(given, before)
        const scene = new Scene(after, before)
        for (const cursor of removed) scene.removed.add(cursor)
        scene.feed.poll()
        for (const each of steps) {
          if (each === 'append' || each === 'lost') scene.append()
          if (each === 'append') scene.feed.onHead(scene.head)
          if (each === 'drain') scene.drain()
          if (each === 'look') scene.feed.poll()
          if (each === 'refuse') scene.refusals++
          if (each === 'unshowable') scene.unshowable++
          if (each === 'wait') await scene.ring()
        }
        scene.feed.poll()
        await scene.waitUntilIdle()
        scene.feed.poll()
        await scene.waitUntilIdle()
        const expected = scene.transcript
          .map(({ cursor }) => cursor)
          .filter((cursor) => cursor > after && !scene.removed.has(cursor))
        return (
          JSON.stringify(scene.sentCursors()) === JSON.stringify(expected) &&
          scene.serverEvents[0]?.kind === 'welcome' &&
          scene.kinds().filter((kind) => kind === 'caughtUp').length === 1
        )
      },
    ),
    { numRuns: 200 },
  )
})

t.test('For a page that does not read, fetching stops and the buffer is bounded', async (t) => {
  const scene = new Scene(0, 200)
  scene.feed.poll()
  await turns()
  const { reads } = scene
  for (let n = 0; n < 50; n++) {
    scene.append()
    scene.feed.onHead(scene.head)
    await Promise.resolve()
  }
  t.ok(scene.maxBufferedBytes <= maxBytes)
  t.ok(scene.reads <= reads + 1)
  t.equal(scene.closedWith, undefined)
  await scene.waitUntilIdle()
  t.equal(scene.sentCursors().length, 250)
  t.ok(scene.maxBufferedBytes <= maxBytes, 'nor while it catches up')
})

t.test('A page that reads nothing but keeps pinging is closed, to reconnect with its cursor', async (t) => {
  const scene = new Scene(0, 1)
  scene.feed.poll()
  await turns()
  for (let n = 0; n < 100 && scene.closedWith === undefined; n++) {
    scene.now += limits.pollEveryMs
    scene.feed.poll()
  }
  t.equal(scene.closedWith, 4000)
})

t.test('A page without a cursor gets only the newest lines, and learns that there are more', async (t) => {
  const scene = new Scene(undefined, limits.historyLines + 5)
  scene.feed.poll()
  await scene.waitUntilIdle()
  t.match(scene.serverEvents[0], { kind: 'welcome', cursor: limits.historyLines + 5, more: true })
  t.equal(scene.sentCursors().length, limits.historyLines)
  t.equal(scene.sentCursors()[0], 6)
})

t.test('A line whose notice was lost is sent at the next poll', async (t) => {
  const scene = new Scene(0, 1)
  scene.feed.poll()
  await scene.waitUntilIdle()
  scene.append()
  await scene.waitUntilIdle()
  t.same(scene.sentCursors(), [1])
  scene.now += limits.pollEveryMs
  scene.feed.poll()
  await scene.waitUntilIdle()
  t.same(scene.sentCursors(), [1, 2])
  t.ok(scene.kinds().includes('ping'), 'which also says that the line is alive')
})

t.test('A page gets a sign of life before it considers the connection dead', async () => {
  const step = fc.record({ ms: fc.nat(limits.pollEveryMs / 2), isSaid: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const scene = new Scene(1, 1)
      scene.feed.poll()
      await scene.waitUntilIdle()
      let pollAt = scene.now + limits.pollEveryMs
      let [frames, sentAt] = [scene.serverEvents.length, scene.now]
      let longest = 0
      const see = async () => {
        await scene.waitUntilIdle()
        longest = Math.max(longest, scene.now - sentAt)
        if (scene.serverEvents.length > frames) [frames, sentAt] = [scene.serverEvents.length, scene.now]
      }
      for (const { ms, isSaid } of steps) {
        const until = scene.now + ms
        if (pollAt <= until) {
          scene.now = pollAt
          pollAt += limits.pollEveryMs
          scene.feed.poll()
          await see()
        }
        scene.now = until
        if (isSaid) {
          scene.append()
          scene.feed.onHead(scene.head)
        }
        await see()
      }
      return longest < limits.pollEveryMs * 2
    }),
    { numRuns: 50 },
  )
})

t.test('Typing is sent after the lines before it, and not once the agent has answered', async (t) => {
  const scene = new Scene(0, 1)
  scene.feed.poll()
  await scene.waitUntilIdle()
  scene.append()
  scene.signal = { signal: 'typing', at: scene.clock.now(), cursor: 2 }
  scene.feed.onHead(scene.head)
  await scene.waitUntilIdle()
  t.same(scene.kinds().slice(-2), ['said', 'typing'])
  scene.feed.onHead(scene.head)
  await scene.waitUntilIdle()
  t.equal(scene.kinds().filter((kind) => kind === 'typing').length, 1, 'once')
  scene.signal = { signal: 'typing', at: scene.clock.now() + 1, cursor: 2 }
  scene.append()
  scene.feed.onHead(scene.head)
  await scene.waitUntilIdle()
  t.equal(scene.kinds().at(-1), 'said')
  scene.signal = { signal: 'read', at: scene.clock.now() + 2, cursor: 2 }
  scene.feed.onHead(scene.head)
  await scene.waitUntilIdle()
  t.equal(scene.kinds().at(-1), 'seen', 'read marks stay')
})

t.test('Nothing is sent after the end', async (t) => {
  const scene = new Scene(0, 5)
  scene.refusals = 1
  scene.feed.poll()
  await turns()
  scene.feed.end()
  await scene.waitUntilIdle()
  t.same(scene.serverEvents, [])
})
