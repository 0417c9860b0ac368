/**
 * What nodes of a cluster share: every promise of the bus, kept by real NATS servers, alone and as a cluster of three.
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, headers, type NatsConnection, TimeoutError } from '@nats-io/transport-node'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Clock, systemClock } from '../../runtime/clock.js'
import { readAddresses } from '../../runtime/nats/address.js'
import { type NatsOptions, openNats } from '../../runtime/nats/bus.js'
import { chunksOf } from '../../runtime/nats/chunks.js'
import type { Clients, Connection } from '../../runtime/nats/connection.js'
import {
  type Bucket,
  type Bus,
  BusUnreachable,
  BusUnusable,
  type KvEntry,
  type Log,
  NoResponders,
} from '../../runtime/nats/contract.js'
import { busError } from '../../runtime/nats/errors.js'
import { createAssembly, type Frame, framesOf } from '../../runtime/nats/frames.js'
import { bus as limits } from '../../runtime/nats/limits.js'
import { publishTo } from '../../runtime/nats/messages.js'
import { createStream } from '../../runtime/nats/stream.js'
import { checkWords } from '../../runtime/nats/subjects.js'
import { isOlder, serverWarnings } from '../../runtime/nats/warnings.js'
import { makeCertificates } from '../harness/certificates.js'
import { manualClock, waitUntil } from '../harness/clock.js'
import { TestNats, TestNatsCluster } from '../harness/nats.js'
import { makeOperator } from '../harness/natscreds.js'
import { ScriptedNats } from '../harness/scriptednats.js'

t.jobs = 1

const bytes = (text: string) => Buffer.from(text)
const text = (body: Uint8Array | undefined) => body && Buffer.from(body).toString()
/** Long enough never to be the reason that something ended. */
const hourMs = 3_600_000

interface Logged {
  readonly event: string
  readonly fields?: unknown
}

function logInto(lines: Logged[]) {
  const at = (event: string, fields?: unknown) => void lines.push({ event, fields })
  return { info: at, warn: at, error: at }
}

/** Opens a bus that the test closes. */
async function open(t: Test, servers: readonly string[], more: Partial<NatsOptions> = {}): Promise<Bus> {
  const bus = await openNats({ servers, syncAlways: false, name: 'test', log: logInto([]), ...more })
  t.teardown(() => bus.close())
  return bus
}

async function startServer(t: Test, setup?: Parameters<typeof TestNats.start>[0]): Promise<TestNats> {
  const server = await TestNats.start(setup)
  t.teardown(() => server.stop())
  return server
}

async function startCluster(t: Test): Promise<TestNatsCluster> {
  const cluster = await TestNatsCluster.start()
  t.teardown(() => cluster.stop())
  return cluster
}

/** A client of the test's own, for what no node would ever do. */
async function stranger(t: Test, server: TestNats): Promise<NatsConnection> {
  const connection = await connect({ servers: [server.address], noAsyncTraces: true })
  t.teardown(() => connection.close())
  return connection
}

async function api<T>(connection: NatsConnection, verb: string, request: object = {}): Promise<T> {
  const answer = await connection.request(`$JS.API.${verb}`, JSON.stringify(request), { timeout: 30_000 })
  return answer.json<T>()
}

/** Calls until it is answered, as everybody does who is not or whom nobody hears. */
async function retryUntilDone<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof BusUnreachable || error instanceof NoResponders)) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** Why a request fails once the subject has a subscriber: other nodes know of a subscription a moment later. */
async function failureOf(bus: Bus, subject: string, withinMs: number): Promise<unknown> {
  for (;;) {
    const outcome = await bus.request(subject, bytes('x'), withinMs).catch((error) => error)
    if (!(outcome instanceof NoResponders)) return outcome
  }
}

async function fill(log: Log, count: number, from = 0): Promise<void> {
  for (let after = from; after < from + count; after++) await log.append(bytes(`entry ${after + 1}`), after)
}

const neverEnds = (t: Test) => (why: unknown) => void t.fail(`it ended: ${why}`)

/** Collects what a follower is told, and why it ended. */
function follower(log: Log, after: number) {
  const received: string[] = []
  const ends: unknown[] = []
  const stop = log.follow(
    after,
    (entry, number) => {
      received.push(`${number}: ${text(entry)}`)
    },
    (why) => ends.push(why),
  )
  return { received, ends, stop }
}

const entries = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => `${first + at}: entry ${first + at}`)

/** Collects what a watcher sees as `key=value`, or `key gone`. */
async function watcher(bucket: Bucket) {
  const seen: string[] = []
  const stop = await bucket.watch((key, kvEntry) => {
    seen.push(kvEntry.value === undefined ? `${key} gone` : `${key}=${text(kvEntry.value)}`)
  })
  return { seen, stop }
}

async function* partsOf(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

async function readAll(parts: AsyncIterable<Uint8Array> | undefined): Promise<Buffer | undefined> {
  if (!parts) return undefined
  const read: Uint8Array[] = []
  for await (const part of parts) read.push(part)
  return Buffer.concat(read)
}

/** The time of day, and as much later as it is told to be. */
function aheadClock(): Clock & { aheadMs: number } {
  const clock = {
    ...systemClock,
    aheadMs: 0,
    now: () => Date.now() + clock.aheadMs,
    setTimer: (at: number, call: () => void) => systemClock.setTimer(at - clock.aheadMs, call),
  }
  return clock
}

/** A clock for waits that nobody should sit through: every look at it is a second later. */
function hastyClock(): Clock {
  let polls = 0
  return {
    now: () => Date.now() + 1000 * polls++,
    monotonic: () => performance.now(),
    nextTick: systemClock.nextTick,
    setTimer(_at, call) {
      const timer = setTimeout(call, 5)
      return () => clearTimeout(timer)
    },
  }
}

t.test('Framing and parsing have no I/O', async (t) => {
  t.test('A message split into frames is reassembled, for any size and order of arrival', async (t) => {
    const cases = fc.record({
      body: fc.uint8Array({ maxLength: 400 }),
      frameBytes: fc.integer({ min: 1, max: 80 }),
      order: fc.infiniteStream(fc.nat()),
      repeats: fc.boolean(),
    })
    fc.assert(
      fc.property(cases, ({ body, frameBytes, order, repeats }) => {
        const assemble = createAssembly({ messageBytes: 400, partialMessages: 4, partialMs: 1 }, () => 0)
        const frames = framesOf(body, frameBytes, () => 'id')
        const others = framesOf(new Uint8Array(200), 50, () => 'other')
        const waiting = [...frames]
        const wholes: Uint8Array[] = []
        while (waiting.length > 0) {
          const [frame] = waiting.splice(order.next().value % waiting.length, 1)
          const made = assemble(frame!)
          if (made) wholes.push(made)
          if (repeats && waiting.length > 0) assemble(frame!)
          if (waiting.length > 1) assemble(others[0]!)
        }
        return wholes.length === 1 && Buffer.compare(wholes[0]!, body) === 0
      }),
    )
    t.same(
      framesOf(new Uint8Array(9), 9, () => 'id'),
      [{ body: new Uint8Array(9) }],
      'one that fits is left alone',
    )
  })

  t.test('Incomplete messages are bounded in number, age and size', async (t) => {
    const clock = manualClock()
    const bounds = { messageBytes: 100, partialMessages: 3, partialMs: 1000 }
    const assemble = createAssembly(bounds, clock.monotonic)
    const cut = (id: string, length = 20) => framesOf(Buffer.alloc(length, id), 10, () => id)
    const halves = (id: string): [Frame, Frame] => cut(id) as [Frame, Frame]
    for (const id of ['a', 'b', 'c', 'd']) assemble(halves(id)[0])
    t.equal(assemble(halves('a')[1]), undefined, 'the oldest gave way to the fourth')
    t.equal(text(assemble(halves('d')[1])), 'd'.repeat(20))
    await clock.advance(1000)
    assemble(halves('e')[0])
    t.equal(assemble(halves('c')[1]), undefined, 'messages that are too old were dropped, too')
    t.equal(text(assemble(halves('e')[1])), 'e'.repeat(20))
    t.equal(cut('f', 110).map(assemble).filter(Boolean).length, 0, 'a message longer than agreed is dropped')
    t.equal(cut('g', 100).map(assemble).filter(Boolean).length, 1)
  })

  t.test('A frame with an invalid header is dropped', async (t) => {
    const assemble = createAssembly({ messageBytes: 100, partialMessages: 3, partialMs: 1000 }, () => 0)
    for (const header of [
      'x',
      '1 id 0',
      '2 id 0 1',
      '1 id 1 1',
      '1 id -1 1',
      '1 id 0.5 1',
      '1 id 0 1 2',
      '1  0 1',
      '1 id 0 0',
    ]) {
      t.equal(assemble({ body: bytes('x'), header }), undefined, header)
    }
    t.equal(text(assemble({ body: bytes('x'), header: '1 id 0 1' })), 'x', 'and this is how a sound one looks')
    assemble({ body: bytes('x'), header: '1 two 0 2' })
    t.equal(assemble({ body: bytes('x'), header: '1 two 1 3' }), undefined, 'one that disagrees with its fellows')
  })

  t.test('Parts of any size become chunks of one size', async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 30 })),
        fc.integer({ min: 1, max: 40 }),
        async (parts, size) => {
          const chunks: Uint8Array[] = []
          for await (const chunk of chunksOf(partsOf(...parts), size)) chunks.push(chunk)
          const same = Buffer.compare(Buffer.concat(chunks), Buffer.concat(parts)) === 0
          return (
            same &&
            chunks.every(({ length }, at) => (at < chunks.length - 1 ? length === size : length > 0 && length <= size))
          )
        },
      ),
    )
    t.pass('in every run')
  })

  t.test('Server URLs are parsed with their credentials and printed without them', async (t) => {
    t.same(readAddresses(['a:1', 'nats://b', 'tls://[::1]:5']), {
      servers: ['a:1', 'b:4222', '[::1]:5'],
      hosts: ['a', 'b', '::1'],
      tls: true,
    })
    t.match(readAddresses(['a:1', 'nats://me:p%40ss%3A1@b:2']), {
      servers: ['a:1', 'b:2'],
      tls: false,
      user: 'me',
      password: 'p@ss:1',
    })
    t.match(readAddresses(['nats://s3cret@b']), { servers: ['b:4222'], token: 's3cret' })
  })

  t.test('Versions are compared numerically', async (t) => {
    const safe = [2, 10, 27]
    for (const old of ['2.9.10', '2.10.26', '1.99.99', 'v2.10.3', '2.10', '2', 'dev']) t.ok(isOlder(old, safe), old)
    for (const fine of ['2.10.27', '2.10.27-RC.1', '2.11.0', '3.0.0', 'v2.15.1', '2.10.100'])
      t.notOk(isOlder(fine, safe), fine)
    const numbers = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20))
    const agree = fc.property(numbers, numbers, (one, other) => {
      const [a, b] = [one, other].map(([major, minor, patch]) => major * 10_000 + minor * 100 + patch) as [
        number,
        number,
      ]
      return isOlder(one.join('.'), other) === a < b
    })
    t.doesNotThrow(() => fc.assert(agree))
  })

  t.test('Server settings that may lose data cause a warning', async (t) => {
    const sound = { address: 'a:1', version: '2.15.1', payloadBytes: 1, clustered: true }
    t.same(serverWarnings(sound, true), [])
    t.match(serverWarnings({ ...sound, version: '2.10.26' }, true), [/2\.10\.26.*2\.10\.27.*lost when the power fails/])
    t.match(serverWarnings(sound, false), [/PARLEY_NATS_SYNC_ALWAYS.*sync_interval: always.*lost when the power fails/])
    t.match(serverWarnings({ ...sound, clustered: false }, true), [/single NATS server/])
    t.equal(serverWarnings({ ...sound, version: '2.9.10', clustered: false }, false).length, 3)
  })

  t.test('No text of a caller reaches beyond its token in a subject', async (t) => {
    for (const fine of ['shard.3', 'node.n1ab', 'A-z.0', 'x']) t.equal(checkWords(fine), fine)
    const strange = fc.string({ unit: 'grapheme' }).filter((word) => !/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(word))
    const listed = fc.constantFrom(
      '',
      '.',
      'a.',
      '.a',
      'a..b',
      '*',
      '>',
      'a.*',
      'a b',
      'a\r\nPUB x',
      '$JS.API',
      'a_b',
      'é',
    )
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(fc.oneof(strange, listed), (word) => {
          try {
            checkWords(word)
            return false
          } catch (error) {
            return error instanceof RangeError
          }
        }),
      ),
    )
  })
})

t.test('A follower that misses a message, or gets none in time, ends', async (t) => {
  const ends: unknown[] = []
  const received: number[] = []
  const { log, deliver } = await scriptedLog(t)
  const followLog = (onEntry = (number: number) => void received.push(number)) =>
    log.follow(
      4,
      (_entry, number) => onEntry(number),
      (why) => ends.push(why),
    )
  followLog()
  await waitUntil(() => deliver.ready())
  deliver.message(5, 1)
  deliver.message(6, 2)
  await waitUntil(() => received.length === 2)
  deliver.message(7, 4)
  await waitUntil(() => ends.length > 0)
  t.match(ends, [/lost on its way/])
  t.same(received, [5, 6])
  deliver.message(8, 5)
  await waitUntil(() => true)
  t.same([received, ends.length], [[5, 6], 1], 'and is silent from then on')

  deliver.forget()
  followLog(() => {})
  await waitUntil(() => deliver.ready())
  deliver.message(6, 1)
  await waitUntil(() => ends.length > 1)
  t.match(ends[1], /Entry 5 of PARLEY_SHARD_0 is gone/, 'an entry that was never sent is missed too')

  deliver.forget()
  followLog(() => {})
  await waitUntil(() => deliver.ready())
  await new Promise((resolve) => setTimeout(resolve, limits.heartbeatMs / 2))
  t.equal(ends.length, 2, 'a little silence is borne')
  await waitUntil(() => ends.length > 2)
  t.match(ends[2], /fell silent/)

  const caughtUp: number[] = []
  deliver.forget()
  const stop = followLog((number) => void caughtUp.push(number))
  await waitUntil(() => deliver.ready())
  for (const [delivery, number] of [3, 4, 5].entries()) deliver.message(number, delivery + 1)
  await waitUntil(() => caughtUp.length > 0)
  t.same(caughtUp, [5], 'entries before the start are skipped')
  t.equal(ends.length, 3)
  stop()
})

/** A log of nine entries on a server that delivers what the test says. */
async function scriptedLog(t: Test) {
  let pulled: string | undefined
  const server = await ScriptedNats.start((subject, body, reply) => {
    const verb = subject.replace('$JS.API.', '')
    if (verb.startsWith('CONSUMER.MSG.NEXT')) pulled = reply
    else if (verb.startsWith('CONSUMER.CREATE')) {
      const { config, stream_name } = JSON.parse(body)
      return { name: config.name, stream_name, config }
    } else return { config: { num_replicas: 1 }, state: { messages: 9, first_seq: 1, last_seq: 9 } }
    return undefined
  })
  t.teardown(() => server.stop())
  const bus = await open(t, [server.url])
  const deliver = {
    ready: () => pulled !== undefined,
    forget: () => {
      pulled = undefined
    },
    message: (number: number, delivery: number) =>
      pulled && server.deliver(pulled, 'parley.log.0', `$JS.ACK.S.c.1.${number}.${delivery}.0.9`, 'x'),
  }
  return { log: await bus.log(0), deliver }
}

t.test('A leader of two silent periods is made to step down, and a new one is not', async (t) => {
  const clock = manualClock()
  let leader = 'n1'
  let silent = true
  const stepDowns: string[] = []
  const clients = {
    manager: { streams: { info: async () => ({ cluster: { leader } }) } },
    nats: { request: async () => void stepDowns.push(leader) },
    jetstream: {
      async publish() {
        if (silent) throw new TimeoutError()
        return { seq: 1 }
      },
    },
  } as unknown as Clients
  const connection: Connection = {
    clients,
    server: () => ({ address: '', version: '2.9.10', payloadBytes: 1, clustered: false }),
    failure: () => undefined,
    call: (work) => work(clients).catch((error) => Promise.reject(busError(error))),
    watch: () => () => {},
  }
  const context = {
    connection,
    clock,
    log: logInto([]),
    closing: new AbortController().signal,
    pending: new Map<string, string>(),
    inbox: { request: () => Promise.reject(new TimeoutError()) },
  }
  const stream = createStream(context, { name: 'S', subjects: ['s'], storage: 'file' })
  const publish = async () => {
    await publishTo(stream, 's', bytes('x')).catch(() => {})
    await clock.advance(1)
  }
  await publish()
  leader = 'n2'
  await publish()
  t.same(stepDowns, [], 'another leads by now')
  silent = false
  await publish()
  silent = true
  await publish()
  t.same(stepDowns, [], 'it has accepted an entry since')
  await publish()
  t.same(stepDowns, ['n2'])
  await publish()
  t.same(stepDowns, ['n2'], 'and gets its time again')
})

t.test('A log fulfils its contract', async (t) => {
  const server = await startServer(t)
  const bus = await open(t, [server.url])
  let shards = 0
  const newLog = () => bus.log(shards++)

  t.test('Entries are numbered from 1 without gaps, and read back as appended', async (t) => {
    const log = await newLog()
    t.same(await log.bounds(), { first: 1, last: 0 })
    await fill(log, 3)
    t.same(await log.bounds(), { first: 1, last: 3 })
    t.equal(text(await log.read(2)), 'entry 2')
    t.equal(await log.read(0), undefined)
    t.equal(await log.read(4), undefined, 'an entry that does not exist yet')
    t.equal(await log.append(new Uint8Array(0), 3), 'appended', 'an empty entry is one too')
    t.equal((await log.read(4))?.length, 0)
  })

  t.test('An append anywhere but at the end is refused without a trace', async (t) => {
    const log = await newLog()
    t.equal(await log.append(bytes('late'), 1), 'conflict', 'beyond the end')
    await fill(log, 2)
    for (const after of [0, 1, 3, 99]) t.equal(await log.append(bytes('stale'), after), 'conflict', `after ${after}`)
    t.same(await log.bounds(), { first: 1, last: 2 })
  })

  t.test('Of two writers who append after the same entry exactly one succeeds', async (t) => {
    const log = await newLog()
    const other = await (await open(t, [server.url])).log(shards - 1)
    for (let after = 0; after < 40; after++) {
      const outcomes = await Promise.all([log.append(bytes('one'), after), other.append(bytes('other'), after)])
      t.same([...outcomes].sort(), ['appended', 'conflict'], `entry ${after + 1}`)
      t.equal(text(await log.read(after + 1)), outcomes[0] === 'appended' ? 'one' : 'other')
    }
  })

  t.test('Appends may overlap, and after a refusal all later ones are refused', async (t) => {
    const log = await newLog()
    const append = (after: number) => log.append(bytes(`entry ${after + 1}`), after)
    const first = await Promise.all(Array.from({ length: 300 }, (_, after) => append(after)))
    t.same(new Set(first), new Set(['appended']))
    const skipping = await Promise.all(Array.from({ length: 50 }, (_, at) => append(301 + at)))
    t.same(new Set(skipping), new Set(['conflict']))
    const { received, stop } = follower(log, 0)
    await waitUntil(() => received.length === 300)
    t.same(received, entries(1, 300))
    stop()
  })

  t.test('The largest entry is appended, read and followed, and one byte more is refused', async (t) => {
    const log = await newLog()
    const entry = Buffer.alloc(log.entryBytes, 'large')
    t.equal(await log.append(entry, 0), 'appended')
    t.ok(entry.equals((await log.read(1)) as Buffer))
    let received: Uint8Array | undefined
    const stop = log.follow(
      0,
      (each) => {
        received = each
      },
      neverEnds(t),
    )
    await waitUntil(() => received !== undefined)
    t.ok(entry.equals(received as Buffer))
    stop()
    const tooLarge = Buffer.alloc(log.entryBytes + limits.headerBytes)
    await t.rejects(log.append(tooLarge, 1), /max_payload/)
    t.same(await log.bounds(), { first: 1, last: 1 })
  })

  t.test('A follower gets every entry once and in order, the next when the last was processed', async (t) => {
    const log = await newLog()
    const count = limits.entriesAhead * 4
    await fill(log, count)
    const received: number[] = []
    let taking = 0
    const stop = log.follow(
      10,
      async (_entry, number) => {
        t.equal(++taking, 1, `entry ${number} is alone`)
        received.push(number)
        await new Promise((resolve) => setImmediate(resolve))
        taking--
      },
      neverEnds(t),
    )
    await waitUntil(() => received.length === count - 10)
    await fill(log, 5, count)
    await waitUntil(() => received.length === count - 5)
    t.same(
      received,
      Array.from({ length: count - 5 }, (_, at) => at + 11),
      'those that came later too',
    )
    stop()
    await fill(log, 1, count + 5)
    const late = follower(log, count)
    await waitUntil(() => late.received.length === 6)
    t.equal(received.length, count - 5, 'an ended follower gets nothing')
    late.stop()
  })

  t.test('A slow follower buffers no more than a few entries', async (t) => {
    const log = await newLog()
    await fill(log, limits.entriesAhead * 3)
    let release = () => {}
    let received = 0
    const stop = log.follow(
      0,
      () => {
        received++
        return new Promise<void>((resolve) => {
          release = resolve
        })
      },
      neverEnds(t),
    )
    await waitUntil(() => received === 1)
    // Longer than the silence that would end it: what is not asked for is not missed.
    await new Promise((resolve) => setTimeout(resolve, limits.heartbeatMs * (limits.heartbeatsMissed + 2)))
    t.equal(received, 1)
    while (received < limits.entriesAhead * 3) {
      const before = received
      release()
      await waitUntil(() => received > before)
    }
    t.pass('and hears all of them in its own time')
    stop()
  })

  t.test('A follower whose handler throws gets the error and no more entries', async (t) => {
    const log = await newLog()
    await fill(log, 3)
    const ends: unknown[] = []
    const received: number[] = []
    log.follow(
      0,
      async (_entry, number) => {
        received.push(number)
        if (number === 2) throw new Error('cannot take it')
      },
      (why) => ends.push(why),
    )
    await waitUntil(() => ends.length > 0)
    t.match(ends, [/cannot take it/])
    t.same(received, [1, 2])
  })

  t.test('Trimmed entries are removed, numbering continues, and a follower that needs them ends', async (t) => {
    const log = await newLog()
    await fill(log, 6)
    const waiting = follower(log, 6)
    await log.trim(4)
    t.same(await log.bounds(), { first: 5, last: 6 })
    t.equal(await log.read(4), undefined)
    t.equal(text(await log.read(5)), 'entry 5')
    const early = follower(log, 3)
    await waitUntil(() => early.ends.length > 0)
    t.match(early.ends, [/4 .*trimmed/])
    t.same(early.received, [])
    const onTime = follower(log, 4)
    await waitUntil(() => onTime.received.length === 2)
    await log.trim(6)
    t.same(await log.bounds(), { first: 7, last: 6 }, 'all of it')
    await log.trim(1_000)
    t.same(await log.bounds(), { first: 7, last: 6 }, 'trimming missing entries changes nothing')
    await log.trim(3)
    t.equal(await log.append(bytes('entry 7'), 6), 'appended')
    await waitUntil(() => onTime.received.length === 3 && waiting.received.length === 1)
    t.same(onTime.received, entries(5, 7), 'a follower that had all entries continues')
    t.same([onTime.ends, waiting.ends], [[], []])
    onTime.stop()
    waiting.stop()
  })

  t.test('A follower whose next entries are trimmed ends even without further appends', async (t) => {
    const log = await newLog()
    await fill(log, limits.entriesAhead * 2)
    let release = () => {}
    const ends: unknown[] = []
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let received = 0
    log.follow(
      0,
      () => {
        received++
        return gate
      },
      (why) => ends.push(why),
    )
    await waitUntil(() => received === 1)
    await log.trim(limits.entriesAhead * 2)
    release()
    await waitUntil(() => ends.length > 0)
    t.match(ends, [/is gone/])
  })

  t.test('A follower ahead of the log does not wait for ever', async (t) => {
    const log = await newLog()
    await fill(log, 2)
    const { ends, received } = follower(log, 5)
    await waitUntil(() => ends.length > 0)
    t.match(ends, [/ends at 2, before 5/])
    t.same(received, [])
  })
})

t.test('A log survives the loss of its only server', async (t) => {
  t.test('Appended entries survive a restart of the server, even when all were trimmed', async (t) => {
    const server = await startServer(t)
    const bus = await open(t, [server.url])
    const [log, trimmed] = [await bus.log(0), await bus.log(1)]
    await fill(log, 20)
    await fill(trimmed, 20)
    await trimmed.trim(20)
    for (const end of ['kill', 'end'] as const) {
      await server[end]()
      await server.start()
      t.same(await retryUntilDone(() => log.bounds()), { first: 1, last: 20 }, end)
      t.same(await trimmed.bounds(), { first: 21, last: 20 }, 'an empty log remembers where it ended')
    }
    t.equal(await log.append(bytes('stale'), 19), 'conflict')
    t.equal(await trimmed.append(bytes('next'), 20), 'appended')
  })

  t.test('All waiters learn of the loss at once, and everything resumes by itself', async (t) => {
    const server = await startServer(t)
    const logged: Logged[] = []
    let reconnects = 0
    const bus = await open(t, [server.url], { log: logInto(logged), reconnects: { add: () => void reconnects++ } })
    const log = await bus.log(0)
    await fill(log, 5)
    await bus.settings.put('kept', bytes('1'))
    await bus.members.put('n1', bytes('here'))
    const followLog = follower(log, 0)
    const settings = await watcher(bus.settings)
    const members = await watcher(bus.members)
    bus.serve('shard.0', async (body) => body)
    bus.serve('deaf', () => new Promise(() => {}))
    await waitUntil(() => followLog.received.length === 5)
    t.equal(bus.failure(), undefined)

    const unanswered = bus.request('deaf', bytes('?'), hourMs)
    unanswered.catch(() => {})
    await server.kill()
    await t.rejects(unanswered, BusUnreachable)
    await waitUntil(() => followLog.ends.length > 0)
    t.match(followLog.ends, [{ name: 'BusUnreachable' }])
    t.match(bus.failure(), new RegExp(`^The NATS servers are away since ${server.address} was lost.*\\.$`))
    const calls: (() => Promise<unknown>)[] = [
      () => log.append(bytes('x'), 5),
      () => log.bounds(),
      () => log.read(1),
      () => bus.settings.get('kept'),
      () => bus.members.put('n1', bytes('x')),
      () => bus.request('shard.0', bytes('x'), hourMs),
      () => bus.objects.get('x'),
    ]
    for (const call of calls) await t.rejects(call(), BusUnreachable)
    const away = follower(log, 5)
    await waitUntil(() => away.ends.length > 0)
    t.match(away.ends, [{ name: 'BusUnreachable' }])

    await server.start()
    await waitUntil(() => bus.failure() === undefined)
    t.equal(text(await retryUntilDone(() => bus.request('shard.0', bytes('back'), 5_000))), 'back')
    t.equal(await retryUntilDone(() => log.append(bytes('entry 6'), 5)), 'appended')
    const restartedFollower = follower(log, 5)
    await waitUntil(() => restartedFollower.received.length === 1)
    t.same(restartedFollower.received, entries(6, 6))
    restartedFollower.stop()
    await retryUntilDone(() => bus.settings.put('new', bytes('2')))
    await waitUntil(() => settings.seen.includes('new=2'))
    t.same(settings.seen, ['kept=1', 'new=2'], 'an unchanged value is not reported again')
    await waitUntil(() => members.seen.includes('n1 gone'))
    await retryUntilDone(() => bus.members.put('n1', bytes('again')))
    await waitUntil(() => members.seen.includes('n1=again'))
    t.same(members.seen, ['n1=here', 'n1 gone', 'n1=again'], 'the members went with the server’s memory')
    t.match(
      logged.map(({ event }) => event).filter((event) => /disconnected|reconnected/.test(event)),
      ['bus.disconnected', 'bus.reconnected'],
    )
    t.equal(reconnects, 1)
  })

  t.test('A server that hangs is detected', async (t) => {
    const server = await startServer(t)
    const bus = await open(t, [server.url])
    const log = await bus.log(0)
    const followLog = follower(log, 0)
    await waitUntil(async () => (await log.bounds()).last === 0)
    await server.pause()
    await waitUntil(() => bus.failure() !== undefined && followLog.ends.length > 0)
    await t.rejects(log.append(bytes('x'), 0), BusUnreachable)
    server.resume()
    await waitUntil(() => bus.failure() === undefined)
    t.equal(await retryUntilDone(() => log.append(bytes('x'), 1 - 1)), 'appended')
  })

  t.test('A server that lost its disk shows logs that were reset', async (t) => {
    const server = await startServer(t)
    const bus = await open(t, [server.url])
    const log = await bus.log(0)
    await fill(log, 7)
    await bus.settings.put('shards', bytes('16'))
    await bus.objects.put('shard.0', partsOf(bytes('old')))
    await server.kill()
    server.loseDisk()
    await server.start()
    t.same(await retryUntilDone(() => log.bounds()), { first: 1, last: 0 })
    t.equal(await log.append(bytes('x'), 7), 'conflict')
    const { ends } = follower(log, 7)
    await waitUntil(() => ends.length > 0)
    t.match(ends, [/ends at 0, before 7/])
    t.equal(await log.append(bytes('x'), 0), 'appended')
    t.equal(await bus.settings.get('shards'), undefined)
    t.equal(await bus.objects.get('shard.0'), undefined)
    await retryUntilDone(() => bus.settings.put('shards', bytes('16')))
    t.equal(text((await bus.settings.get('shards'))?.value), '16')
  })
})

t.test('A server with a full store refuses appends with a reason, and resumes when it has space', async (t) => {
  const server = await startServer(t, { storeLimit: '3MB' })
  const bus = await open(t, [server.url])
  const log = await bus.log(0)
  const entry = Buffer.alloc(200_000, 'full')
  let last = 0
  const refusal: Error = await (async () => {
    for (;;) {
      try {
        t.equal(await log.append(entry, last), 'appended')
        last++
      } catch (error) {
        return error as Error
      }
    }
  })()
  t.ok(refusal instanceof BusUnreachable)
  t.match(refusal.message, /insufficient/)
  t.same(await log.bounds(), { first: 1, last })
  t.ok(entry.equals((await log.read(last)) as Buffer), 'its existing entries stay')
  await log.trim(last - 1)
  t.equal(await log.append(entry, last), 'appended')
})

t.test('A bucket fulfils its contract', async (t) => {
  const server = await startServer(t)
  const bus = await open(t, [server.url])
  const other = await open(t, [server.url])

  for (const name of ['members', 'settings'] as const) {
    t.test(`A value put into ${name} is read by all clients, with growing revisions`, async (t) => {
      const [mine, theirs] = [bus[name], other[name]]
      t.equal(await mine.get('a.b-1'), undefined)
      const first = await mine.put('a.b-1', bytes('one'))
      t.same(await theirs.get('a.b-1'), { revision: first, value: bytes('one') })
      const second = await theirs.put('a.b-1', bytes('two'))
      t.ok(second > first)
      t.same(await mine.get('a.b-1'), { revision: second, value: bytes('two') })
      await theirs.put('empty', new Uint8Array(0))
      t.equal((await mine.get('empty'))?.value?.length, 0, 'an empty value is a value')
      await mine.remove('a.b-1')
      const removed = (await theirs.get('a.b-1')) as KvEntry
      t.ok(removed.revision > second)
      t.equal(removed.value, undefined)
      for (const key of ['', 'a b', 'a.*', '>', 'a..b', 'a_b'])
        await t.rejects(mine.put(key, bytes('x')), RangeError, key)
    })
  }

  t.test('One of many concurrent creates of a key succeeds, even after it was removed', async (t) => {
    const crowd = (round: string) =>
      Promise.all(
        Array.from({ length: 20 }, (_, at) => [bus, other][at % 2]!.settings.create('lock', bytes(`${round} ${at}`))),
      )
    for (const round of ['first', 'second', 'third']) {
      const won = await crowd(round)
      t.equal(won.filter(Boolean).length, 1, round)
      t.equal(text((await bus.settings.get('lock'))?.value), `${round} ${won.indexOf(true)}`)
      t.equal(await other.settings.create('lock', bytes('late')), false)
      await bus.settings.remove('lock')
    }
  })

  t.test('A watcher gets the current keys, then every change of a key in order', async (t) => {
    const bucket = bus.settings
    await bucket.put('w.1', bytes('a'))
    await bucket.put('w.2', bytes('b'))
    await bucket.put('w.3', bytes('c'))
    await bucket.remove('w.3')
    const { seen, stop } = await watcher(other.settings)
    const ours = () => seen.filter((line) => line.startsWith('w.'))
    t.same(ours(), ['w.1=a', 'w.2=b', 'w.3 gone'], 'reported before the watch resolves')
    for (let round = 0; round < 100; round++) await bucket.put('w.1', bytes(String(round)))
    await bucket.remove('w.2')
    await waitUntil(() => ours().at(-1) === 'w.2 gone')
    const counted = ours()
      .filter((line) => line.startsWith('w.1='))
      .slice(1)
    t.equal(counted.at(-1), 'w.1=99')
    t.same(
      counted,
      [...counted].sort((a, b) => Number(a.slice(4)) - Number(b.slice(4))),
      'in order',
    )
    stop()
    const before = seen.length
    const later = await watcher(other.settings)
    await bucket.put('w.1', bytes('after'))
    await waitUntil(() => later.seen.includes('w.1=after'))
    t.equal(seen.length, before, 'an ended watcher gets nothing')
    later.stop()
  })

  t.test('A removal reaches all watchers, and is forgotten after a long time', async (t) => {
    const lonely = await startServer(t)
    const clock = aheadClock()
    const [{ settings }, near] = [await open(t, [lonely.url], { clock }), await open(t, [lonely.url])]
    const outside = await stranger(t, lonely)
    const countMessages = async () =>
      (await api<{ state: { messages: number } }>(outside, 'STREAM.INFO.KV_parley_settings')).state.messages
    const { seen, stop } = await watcher(near.settings)
    async function putAndRemove(from: number, count: number) {
      for (let at = from; at < from + count; at++) {
        await settings.put(`k.${at}`, bytes('x'))
        await settings.remove(`k.${at}`)
      }
    }
    await settings.put('stays', bytes('here'))
    await putAndRemove(0, 40)
    t.equal(await countMessages(), 41)
    await waitUntil(() => seen.at(-1) === 'k.39 gone')
    t.equal(seen.filter((line) => line.endsWith('gone')).length, 40)
    clock.aheadMs = limits.removalKeptMs
    await putAndRemove(40, 20)
    t.ok((await countMessages()) <= 6, `${await countMessages()} messages are left`)
    const later = await watcher(near.settings)
    t.ok(later.seen.includes('stays=here'))
    t.equal((await settings.get('k.0'))?.value, undefined)
    t.equal(await settings.create('k.0', bytes('again')), true)
    await waitUntil(() => seen.at(-1) === 'k.0=again')
    stop()
    later.stop()
  })

  t.test('A watcher of an empty bucket is ready at once, and one that throws gets further changes', async (t) => {
    const lonely = await startServer(t)
    const logged: Logged[] = []
    const { members } = await open(t, [lonely.url], { log: logInto(logged) })
    const seen: string[] = []
    const stop = await members.watch((key) => {
      seen.push(key)
      throw new Error('a bug of the watcher')
    })
    await members.put('one', bytes('1'))
    await members.put('two', bytes('2'))
    await waitUntil(() => seen.length === 2)
    t.same(seen, ['one', 'two'])
    t.equal(logged.filter(({ event }) => event === 'bus.watcher.failed').length, 2)
    stop()
  })
})

t.test('Messages travel between nodes', async (t) => {
  const server = await startServer(t)
  const [bus, other] = [await open(t, [server.url]), await open(t, [server.url])]
  const echo = async (body: Uint8Array) => body

  t.test('Messages of any size travel in both directions', async (t) => {
    t.teardown(other.serve('echo', echo))
    for (const length of [0, 1, limits.frameBytes, limits.frameBytes + 1, 3_000_000, limits.messageBytes]) {
      const body = Buffer.alloc(length, 'parley')
      const answer = await retryUntilDone(() => bus.request('echo', body, hourMs))
      t.ok(body.equals(answer as Buffer), `${length} bytes`)
    }
    const many = Array.from({ length: 200 }, (_, at) => Buffer.alloc(at % 7 === 0 ? limits.frameBytes + at : at, at))
    const answers = await Promise.all(many.map((body) => retryUntilDone(() => bus.request('echo', body, 10_000))))
    t.ok(
      answers.every((answer, at) => many[at]?.equals(answer as Buffer)),
      'at once, each with its own answer',
    )
  })

  t.test('A message that is too long throws before it is sent', async (t) => {
    let serveCalls = 0
    t.teardown(
      other.serve('count', async () => {
        serveCalls++
        return Buffer.alloc(limits.messageBytes + 1)
      }),
    )
    await t.rejects(bus.request('count', Buffer.alloc(limits.messageBytes + 1), hourMs), RangeError)
    t.equal(serveCalls, 0)
    t.ok((await failureOf(bus, 'count', 200)) instanceof BusUnreachable, 'a reply that is too long counts as none')
    t.equal(serveCalls, 1)
    for (const subject of ['', 'a b', 'a.*', '>', 'log_1'])
      await t.rejects(bus.request(subject, bytes('x'), 200), RangeError)
    t.throws(() => bus.serve('a.>', echo), RangeError)
  })

  t.test('A request without a listener fails at once, and one without a reply after its timeout', async (t) => {
    await t.rejects(bus.request('nobody', bytes('x'), hourMs), NoResponders)
    await t.rejects(bus.request('nobody', Buffer.alloc(3_000_000), hourMs), NoResponders, 'however many frames')
    const stop = other.serve('silent', () => new Promise(() => {}))
    t.ok((await failureOf(bus, 'silent', 50)) instanceof BusUnreachable)
    stop()
    await waitUntil(
      async () => (await bus.request('silent', bytes('x'), 50).catch((each) => each)) instanceof NoResponders,
    )
    t.pass('and one that no longer serves does not listen')
  })

  t.test('A request does not wait for earlier ones, and a rejected handler sends no reply', async (t) => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    t.teardown(
      other.serve('mixed', async (body) => {
        if (text(body) === 'slow') await gate
        if (text(body) === 'bad') throw new Error('no answer')
        return body
      }),
    )
    const slow = retryUntilDone(() => bus.request('mixed', bytes('slow'), hourMs))
    t.equal(text(await retryUntilDone(() => bus.request('mixed', bytes('quick'), hourMs))), 'quick')
    await t.rejects(bus.request('mixed', bytes('bad'), 100), BusUnreachable)
    release()
    t.equal(text(await slow), 'slow')
  })

  t.test('A request reaches every server of its subject once, and the first reply wins', async (t) => {
    const serveCalls: string[] = []
    const answerAs = (name: string) => async (body: Uint8Array) => {
      serveCalls.push(`${name} ${text(body)}`)
      return Buffer.alloc(3_000_000, name)
    }
    const callsIn = (round: string) => serveCalls.filter((line) => line.endsWith(` ${round}`)).sort()
    t.teardown(other.serve('both', answerAs('a')))
    t.teardown(bus.serve('both', answerAs('b')))
    await waitUntil(async () => {
      serveCalls.length = 0
      await retryUntilDone(() => bus.request('both', bytes('trial'), hourMs))
      return callsIn('trial').length === 2
    })
    const answer = await bus.request('both', bytes('real'), hourMs)
    t.match(text(answer), /^(a{3000000}|b{3000000})$/, 'answers of many frames do not mix')
    await waitUntil(() => callsIn('real').length === 2)
    t.same(callsIn('real'), ['a real', 'b real'])
  })

  t.test('Frames that fit a server with a small limit carry the longest message too', async (t) => {
    const small = await startServer(t, { lines: ['max_payload: 65536'] })
    const narrow = await open(t, [small.url])
    narrow.serve('echo', echo)
    const body = Buffer.alloc(limits.messageBytes, 'narrow')
    t.ok(body.equals((await retryUntilDone(() => narrow.request('echo', body, hourMs))) as Buffer))
    t.equal((await narrow.log(0)).entryBytes, 65536 - limits.headerBytes)
    await narrow.objects.put('s', partsOf(body))
    t.ok(body.equals((await readAll(await narrow.objects.get('s'))) as Buffer))
  })
})

t.test('Snapshots fulfil their contract', async (t) => {
  const server = await startServer(t)
  const bus = await open(t, [server.url])
  const { objects } = bus
  const outside = await stranger(t, server)
  const countMessages = async () =>
    (await api<{ state: { messages: number } }>(outside, 'STREAM.INFO.OBJ_parley_snapshots')).state.messages

  t.test('An object is read back completely, in parts of any size', async (t) => {
    t.equal(await objects.get('shard.1'), undefined)
    await objects.put('first', partsOf(bytes('the very first')))
    t.equal(text(await readAll(await objects.get('first'))), 'the very first')
    const large = Buffer.alloc(5_000_000, 'snapshot')
    for (const [name, ...parts] of [
      ['empty'],
      ['one byte', bytes('x')],
      ['large', large],
      ['uneven', large.subarray(0, 100), new Uint8Array(0), large.subarray(100, 300_001), large.subarray(300_001)],
    ] as [string, ...Buffer[]][]) {
      await objects.put(name, partsOf(...parts))
      t.ok(Buffer.concat(parts).equals((await readAll(await objects.get(name)))!), name)
    }
  })

  t.test('A new object replaces the old one once it is complete, and nothing of the old one stays', async (t) => {
    const before = await countMessages()
    const sized = (fill: string) => partsOf(Buffer.alloc(limits.objectChunkBytes * 3, fill))
    await objects.put('shard.1', sized('a'))
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    async function* slow() {
      yield* sized('b')
      await gate
    }
    const putting = objects.put('shard.1', slow())
    await waitUntil(async () => (await countMessages()) > before + 4)
    t.match(text(await readAll(await objects.get('shard.1'))), /^a+$/, 'the old object is read in the meantime')
    release()
    await putting
    t.match(text(await readAll(await objects.get('shard.1'))), /^b+$/)
    t.equal(await countMessages(), before + 4, 'three chunks and their index')
    await objects.remove('shard.1')
    t.equal(await objects.get('shard.1'), undefined)
    await objects.remove('shard.1')
    t.equal(await countMessages(), before + 1)
  })

  t.test('Objects with a common prefix in their names are independent', async (t) => {
    await objects.put('shard', partsOf(bytes('short')))
    await objects.put('shard.1', partsOf(bytes('long')))
    await objects.put('shard', partsOf(bytes('short again')))
    t.equal(text(await readAll(await objects.get('shard.1'))), 'long')
  })

  t.test('A put that fails midway leaves the old object and nothing else', async (t) => {
    await objects.put('steady', partsOf(bytes('old')))
    const before = await countMessages()
    async function* failMidway() {
      yield Buffer.alloc(limits.objectChunkBytes * 20, 'x')
      throw new Error('the reader failed')
    }
    await t.rejects(objects.put('steady', failMidway()), /the reader failed/)
    t.equal(text(await readAll(await objects.get('steady'))), 'old')
    t.equal(await countMessages(), before)
  })

  t.test('A removal also removes incomplete objects, and a writer in progress is refused', async (t) => {
    const before = await countMessages()
    const sized = () => Buffer.alloc(limits.objectChunkBytes * 3, 'x')
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    async function* haltMidway() {
      yield sized()
      await gate
    }
    const putting = objects.put('half', haltMidway())
    await waitUntil(async () => (await countMessages()) === before + 3)
    await objects.remove('half')
    t.equal(await countMessages(), before + 1, 'that it was removed')
    release()
    await t.rejects(putting, BusUnreachable)
    t.equal(await objects.get('half'), undefined)
    t.equal(await countMessages(), before + 1)
  })

  t.test('The removal of an object is forgotten after a long time', async (t) => {
    const clock = aheadClock()
    const { objects } = await open(t, [server.url], { clock })
    const before = await countMessages()
    async function putAndRemove(from: number, count: number) {
      for (let at = from; at < from + count; at++) {
        await objects.put(`passing-${at}`, partsOf(bytes('x')))
        await objects.remove(`passing-${at}`)
      }
    }
    await putAndRemove(0, 20)
    t.equal(await countMessages(), before + 20)
    clock.aheadMs = limits.removalKeptMs
    await putAndRemove(20, 20)
    t.ok((await countMessages()) <= before + 5, `${(await countMessages()) - before} messages are left`)
    t.equal(text(await readAll(await objects.get('steady'))), 'old')
  })

  t.test('Of two concurrent puts one succeeds, and the object is one of the two', async (t) => {
    const other = await open(t, [server.url])
    let arrived = 0
    async function* together(fill: string) {
      yield Buffer.alloc(limits.objectChunkBytes * 4, fill)
      arrived++
      await waitUntil(() => arrived === 2)
    }
    const outcomes = await Promise.allSettled([
      objects.put('contested', together('a')),
      other.objects.put('contested', together('b')),
    ])
    t.same(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const won = outcomes[0].status === 'fulfilled' ? 'a' : 'b'
    t.equal(text(await readAll(await objects.get('contested'))), won.repeat(limits.objectChunkBytes * 4))
  })

  t.test('An object that is replaced, truncated or altered during a read throws', async (t) => {
    const three = (fill: string) => partsOf(Buffer.alloc(limits.objectChunkBytes * 3, fill))
    await objects.put('moving', three('a'))
    const reading = (await objects.get('moving'))![Symbol.asyncIterator]()
    await reading.next()
    await objects.put('moving', three('b'))
    await t.rejects(reading.next(), /replaced while it was read/)

    const meta = async () => {
      const subject = `$O.parley_snapshots.M.${Buffer.from('moving').toString('base64')}`
      const { message } = await api<{ message: { data: string } }>(outside, 'STREAM.MSG.GET.OBJ_parley_snapshots', {
        last_by_subj: subject,
      })
      return { subject, ...JSON.parse(Buffer.from(message.data, 'base64').toString()) }
    }
    const { nuid, digest } = await meta()
    const content = createHash('sha256').update(Buffer.alloc(limits.objectChunkBytes * 3, 'b'))
    t.equal(
      digest,
      `SHA-256=${content.digest('base64').replaceAll('+', '-').replaceAll('/', '_')}`,
      'as NATS’s own tools read it',
    )
    await api(outside, 'STREAM.PURGE.OBJ_parley_snapshots', { filter: `$O.parley_snapshots.C.${nuid}`, keep: 2 })
    await t.rejects(readAll(await objects.get('moving')), /replaced while it was read/)
    await outside.request(`$O.parley_snapshots.C.${nuid}`, Buffer.alloc(limits.objectChunkBytes, 'c'))
    await t.rejects(readAll(await objects.get('moving')), /its digest differs/)
  })
})

t.test('A cluster of three servers tolerates failures', async (t) => {
  const cluster = await startCluster(t)

  t.test('Every appended entry is present once and in order after two kills of the leader', async (t) => {
    const bus = await open(t, cluster.urls)
    t.notMatch(bus.warnings().join(), /single/)
    const log = await bus.log(0)
    const count = 300
    const kills = [80, 190]
    const followLog: string[] = []
    const follow = (after: number): (() => void) =>
      log.follow(
        after,
        (entry, number) => void followLog.push(`${number}: ${text(entry)}`),
        () => {
          if (followLog.length < count) setTimeout(follow, 20, followLog.length)
        },
      )
    follow(0)
    let killed: TestNats | undefined
    for (let after = 0; after < count; after++) {
      if (kills.includes(after)) {
        await killed?.start()
        killed = await cluster.leaderOf('PARLEY_SHARD_0')
        void killed.kill()
      }
      await appendSurely(log, bytes(`entry ${after + 1}`), after)
    }
    await waitUntil(() => followLog.length === count)
    t.same(followLog, entries(1, count), 'as a continuous follower gets it')
    await killed?.start()
    for (const server of cluster.servers) {
      const other = await (await open(t, [server.url])).log(0)
      t.same(await retryUntilDone(() => other.bounds()), { first: 1, last: count })
      const { received, stop } = follower(other, 0)
      await waitUntil(() => received.length === count)
      t.same(received, entries(1, count), `as ${server.name} has it`)
      stop()
    }
  })

  t.test('A value put by one node is read by every other at once, through any server', async (t) => {
    const buses = []
    for (const server of cluster.servers) buses.push(await open(t, [server.url]))
    for (let round = 0; round < 60; round++) {
      const [writer, reader] = [buses[round % 3]!, buses[(round + 1) % 3]!]
      const revision = await retryUntilDone(() => writer.members.put('beat', bytes(String(round))))
      t.same(
        await retryUntilDone(() => reader.members.get('beat')),
        { revision, value: bytes(String(round)) },
        `round ${round}`,
      )
    }
  })

  t.test('Member records survive the loss of their leader, although they are kept in memory', async (t) => {
    const bus = await open(t, cluster.urls)
    await retryUntilDone(() => bus.members.put('n1', bytes('here')))
    const { seen, stop } = await watcher(bus.members)
    const leader = await cluster.leaderOf('KV_parley_members')
    await leader.kill()
    t.equal(text((await retryUntilDone(() => bus.members.get('n1')))?.value), 'here')
    await retryUntilDone(() => bus.members.put('n2', bytes('there')))
    await waitUntil(() => seen.includes('n2=there'))
    await leader.start()
    t.equal(text((await retryUntilDone(() => bus.members.get('n1')))?.value), 'here')
    t.notOk(seen.includes('n1 gone'))
    stop()
  })

  t.test('Without a majority appends fail, and with it they resume', async (t) => {
    const [first, ...rest] = cluster.servers as [TestNats, ...TestNats[]]
    const bus = await open(t, [first.url])
    const log = await bus.log(1)
    await fill(log, 3)
    await Promise.all(rest.map((server) => server.kill()))
    await t.rejects(log.append(bytes('entry 4'), 3), BusUnreachable)
    await Promise.all(rest.map((server) => server.start()))
    await appendSurely(log, bytes('entry 4'), 3)
    t.same(await retryUntilDone(() => log.bounds()), { first: 1, last: 4 })
    t.equal(text(await retryUntilDone(() => log.read(4))), 'entry 4')
  })

  t.test('A log with one replica is replicated over the cluster when it is opened', async (t) => {
    const outside = await stranger(t, cluster.servers[0]!)
    const alone = { name: 'PARLEY_SHARD_2', subjects: ['parley.log.2'], storage: 'file', num_replicas: 1 }
    await api(outside, 'STREAM.CREATE.PARLEY_SHARD_2', alone)
    await outside.request('parley.log.2', 'kept')
    const bus = await open(t, cluster.urls)
    const log = await bus.log(2)
    const { config } = await api<{ config: { num_replicas: number } }>(outside, 'STREAM.INFO.PARLEY_SHARD_2')
    t.equal(config.num_replicas, limits.replicas)
    t.equal(text(await retryUntilDone(() => log.read(1))), 'kept')
  })
})

t.test('A cluster with too few servers creates no log until there are enough', async (t) => {
  const cluster = await TestNatsCluster.prepare()
  t.teardown(() => cluster.stop())
  const [first, second, third] = cluster.servers as [TestNats, TestNats, TestNats]
  for (const server of [first, second]) server.spawn()
  await Promise.all([first.ready(), second.ready()])
  const logged: Logged[] = []
  const bus = await open(t, [first.url, second.url], { log: logInto(logged) })
  let made = false
  const opening = bus.log(0).then((log) => {
    made = true
    return log
  })
  await waitUntil(() => bus.failure() !== undefined)
  t.match(bus.failure(), /^The stream PARLEY_SHARD_0 cannot be made yet\. .*\.$/)
  t.equal(made, false)
  third.spawn()
  const log = await opening
  t.equal(await retryUntilDone(() => log.append(bytes('x'), 0)), 'appended')
  t.equal(bus.failure(), undefined)
  t.match(
    logged.filter(({ event }) => event === 'bus.stream.created'),
    [{ fields: { stream: 'PARLEY_SHARD_0', replicas: limits.replicas } }],
  )
})

/**
 * Appends as an owner does: after silence it asks again, and looks whose entry it is that stands there, once it can be
 * seen.
 */
async function appendSurely(log: Log, entry: Buffer, after: number): Promise<void> {
  for (;;) {
    if ((await retryUntilDone(() => log.append(entry, after))) === 'appended') return
    const there = await retryUntilDone(() => log.read(after + 1))
    if (there && entry.equals(there)) return
    if (there) throw new Error(`entry ${after + 1} is ${text(there)}, not ${text(entry)}`)
  }
}

t.test('Connections are authenticated', async (t) => {
  const refusalOf = async (options: Partial<NatsOptions>): Promise<string> => {
    try {
      const bus = await openNats({ servers: [], syncAlways: true, name: 'test', log: logInto([]), ...options })
      await bus.close()
      return 'opened'
    } catch (error) {
      t.ok(error instanceof BusUnusable, String(error))
      return (error as Error).message
    }
  }
  const works = async (t: Test, servers: string[], more: Partial<NatsOptions>) => {
    const bus = await open(t, servers, more)
    t.equal(await (await bus.log(0)).append(bytes('x'), 0), 'appended')
  }

  t.test('A correct password connects, a wrong one does not, and neither is printed', async (t) => {
    const server = await startServer(t, { user: 'parley', password: 'p@ss:w/rd1' })
    await works(t, [server.url], {})
    for (const servers of [[server.url.replace('rd1', 'rd2')], [server.address], [`s3cret@${server.address}`]]) {
      const sentence = await refusalOf({ servers })
      t.equal(sentence, `The NATS server at ${server.address} refuses these credentials.`)
    }
  })

  t.test('A credentials file connects, even after renewal, and a wrong one does not', async (t) => {
    const dir = t.testdir({ 'garbage.creds': 'garbage' })
    const operator = makeOperator()
    const file = (name: string) => join(dir, name)
    operator.writeCreds(file('good.creds'))
    makeOperator().writeCreds(file('foreign.creds'))
    const server = await startServer(t, { lines: operator.lines })
    const servers = [server.url]
    const bus = await open(t, servers, { credsFile: file('good.creds') })
    t.equal(await (await bus.log(0)).append(bytes('x'), 0), 'appended')
    t.match(await refusalOf({ servers, credsFile: file('foreign.creds') }), /refuses these credentials\.$/)
    t.match(await refusalOf({ servers }), /refuses these credentials\.$/)
    t.match(
      await refusalOf({ servers, credsFile: file('garbage.creds') }),
      /garbage\.creds holds no NATS credentials\.$/,
    )
    t.match(await refusalOf({ servers, credsFile: file('none.creds') }), /none\.creds cannot be read: ENOENT\.$/)

    writeFileSync(file('good.creds'), 'half writ')
    await server.kill()
    await waitUntil(() => bus.failure() !== undefined)
    await server.start()
    await waitUntil(() => bus.failure() === undefined)
    operator.writeCreds(file('good.creds'))
    await server.kill()
    await waitUntil(() => bus.failure() !== undefined)
    await server.start()
    await waitUntil(() => bus.failure() === undefined)
    t.equal(await retryUntilDone(async () => (await bus.log(0)).append(bytes('x'), 1)), 'appended')
  })

  t.test(
    'A server needs a certificate of its authority for its name, and TLS never falls back to plain text',
    async (t) => {
      const folders = t.testdir({ ours: {}, theirs: {}, elsewhere: {} })
      const ours = makeCertificates(join(folders, 'ours'))
      const theirs = makeCertificates(join(folders, 'theirs'))
      const elsewhere = makeCertificates(join(folders, 'elsewhere'), ['DNS:elsewhere.example'])
      const server = await startServer(t, { tls: ours, user: 'parley', password: 'secret-word' })
      const byName = server.url.replace('127.0.0.1', 'localhost')
      const untrusted = /^No trusted TLS connection to NATS at (127\.0\.0\.1|localhost):\d+: [A-Z_]+\.$/
      await works(t, [server.url], { tlsCaFile: ours.caFile })
      t.equal(await refusalOf({ servers: [byName], tlsCaFile: ours.caFile }), 'opened')
      t.match(await refusalOf({ servers: [server.url] }), untrusted, 'without an authority')
      t.match(
        await refusalOf({ servers: [server.url.replace('tls:', 'nats:')] }),
        untrusted,
        'even if TLS was not requested',
      )
      t.match(await refusalOf({ servers: [server.url], tlsCaFile: theirs.caFile }), untrusted, 'with another authority')
      t.match(
        await refusalOf({ servers: [server.url], tlsCaFile: join(folders, 'no.pem') }),
        /no\.pem cannot be read: ENOENT\.$/,
      )

      const impostor = await startServer(t, { tls: elsewhere })
      for (const url of [impostor.url, impostor.url.replace('127.0.0.1', 'localhost')]) {
        t.match(
          await refusalOf({ servers: [url], tlsCaFile: elsewhere.caFile }),
          /ERR_TLS_CERT_ALTNAME_INVALID\.$/,
          url,
        )
      }
      const plain = await startServer(t)
      t.match(await refusalOf({ servers: [`tls://${plain.address}`] }), /server does not support 'tls'\.$/)
      t.match(await refusalOf({ servers: [plain.url], tlsCaFile: ours.caFile }), /server does not support 'tls'\.$/)
    },
  )

  t.test('A server without JetStream is refused', async (t) => {
    const server = await startServer(t, { jetstream: false })
    t.equal(
      await refusalOf({ servers: [server.url] }),
      `The NATS server at ${server.address} offers no JetStream to this user.`,
    )
  })

  t.test('A server that is not up yet is waited for, up to a limit', async (t) => {
    const server = await startServer(t)
    await server.end()
    const servers = [`nats://user:secret-word@${server.address}`]
    t.equal(
      await refusalOf({ servers, clock: hastyClock() }),
      `No NATS server can be reached at ${server.address}: connection refused.`,
    )
    let waiting = true
    const patient = { ...systemClock, now: () => (waiting ? 0 : Date.now()) }
    const opening = open(t, [server.url], { clock: patient })
    await server.start()
    const bus = await opening
    waiting = false
    t.equal(bus.failure(), undefined)
  })
})

t.test('A bus can be closed', async (t) => {
  const server = await startServer(t)

  t.test('Pending calls finish or fail, and later ones are refused', async (t) => {
    const bus = await open(t, [server.url])
    const log = await bus.log(0)
    const appending = Array.from({ length: 50 }, (_, after) => log.append(bytes('x'), after))
    const { ends } = follower(log, 0)
    const stop = await bus.settings.watch(() => {})
    await bus.close()
    await bus.close()
    const outcomes = await Promise.allSettled(appending)
    t.ok(outcomes.every((each) => each.status === 'fulfilled' || each.reason instanceof BusUnreachable))
    await waitUntil(() => ends.length === 1)
    await t.rejects(log.append(bytes('x'), 50), BusUnreachable)
    await t.rejects(
      bus.settings.watch(() => {}),
      BusUnreachable,
    )
    await t.rejects(bus.request('x', bytes('x'), hourMs), BusUnreachable)
    t.match(bus.failure(), /closed/)
    stop()
  })

  t.test('A bus without servers closes too', async (t) => {
    const lonely = await startServer(t)
    const bus = await open(t, [lonely.url])
    await lonely.kill()
    await waitUntil(() => bus.failure() !== undefined)
    const waiting = bus.log(9)
    waiting.catch(() => {})
    await bus.close()
    await t.rejects(waiting, BusUnreachable)
  })

  t.test('A closed bus leaves nothing on the server', async (t) => {
    const outside = await stranger(t, server)
    const consumers = async (stream: string) =>
      (await api<{ state: { consumer_count: number } }>(outside, `STREAM.INFO.${stream}`)).state.consumer_count
    const bus = await open(t, [server.url])
    const log = await bus.log(1)
    const followLog = follower(log, 0)
    const stop = await bus.settings.watch(() => {})
    await waitUntil(
      async () => (await consumers('PARLEY_SHARD_1')) === 1 && (await consumers('KV_parley_settings')) > 0,
    )
    followLog.stop()
    stop()
    await waitUntil(async () => (await consumers('PARLEY_SHARD_1')) === 0)
    t.pass('followers are taken away when they end')
  })
})

t.test('No message of a stranger disturbs a node', async (t) => {
  const server = await startServer(t)
  const logged: Logged[] = []
  const bus = await open(t, [server.url], { log: logInto(logged) })
  const log = await bus.log(0)
  const outside = await stranger(t, server)
  const { received, ends, stop } = follower(log, 0)
  t.teardown(bus.serve('echo', async (body) => body))
  const odd = headers()
  odd.set('Parley-Frame', '1 x 0 99999999999')
  for (let round = 0; round < 100; round++)
    outside.publish('parley.echo', bytes('frame'), { headers: odd, reply: 'x.y' })
  outside.publish('parley.echo', bytes('nobody waits'))
  await outside.flush()
  t.equal(text(await retryUntilDone(() => bus.request('echo', bytes('fine'), hourMs))), 'fine')
  await outside.request('parley.log.0', 'written by a stranger')
  await waitUntil(() => received.length === 1)
  t.equal(await log.append(bytes('mine'), 0), 'conflict', 'an entry of any writer is an entry')
  t.same(ends, [])
  t.same(
    logged.filter(({ event }) => event === 'bus.listener.failed'),
    [],
  )
  stop()
})
