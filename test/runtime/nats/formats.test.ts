/**
 * What stands in JetStream: streams, values and objects of version 0.1.0 are read, and the official libraries read
 * ours.
 */
import { createHash } from 'node:crypto'
import { jetstream, jetstreamManager, type StreamConfig } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { Objm } from '@nats-io/obj'
import { connect, headers, type NatsConnection } from '@nats-io/transport-node'
import t, { type Test } from 'tap'
import { openNats } from '../../../runtime/nats/bus.js'
import type { Bus } from '../../../runtime/nats/contract.js'
import { waitUntil } from '../../harness/clock.js'
import { TestNats } from '../../harness/nats.js'

t.jobs = 1

const bytes = (text: string) => Buffer.from(text)
const text = (body: Uint8Array | undefined) => body && Buffer.from(body).toString()

async function start(t: Test): Promise<{ server: TestNats; outside: NatsConnection }> {
  const server = await TestNats.start()
  t.teardown(() => server.stop())
  const outside = await connect({ servers: [server.address], noAsyncTraces: true })
  t.teardown(() => outside.close())
  return { server, outside }
}

async function open(t: Test, server: TestNats): Promise<Bus> {
  const log = { info() {}, warn() {}, error() {} }
  const bus = await openNats({ servers: [server.url], syncAlways: false, name: 'test', log })
  t.teardown(() => bus.close())
  return bus
}

async function readAll(parts: AsyncIterable<Uint8Array> | undefined): Promise<Buffer | undefined> {
  if (!parts) return undefined
  const read: Uint8Array[] = []
  for await (const part of parts) read.push(part)
  return Buffer.concat(read)
}

/** As version 0.1.0 asked for them, before the official libraries came in. */
const always = { retention: 'limits', discard: 'new', deny_delete: true, allow_direct: false, num_replicas: 1 }
const streams = [
  { name: 'PARLEY_SHARD_0', subjects: ['parley.log.0'], storage: 'file' },
  {
    name: 'KV_parley_settings',
    subjects: ['$KV.parley_settings.>'],
    storage: 'file',
    max_msgs_per_subject: 1,
    max_age: 0,
  },
  {
    name: 'OBJ_parley_snapshots',
    subjects: ['$O.parley_snapshots.C.>', '$O.parley_snapshots.M.>'],
    storage: 'file',
    allow_rollup_hdrs: true,
  },
].map((settings) => ({ ...settings, ...always }) as unknown as StreamConfig & { name: string })

t.test('Logs, values and objects that version 0.1.0 wrote are read, and their streams stay unchanged', async (t) => {
  const { server, outside } = await start(t)
  const manager = await jetstreamManager(outside)
  for (const stream of streams) await manager.streams.add({ ...stream })
  const configs = () => Promise.all(streams.map(async ({ name }) => (await manager.streams.info(name)).config))
  const before = await configs()
  const write = async (subject: string, body: Uint8Array, ...pairs: [name: string, value: string][]) => {
    const sent = headers()
    for (const [name, value] of pairs) sent.append(name, value)
    const answer = (await outside.request(subject, body, { headers: sent, timeout: 10_000 })).json<{
      seq?: number
      error?: object
    }>()
    t.ok(answer.seq, `${subject} is accepted`)
  }

  for (const after of [0, 1, 2]) {
    await write('parley.log.0', bytes(`entry ${after + 1}`), ['Nats-Expected-Last-Sequence', String(after)])
  }
  await write('$KV.parley_settings.pin.3', bytes('n1'))
  await write('$KV.parley_settings.begun.0', bytes('x'))
  await write('$KV.parley_settings.begun.0', bytes(''), ['KV-Operation', 'DEL'])
  const [name, word] = ['shard-0', Buffer.from('shard-0').toString('base64url')]
  const chunks = [Buffer.alloc(131_072, 'a'), Buffer.alloc(1_000, 'b')]
  const nuid = `${word}.0123456789abcdef01234567`
  for (const chunk of chunks) await write(`$O.parley_snapshots.C.${nuid}`, chunk)
  const digest = createHash('sha256').update(Buffer.concat(chunks)).digest('base64')
  const sizes = { size: 132_072, chunks: 2, digest: `SHA-256=${digest.replaceAll('+', '-').replaceAll('/', '_')}` }
  const meta = { name, bucket: 'parley_snapshots', nuid, ...sizes, mtime: new Date(0).toISOString(), deleted: false }
  const metaSubject = `$O.parley_snapshots.M.${word.padEnd(12, '=')}`
  const newest: [string, string][] = [
    ['Nats-Rollup', 'sub'],
    ['Nats-Expected-Last-Subject-Sequence', '0'],
  ]
  await write(metaSubject, bytes(JSON.stringify(meta)), ...newest)

  const bus = await open(t, server)
  const log = await bus.log(0)
  t.same(await log.bounds(), { first: 1, last: 3 })
  t.equal(text(await log.read(2)), 'entry 2')
  const entries: (string | undefined)[] = []
  const stop = log.follow(
    0,
    (entry) => void entries.push(text(entry)),
    (why) => t.fail(String(why)),
  )
  await waitUntil(() => entries.length === 3)
  stop()
  t.same(entries, ['entry 1', 'entry 2', 'entry 3'])
  t.equal(await log.append(bytes('entry 4'), 3), 'appended')

  const seen: string[] = []
  const unwatch = await bus.settings.watch((key, { value }) => void seen.push(`${key} ${text(value) ?? 'gone'}`))
  unwatch()
  t.same(seen.sort(), ['begun.0 gone', 'pin.3 n1'])
  t.equal(await bus.settings.create('pin.3', bytes('n2')), false)
  t.equal(await bus.settings.create('begun.0', bytes('y')), true)

  t.ok(Buffer.concat(chunks).equals((await readAll(await bus.objects.get(name)))!))
  await bus.objects.put(
    name,
    (async function* () {
      yield bytes('newer')
    })(),
  )
  t.equal(text(await readAll(await bus.objects.get(name))), 'newer', 'and replaced')
  t.same(await configs(), before)
})

t.test('Values and objects can be read by the official libraries and tools of NATS', async (t) => {
  const { server, outside } = await start(t)
  const bus = await open(t, server)
  await bus.settings.put('pin.3', bytes('n1'))
  await bus.settings.put('pin.4', bytes('n1'))
  await bus.settings.remove('pin.4')
  const large = Buffer.alloc(300_000, 'object')
  const put = (name: string) =>
    bus.objects.put(
      name,
      (async function* () {
        yield large
      })(),
    )
  await put('media/a b.png')
  await put('gone')
  await bus.objects.remove('gone')

  const client = jetstream(outside)
  const values = await new Kvm(client).open('parley_settings')
  t.equal((await values.get('pin.3'))?.string(), 'n1')
  t.equal((await values.get('pin.4'))?.operation, 'DEL')
  const objects = await new Objm(client).open('parley_snapshots')
  t.ok(large.equals((await objects.getBlob('media/a b.png'))!))
  t.equal(await objects.get('gone'), null)
  t.same(
    (await objects.list()).map(({ name }) => name),
    ['media/a b.png'],
  )
  await values.put('pin.5', 'by another')
  t.equal(text((await bus.settings.get('pin.5'))?.value), 'by another')
})
