/** Membership: a node knows that it lost its lease before anybody may take over from it, whatever the network does. */
import fc from 'fast-check'
import t from 'tap'
import type { Clock } from '../../../runtime/clock.js'
import { type Bucket, BusUnreachable, type KvEntry } from '../../../runtime/nats/contract.js'
import { type Members, openMembers, ownerIdOf } from '../../../runtime/shard/cluster/members.js'
import { cluster as limits } from '../../../runtime/shard/limits.js'
import { openTimeline, type Timeline } from '../../sim/world/timeline.js'

/** A clock that runs a little fast or slow and began at another moment than the others. */
function clockOf(timeline: Timeline, rate = 1): Clock {
  const elapsed = () => timeline.now() * rate
  return {
    monotonic: elapsed,
    now: () => 1_000_000 + elapsed(),
    setTimer: (at, call) => timeline.after((at - 1_000_000) / rate - timeline.now(), call),
    nextTick: (call) => void timeline.after(0, call),
  }
}

/** The servers' side of a bucket. */
interface ServerSide {
  readonly values: Map<string, KvEntry>
  revision: number
  readonly watchers: Set<(key: string, entry: KvEntry) => void>
}

interface Network {
  /** How long a message is on its way, or that it never arrives. */
  delay(): number | 'lost'
}

/**
 * Messages of a connection arrive in the order of sending or not at all; one that gets no answer gives up after a
 * while.
 */
function bucketOver(timeline: Timeline, server: ServerSide, network: Network): Bucket {
  const patienceMs = 5_000
  let [sentTill, receivedTill] = [0, 0]
  function transmit(till: number, call: () => void): number {
    const delay = network.delay()
    if (delay === 'lost') return till
    const at = Math.max(till, timeline.now() + delay)
    timeline.after(at - timeline.now(), call)
    return at
  }
  const there = (call: () => void) => {
    sentTill = transmit(sentTill, call)
  }
  const back = (call: () => void) => {
    receivedTill = transmit(receivedTill, call)
  }
  function request<T>(at: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = timeline.after(patienceMs, () => reject(new BusUnreachable('No answer came in time.')))
      there(() => {
        const answer = at()
        back(() => {
          cancel()
          resolve(answer)
        })
      })
    })
  }
  function set(key: string, value?: Uint8Array): number {
    const entry = { revision: ++server.revision, value }
    server.values.set(key, entry)
    for (const watcher of [...server.watchers]) watcher(key, entry)
    return entry.revision
  }
  return {
    put: (key, value) => request(() => set(key, value)),
    create: async () => false,
    get: (key) => request(() => server.values.get(key)),
    remove: (key) => request(() => void set(key)),
    async watch(seen) {
      const watcher = (key: string, entry: KvEntry) => back(() => seen(key, entry))
      server.watchers.add(watcher)
      for (const [key, entry] of server.values) watcher(key, entry)
      return () => server.watchers.delete(watcher)
    },
  }
}

function newServer(): ServerSide {
  return { values: new Map(), revision: 0, watchers: new Set() }
}

function memberOf(
  timeline: Timeline,
  bucket: Bucket,
  id: string,
  incarnation: string,
  options: { rate?: number; changed?: () => void; keepsShards?: () => boolean } = {},
): Members {
  return openMembers({
    bucket,
    node: { id, incarnation, info: {} },
    keepsShards: options.keepsShards ?? (() => true),
    clock: clockOf(timeline, options.rate),
    limits,
    onChange: options.changed ?? (() => {}),
  })
}

const quick: Network = { delay: () => 1 }
const quietMs = 1_000
const waitMs = limits.leaseMs + limits.graceMs

/** Lets a promise come about while time passes. */
async function within<T>(timeline: Timeline, ms: number, promise: Promise<T>): Promise<T> {
  let done = false
  promise.finally(() => (done = true)).catch(() => {})
  await timeline.run(ms, () => done)
  return promise
}

t.test('Nodes know of each other what they say, and of a silent one after a while that it is not there', async (t) => {
  const timeline = openTimeline()
  const server = newServer()
  let changes = 0
  let cutOff = false
  let keepsShards = true
  const annsWay: Network = { delay: () => (cutOff ? 'lost' : 1) }
  const ann = memberOf(timeline, bucketOver(timeline, server, annsWay), 'ann', '1', { keepsShards: () => keepsShards })
  const ben = memberOf(timeline, bucketOver(timeline, server, quick), 'ben', '1', { changed: () => void changes++ })
  await within(timeline, 1_000, Promise.all([ann.start(), ben.start()]))
  await timeline.run(100)
  for (const each of [ann, ben])
    t.same(
      each
        .live()
        .map(({ id }) => id)
        .sort(),
      ['ann', 'ben'],
    )
  t.match(
    ben.live().find(({ id }) => id === 'ann'),
    { incarnation: '1', keepsShards: true, leaving: false },
  )
  changes = 0
  await timeline.run(10 * waitMs)
  t.equal(changes, 0, 'nobody is told while nothing changes')

  keepsShards = false
  await timeline.run(limits.heartbeatEveryMs + 10)
  t.match(
    ben.live().find(({ id }) => id === 'ann'),
    { keepsShards: false },
  )
  t.ok(changes > 0)
  await within(timeline, 1_000, ann.announceLeaving())
  await timeline.run(10)
  t.match(
    ben.live().find(({ id }) => id === 'ann'),
    { leaving: true },
  )

  cutOff = true
  changes = 0
  await timeline.run(waitMs + 2 * limits.heartbeatEveryMs)
  t.same(
    ben.live().map(({ id }) => id),
    ['ben'],
  )
  t.ok(changes > 0, 'and is told so')
  cutOff = false
  changes = 0
  await timeline.run(2 * limits.heartbeatEveryMs)
  t.equal(ben.live().length, 2)
  t.ok(changes > 0, 'also that it is back')
})

t.test(
  'A lease lasts while the node is heard, ends by itself when it is not, and is another one afterwards',
  async (t) => {
    const timeline = openTimeline()
    let cutOff = false
    let changeCount = 0
    const way: Network = { delay: () => (cutOff ? 'lost' : 20) }
    const ann = memberOf(timeline, bucketOver(timeline, newServer(), way), 'ann', '1', {
      changed: () => void changeCount++,
    })
    t.equal(ann.leaseEpoch(), undefined, 'none before it was heard')
    await within(timeline, 1_000, ann.start())
    const first = ann.leaseEpoch()
    t.type(first, 'number')
    await timeline.run(60_000)
    t.equal(ann.leaseEpoch(), first)

    cutOff = true
    changeCount = 0
    await timeline.run(limits.leaseMs - limits.heartbeatEveryMs - 100)
    t.equal(ann.leaseEpoch(), first, 'not as long as somebody may count on it')
    await timeline.run(limits.heartbeatEveryMs + 200)
    t.equal(ann.leaseEpoch(), undefined)
    t.ok(changeCount > 0, 'and whoever works under it is told')
    await timeline.run(60_000)
    t.equal(ann.leaseEpoch(), undefined)
    cutOff = false
    await timeline.run(2 * limits.heartbeatEveryMs)
    t.ok(ann.leaseEpoch()! > first!)

    await within(timeline, 1_000, ann.stop())
    t.equal(ann.leaseEpoch(), undefined)
  },
)

t.test('One that said goodbye, or began another life, is gone at once', async (t) => {
  const timeline = openTimeline()
  const server = newServer()
  const connect = () => bucketOver(timeline, server, quick)
  const [ann, ben] = [memberOf(timeline, connect(), 'ann', '1'), memberOf(timeline, connect(), 'ben', '1')]
  await within(timeline, 1_000, Promise.all([ann.start(), ben.start()]))
  const isDown = (holder: string) => within(timeline, 1_000, ben.isDown(holder))
  t.equal(await isDown('ann/1'), false)
  t.equal(await isDown('ann/0'), true, 'a life before this one is over')
  await within(timeline, 1_000, ann.stop())
  t.equal(await isDown('ann/1'), true)
  const again = memberOf(timeline, connect(), 'ann', '2')
  await within(timeline, 1_000, again.start())
  t.equal(await isDown('ann/1'), true)
  t.equal(await isDown('ann/2'), false)
})

t.test('One that was never heard of is given as long as any other', async (t) => {
  const timeline = openTimeline()
  const server = newServer()
  const ben = memberOf(timeline, bucketOver(timeline, server, quick), 'ben', '1')
  await within(timeline, 1_000, ben.start())
  const isDown = () => within(timeline, 1_000, ben.isDown('ann/1'))
  t.equal(await isDown(), false)
  await timeline.run(waitMs - 100)
  t.equal(await isDown(), false)
  await timeline.run(200)
  t.equal(await isDown(), true)
})

t.test('What the servers forget is made good, and nobody who is there counts as gone for it', async (t) => {
  const timeline = openTimeline()
  const server = newServer()
  const [ann, ben] = ['ann', 'ben'].map((id) => memberOf(timeline, bucketOver(timeline, server, quick), id, '1')) as [
    Members,
    Members,
  ]
  await within(timeline, 1_000, Promise.all([ann.start(), ben.start()]))
  server.values.clear()
  await timeline.run(3 * waitMs)
  t.equal(await within(timeline, 1_000, ben.isDown('ann/1')), false)
  t.equal(ben.live().length, 2)
})

t.test('An answer that was long on its way says nothing about what came meanwhile', async (t) => {
  const timeline = openTimeline()
  const server = newServer()
  let slowMs = 1
  const ann = memberOf(timeline, bucketOver(timeline, server, quick), 'ann', '1')
  const ben = memberOf(timeline, bucketOver(timeline, server, { delay: () => slowMs }), 'ben', '1')
  await within(timeline, 1_000, ann.start())
  await timeline.run(limits.heartbeatEveryMs / 2)
  server.values.clear()
  await within(timeline, 100, ben.start())
  t.equal(await within(timeline, 100, ben.isDown('ann/1')), false, 'nobody knows of it, so it is given time')
  const lease = ann.leaseEpoch()
  const checked = ben.isDown('ann/1')
  slowMs = waitMs + 100
  t.equal(
    await within(timeline, 2 * waitMs, checked),
    false,
    'when nobody knew of it, and the answer came after that time',
  )
  t.equal(ann.leaseEpoch(), lease, 'for it was there all the while')
})

t.test('No delay, loss or drift lets a node be taken for gone under a lease it still has', async (t) => {
  const way = fc.record({
    /** For how long the network is like this, how long messages take at most, and how many of a hundred are lost. */
    ms: fc.integer({ min: 50, max: 3_000 }),
    slowMs: fc.constantFrom(1, 20, 300, 2_000, 4_000),
    lost: fc.constantFrom(0, 0, 10, 60, 100),
  })
  const ways = fc.array(way, { minLength: 4, maxLength: 14 })
  const event = fc.record({ at: fc.integer({ min: 0, max: 20_000 }), forget: fc.boolean() })
  let [deaths, leases] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      ways,
      ways,
      fc.array(event, { maxLength: 2 }),
      fc.double({ min: 0.95, max: 1.05, noNaN: true }),
      fc.infiniteStream(fc.nat({ max: 99 })),
      async (anns, bens, events, rate, draws) => {
        const timeline = openTimeline()
        const server = newServer()
        const draw = () => draws.next().value as number
        const networkOf = (plan: typeof anns): Network => ({
          delay() {
            // Everybody gets there first.
            let from = quietMs
            if (timeline.now() < from) return 1
            const now = plan.find(({ ms }) => {
              from += ms
              return timeline.now() < from
            }) ?? { slowMs: 1, lost: 0 }
            return draw() < now.lost ? 'lost' : 1 + (now.slowMs * draw()) / 99
          },
        })
        const ann = memberOf(timeline, bucketOver(timeline, server, networkOf(anns)), 'ann', '1', { rate })
        const ben = memberOf(timeline, bucketOver(timeline, server, networkOf(bens)), 'ben', '1', { rate: 2 - rate })
        void ann.start().catch(() => {})
        void ben.start().catch(() => {})
        // The servers lose their memory, with everybody's claim to be alive.
        for (const { at, forget } of events) if (forget) timeline.after(at, () => server.values.clear())
        let had = 0
        let over = 0
        const checkOwners = () => {
          const lease = ann.leaseEpoch() ?? 0
          if (lease > had) leases++
          had = Math.max(had, lease)
          if (lease > 0 && lease <= over)
            throw new Error(`at ${timeline.now()} ms the lease ${lease} is still there, which counts as over`)
        }
        const checks = new Set<Promise<void>>()
        for (; timeline.now() < 30_000; ) {
          await timeline.run(97)
          checkOwners()
          const knownDown = had
          const checked = ben.isDown(ownerIdOf({ id: 'ann', incarnation: '1' })).then(
            (isDown) => {
              if (!isDown) return
              deaths++
              // What it had when the question was asked is over for good.
              over = Math.max(over, knownDown)
              checkOwners()
            },
            (error) => {
              if (!(error instanceof BusUnreachable)) throw error
            },
          )
          checks.add(checked)
          checked.catch(() => {})
        }
        await timeline.run(10_000)
        await Promise.all(checks)
        await Promise.all([
          within(
            timeline,
            10_000,
            ann.stop().catch(() => {}),
          ),
          within(
            timeline,
            10_000,
            ben.stop().catch(() => {}),
          ),
        ])
      },
    ),
    { numRuns: 60, endOnFailure: true },
  )
  t.ok(deaths > 20, `${deaths} times a node counted as gone`)
  t.ok(leases >= 60, `${leases} leases`)
})

t.test(
  'A lease that is renewed too late is another one, and listeners learn of it though no timer fired',
  async (t) => {
    let now = 0
    const alarms = new Set<{ readonly at: number; readonly call: () => void }>()
    const clock: Clock = {
      monotonic: () => now,
      now: () => now,
      setTimer(at, call) {
        const alarm = { at, call }
        alarms.add(alarm)
        return () => alarms.delete(alarm)
      },
      nextTick: () => {},
    }
    const answers: (() => void)[] = []
    const bucket: Bucket = {
      put: () => new Promise((resolve) => answers.push(() => resolve(1))),
      create: async () => false,
      get: async () => ({ revision: 1 }),
      remove: async () => {},
      watch: async () => () => {},
    }
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const leases: (number | undefined)[] = []
    const node = { id: 'a', incarnation: '1', info: {} }
    const changed = () => leases.push(members.leaseEpoch())
    const members = openMembers({ bucket, node, clock, limits, keepsShards: () => true, onChange: changed })
    const starting = members.start()
    await turn()
    answers.pop()!()
    await starting
    const before = members.leaseEpoch()
    leases.length = 0
    // The process stands still: the next heartbeat is late, and its answer comes after the lease, before the timer of
    // its end.
    now = limits.leaseMs - 1
    const [heartbeat] = [...alarms].filter(({ at }) => at === limits.heartbeatEveryMs)
    heartbeat!.call()
    now = limits.leaseMs + 1
    answers.pop()!()
    await turn()
    t.not(members.leaseEpoch(), before)
    t.same(leases, [members.leaseEpoch()])
  },
)
