/** What one page is told of a record, whatever happens meanwhile: in order, each line once, and never more than it reads. */
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
const mostBytes = limits.bufferedBytes + 2 * frameBytes

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
  readonly tellings: ServerEvent[] = []
  readonly lines: TranscriptEntry[] = []
  /** Lines that are no longer kept, as if their messages had been forgotten. */
  readonly gone = new Set<number>()
  reads = 0
  refusals = 0
  unshowable = 0
  held = 0
  mostHeld = 0
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
          this.held += frameBytes
          this.mostHeld = Math.max(this.mostHeld, this.held)
          return this.held > limits.bufferedMostBytes ? 'dropped' : 'sent'
        },
        bufferedBytes: () => this.held,
        close: (code) => {
          this.closedWith = code
          this.feed.end()
        },
      },
      live: {
        write: (telling) => {
          this.tellings.push(telling)
          return ''
        },
      },
      read: async (from) => this.read(from),
      eventOf: async (line) => {
        if (this.unshowable > 0) {
          this.unshowable--
          return undefined
        }
        return { kind: 'said', cursor: line.cursor, at: 0, id: '', content: {} }
      },
      onError: (error) => t.error(error),
    })
  }

  get head(): Head {
    return { newest: this.lines.length, ...(this.signal && { signal: this.signal }) }
  }

  append(): void {
    const cursor = this.lines.length + 1
    this.lines.push({ cursor, at: 0, said: { id: `id-${cursor}`, content: { text: `Line ${cursor}` } } })
  }

  private read(from: number | undefined): TranscriptPage | Refusal {
    this.reads++
    if (this.refusals > 0) {
      this.refusals--
      return refuse('service.unavailable')
    }
    const start = from ?? Math.max(0, this.lines.length - limits.historyLines)
    const rows = this.lines.slice(start, start + limits.linesPerRead)
    const upTo = rows.at(-1)?.cursor ?? this.lines.length
    const lines = rows.filter(({ cursor }) => !this.gone.has(cursor))
    return { head: this.head, entries: lines, scannedTo: upTo, more: from === undefined && start > 0 }
  }

  /** The page reads everything that was sent. */
  drain(): void {
    this.held = 0
    this.feed.drained()
  }

  told(): number[] {
    return this.tellings.flatMap((each) => (each.kind === 'said' ? [each.cursor] : []))
  }

  kinds(): string[] {
    return this.tellings.map(({ kind }) => kind)
  }

  /** The time for everything that waits has come. */
  async ring(): Promise<void> {
    const due = [...this.alarms]
    this.alarms.clear()
    for (const call of due) call()
    await turns()
  }

  /** Lets time pass and the page read until nothing more is told or tried. */
  async rest(): Promise<void> {
    for (let before = ''; before !== `${this.tellings.length} ${this.reads}`; ) {
      before = `${this.tellings.length} ${this.reads}`
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

t.test('Every kept line behind the cursor is told in order and once, whatever is lost, late or slow', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.nat({ max: 60 }),
      fc.nat({ max: 60 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 5 }),
      async (steps, before, given, gone) => {
        const after = Math.min(given, before)
        const scene = new Scene(after, before)
        for (const cursor of gone) scene.gone.add(cursor)
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
        await scene.rest()
        scene.feed.poll()
        await scene.rest()
        const wanted = scene.lines
          .map(({ cursor }) => cursor)
          .filter((cursor) => cursor > after && !scene.gone.has(cursor))
        return (
          JSON.stringify(scene.told()) === JSON.stringify(wanted) &&
          scene.tellings[0]?.kind === 'welcome' &&
          scene.kinds().filter((kind) => kind === 'caughtUp').length === 1
        )
      },
    ),
    { numRuns: 200 },
  )
})

t.test('For a page that does not read, nothing more is fetched and no more is held than it has room for', async (t) => {
  const scene = new Scene(0, 200)
  scene.feed.poll()
  await turns()
  const { reads } = scene
  for (let n = 0; n < 50; n++) {
    scene.append()
    scene.feed.onHead(scene.head)
    await Promise.resolve()
  }
  t.ok(scene.mostHeld <= mostBytes)
  t.ok(scene.reads <= reads + 1)
  t.equal(scene.closedWith, undefined)
  await scene.rest()
  t.equal(scene.told().length, 250)
  t.ok(scene.mostHeld <= mostBytes, 'nor while it catches up')
})

t.test('A page that reads nothing but is pinged on and on is let go, to come again with its cursor', async (t) => {
  const scene = new Scene(0, 1)
  scene.feed.poll()
  await turns()
  for (let n = 0; n < 100 && scene.closedWith === undefined; n++) {
    scene.now += limits.pollEveryMs
    scene.feed.poll()
  }
  t.equal(scene.closedWith, 4000)
})

t.test('A page without a cursor is told the newest lines only, and that there are more', async (t) => {
  const scene = new Scene(undefined, limits.historyLines + 5)
  scene.feed.poll()
  await scene.rest()
  t.match(scene.tellings[0], { kind: 'welcome', cursor: limits.historyLines + 5, more: true })
  t.equal(scene.told().length, limits.historyLines)
  t.equal(scene.told()[0], 6)
})

t.test('A line whose notice was lost is told at the next look', async (t) => {
  const scene = new Scene(0, 1)
  scene.feed.poll()
  await scene.rest()
  scene.append()
  await scene.rest()
  t.same(scene.told(), [1])
  scene.now += limits.pollEveryMs
  scene.feed.poll()
  await scene.rest()
  t.same(scene.told(), [1, 2])
  t.ok(scene.kinds().includes('ping'), 'which also says that the line is alive')
})

t.test('A page is told something before it takes the line for dead, whenever lines come', async () => {
  const step = fc.record({ ms: fc.nat(limits.pollEveryMs / 2), isSaid: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const scene = new Scene(1, 1)
      scene.feed.poll()
      await scene.rest()
      let lookAt = scene.now + limits.pollEveryMs
      let [frames, toldAt] = [scene.tellings.length, scene.now]
      let longest = 0
      const see = async () => {
        await scene.rest()
        longest = Math.max(longest, scene.now - toldAt)
        if (scene.tellings.length > frames) [frames, toldAt] = [scene.tellings.length, scene.now]
      }
      for (const { ms, isSaid } of steps) {
        const until = scene.now + ms
        if (lookAt <= until) {
          scene.now = lookAt
          lookAt += limits.pollEveryMs
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

t.test(
  'That the agent is writing is told behind the lines that came before it, and not once it has said something',
  async (t) => {
    const scene = new Scene(0, 1)
    scene.feed.poll()
    await scene.rest()
    scene.append()
    scene.signal = { signal: 'typing', at: scene.clock.now(), cursor: 2 }
    scene.feed.onHead(scene.head)
    await scene.rest()
    t.same(scene.kinds().slice(-2), ['said', 'typing'])
    scene.feed.onHead(scene.head)
    await scene.rest()
    t.equal(scene.kinds().filter((kind) => kind === 'typing').length, 1, 'once')
    scene.signal = { signal: 'typing', at: scene.clock.now() + 1, cursor: 2 }
    scene.append()
    scene.feed.onHead(scene.head)
    await scene.rest()
    t.equal(scene.kinds().at(-1), 'said')
    scene.signal = { signal: 'read', at: scene.clock.now() + 2, cursor: 2 }
    scene.feed.onHead(scene.head)
    await scene.rest()
    t.equal(scene.kinds().at(-1), 'seen', 'what was read stays read')
  },
)

t.test('Nothing is told after the end', async (t) => {
  const scene = new Scene(0, 5)
  scene.refusals = 1
  scene.feed.poll()
  await turns()
  scene.feed.end()
  await scene.rest()
  t.same(scene.tellings, [])
})
