/** How long media is kept and what is left of it: use, retention, crashes at every step, and two processes at once. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { media as limits } from '../../../core/limits/index.js'
import type { RehostedMedia } from '../../../runtime/media/contract.js'
import { openMedia } from '../../../runtime/media/media.js'
import { createNatsStore } from '../../../runtime/media/natsstore.js'
import {
  hashOf,
  mediaCommands,
  mediaHandlers,
  ownerOf,
  recordTable,
  unfinishedTable,
} from '../../../runtime/media/record.js'
import { mediaRoutes } from '../../../runtime/media/routes.js'
import { openNats } from '../../../runtime/nats/bus.js'
import { createLog } from '../../../runtime/observe/log.js'
import { eventually, readerFor } from '../../contract/shards/fixture.js'
import { openNodeFixture } from '../../harness/engines.js'
import { TestNats } from '../../harness/nats.js'
import { anything, type MediaFixture, openMediaFixture } from './fixture.js'
import { holdUntilReleased, openOrigin, sends } from './origin.js'
import { jpeg, png } from './samples.js'

const day = 24 * 3_600_000

async function hostedBy({ media }: Pick<MediaFixture, 'media'>, url: string): Promise<RehostedMedia> {
  const answer = await media.rehost(url, anything)
  if (!('url' in answer)) throw new Error(`${url} is not hosted: ${JSON.stringify(answer)}`)
  return answer
}

const nameOf = ({ url }: RehostedMedia) => url.slice(url.lastIndexOf('/') + 1)

/** What the shard knows of a URL. */
function recordOf({ fixture }: MediaFixture, url: string) {
  const hash = hashOf(url)
  const reader = readerFor(fixture, ownerOf(hash))
  return {
    kept: reader.get(recordTable, [hash]),
    begun: [...reader.range(unfinishedTable, { prefix: [hash] })].map(({ key }) => key[1]),
  }
}

t.test('A stored URL is not fetched again, and another query is another URL', async (t) => {
  const origin = await openOrigin(t, { png: sends(png) })
  const fixture = await openMediaFixture(t)
  const first = await hostedBy(fixture, origin.at('png?size=1'))
  t.same(await hostedBy(fixture, origin.at('png?size=1')), first)
  const other = await hostedBy(fixture, origin.at('png?size=2'))
  t.not(other.url, first.url)
  t.same(origin.seen, ['/png?size=1', '/png?size=2'])
  const record = recordOf(fixture, origin.at('png?size=1'))
  t.match(record, { kept: { name: nameOf(first), type: 'image/png', bytes: png.length }, begun: [] })
  t.notMatch(JSON.stringify(record), /png\?size/, 'the URL itself, which may contain credentials, is not stored')
})

t.test('Stored media survives the process', async (t) => {
  const origin = await openOrigin(t, { png: sends(png) })
  const before = await openMediaFixture(t)
  const first = await hostedBy(before, origin.at('png'))
  await before.fixture.crash()
  const after = await openMediaFixture(t, { after: before })
  t.same(await hostedBy(after, origin.at('png')), first)
  t.equal(origin.seen.length, 1)
})

t.test('Media is stored for at least 30 days from its last use, and then removed', async (t) => {
  const origin = await openOrigin(t, { used: sends(png), left: sends(jpeg) })
  const fixture = await openMediaFixture(t)
  const { time } = fixture.fixture
  const used = await hostedBy(fixture, origin.at('used'))
  const remaining = await hostedBy(fixture, origin.at('left'))
  for (let passed = 0; passed < 28; passed += 7) {
    await time.advance(7 * day)
    await hostedBy(fixture, origin.at('used'))
  }
  await time.advance(2 * day - 1)
  t.same(await fixture.files(), [nameOf(used), nameOf(remaining)].sort(), 'no item is removed before 30 days')
  await eventually(fixture.fixture, async () => (await fixture.files()).length === 1, day)
  t.same(await fixture.files(), [nameOf(used)], 'items used since stay')
  t.same(recordOf(fixture, origin.at('left')), { kept: undefined, begun: [] })
  t.equal(origin.seen.length, 2)
  t.same(await hostedBy(fixture, origin.at('used')), used, 'it was never fetched again')
  await time.advance(30 * day - 1)
  t.same(await fixture.files(), [nameOf(used)], '30 days from its last use')
  await eventually(fixture.fixture, async () => (await fixture.files()).length === 0, day)
  t.not((await hostedBy(fixture, origin.at('used'))).url, used.url, 'then it is fetched anew, under another address')
})

t.test('A use shortly after a recorded one extends the retention just as well', async (t) => {
  const origin = await openOrigin(t, { png: sends(png) })
  const fixture = await openMediaFixture(t)
  await hostedBy(fixture, origin.at('png'))
  await fixture.fixture.time.advance(limits.usedEveryMs - 1)
  const { commits } = fixture.fixture
  const before = commits.length
  await hostedBy(fixture, origin.at('png'))
  t.equal(commits.length, before, 'no use was written')
  await fixture.fixture.time.advance(limits.retentionMs - 1)
  t.equal((await fixture.files()).length, 1)
  await fixture.fixture.time.advance(limits.usedEveryMs)
  await eventually(fixture.fixture, async () => (await fixture.files()).length === 0)
})

t.test('The time scale divides the retention of media', async (t) => {
  const origin = await openOrigin(t, { png: sends(png) })
  const fixture = await openMediaFixture(t, { timeScale: 1_000 })
  await hostedBy(fixture, origin.at('png'))
  await fixture.fixture.time.advance(limits.retentionMs / 1_000 - 1)
  t.equal((await fixture.files()).length, 1)
  await fixture.fixture.time.advance(limits.usedEveryMs / 1_000 + 1)
  await eventually(fixture.fixture, async () => (await fixture.files()).length === 0)
})

t.test('A record whose bytes were lost is repaired by a fetch, under a new URL', async (t) => {
  const origin = await openOrigin(t, { png: sends(png) })
  const fixture = await openMediaFixture(t)
  const first = await hostedBy(fixture, origin.at('png'))
  rmSync(join(fixture.dir, nameOf(first)))
  const second = await hostedBy(fixture, origin.at('png'))
  t.not(second.url, first.url)
  t.match(fixture.logged, [{ event: 'media.missing' }])
  t.same(await fixture.files(), [nameOf(second)])
})

t.test('A fetch that fails midway leaves no file and no record', async (t) => {
  const body = Buffer.concat([png, Buffer.alloc(100_000)])
  const origin = await openOrigin(t, {
    large: (response) => void response.end(body),
    broken(response) {
      response.writeHead(200, { 'content-length': body.length * 2 })
      response.write(body, () => response.socket?.destroy())
    },
  })
  const fixture = await openMediaFixture(t)
  const accepts = { types: ['image/png'], maxBytes: 50_000 }
  t.match(await fixture.media.rehost(origin.at('large'), accepts), { why: 'size' })
  t.match(await fixture.media.rehost(origin.at('broken'), anything), { why: 'source' })
  for (const name of ['large', 'broken'])
    t.same(recordOf(fixture, origin.at(name)), { kept: undefined, begun: [] }, name)
  t.same(await fixture.files(), [])
})

/** A process that ends at one step of keeping something: while its bytes are written, or once they are. */
async function crash(t: Test, step: 'writing' | 'written') {
  const origin = await openOrigin(t, { png: sends(png) })
  const [there, isOver] = [gate(), gate()]
  t.teardown(isOver.open)
  const before = await openMediaFixture(t, {
    wrapObjects: (objects) => ({
      ...objects,
      async put(name, parts) {
        async function* haltMidway() {
          yield* parts
          if (step === 'writing') await halt()
        }
        await objects.put(name, haltMidway())
        await halt()
      },
    }),
  })
  async function halt(): Promise<void> {
    there.open()
    await isOver.opened
  }
  void before.media.rehost(origin.at('png'), anything).catch(() => {})
  await there.opened
  const [file] = await before.files()
  const remaining = recordOf(before, origin.at('png'))
  await before.fixture.crash()
  const after = await openMediaFixture(t, { after: before })
  return { file, remaining, after, url: origin.at('png') }
}

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened }
}

t.test(
  'After a crash between the bytes and their record, the record of the begun fetch removes the file',
  async (t) => {
    const { file, remaining, after, url } = await crash(t, 'written')
    t.same(remaining, { kept: undefined, begun: [file] })
    await after.fixture.time.advance(limits.unfinishedMs - 1)
    t.same(await after.files(), [file], 'the process that began it may still be writing')
    await after.fixture.time.advance(1)
    await eventually(after.fixture, async () => (await after.files()).length === 0)
    t.same(recordOf(after, url), { kept: undefined, begun: [] })
  },
)

t.test('After a crash during a write the next start removes the partial file', async (t) => {
  const { file, remaining, after, url } = await crash(t, 'writing')
  t.match(file, /\.part$/)
  t.same(remaining, { kept: undefined, begun: [file?.replace('.part', '')] })
  t.same(await after.files(), [])
  t.match(await hostedBy(after, url), { type: 'image/png' }, 'and the next fetch is not blocked')
  await after.fixture.time.advance(limits.unfinishedMs)
  await eventually(after.fixture, () => recordOf(after, url).begun.length === 0)
  t.equal((await after.files()).length, 1, 'an item stored since is not dropped')
})

t.test('A crash between removing a record and its bytes is completed by the next process', async (t) => {
  const origin = await openOrigin(t, { png: sends(png) })
  let isDead = false
  const before = await openMediaFixture(t, {
    wrapObjects: (objects) => ({
      ...objects,
      remove: (name) => (isDead ? new Promise(() => {}) : objects.remove(name)),
    }),
  })
  await hostedBy(before, origin.at('png'))
  isDead = true
  await before.fixture.time.advance(limits.retentionMs + limits.usedEveryMs)
  await eventually(before.fixture, () => recordOf(before, origin.at('png')).kept === undefined)
  t.equal((await before.files()).length, 1)
  await before.fixture.crash()
  const after = await openMediaFixture(t, { after: before })
  await eventually(after.fixture, async () => (await after.files()).length === 0)
  t.pass('the file is gone')
})

t.test('Late and repeated commands change nothing', async (t) => {
  const { fixture, commands, objects } = await openMediaFixture(t)
  const hash = hashOf('https://media.example/a')
  const execute = (command: keyof typeof commands, input: object) =>
    fixture.shards.execute(ownerOf(hash), commands[command] as never, { hash, ...input } as never)
  const stored = { type: 'image/png', bytes: 3 }
  async function* three() {
    yield Buffer.from('abc')
  }
  await objects.put('a.png', three())
  t.equal(
    await execute('finish', { name: 'a.png', ...stored }),
    null,
    'an item never begun, or abandoned, is not stored',
  )
  t.equal(await execute('touch', {}), null)
  await execute('begin', { name: 'a.png' })
  t.match(await execute('finish', { name: 'a.png', ...stored }), { name: 'a.png', ...stored })
  t.match(await execute('finish', { name: 'a.png', ...stored }), { name: 'a.png' })
  await execute('abandon', { name: 'a.png' })
  await execute('drop', { name: 'another.png' })
  await execute('sweep', {})
  await fixture.time.advance(1_000)
  t.ok(await objects.get('a.png'), 'it is still there')
  t.match(await execute('touch', {}), { name: 'a.png', touchedAt: fixture.clock.now() })
})

t.test(
  'Two processes of a cluster that fetch one URL concurrently agree, and each serves the other’s media',
  async (t) => {
    const body = holdUntilReleased(png)
    const origin = await openOrigin(t, { png: body.setBehavior, jpeg: sends(jpeg) })
    const server = await TestNats.start()
    const { log } = createLog({ destination: { write: () => {} } })
    const buses = await Promise.all(
      ['one', 'two'].map((name) => openNats({ servers: [server.url], syncAlways: false, log, name })),
    )
    t.teardown(async () => {
      await Promise.all(buses.map((bus) => bus.close()))
      await server.stop()
    })
    const [one, two] = buses.map((bus) => createNatsStore(bus.objects))
    const commands = mediaCommands({ timeScale: 1 })
    const removed: string[] = []
    const watched = {
      ...one!,
      async remove(name: string) {
        await one!.remove(name)
        removed.push(name)
      },
    }
    const fixture = await openNodeFixture(t, { handlers: mediaHandlers(commands, watched) })
    const both = [one!, two!].map((objects) =>
      openMedia({
        allowPrivate: true,
        shards: fixture.shards,
        commands,
        store: objects,
        publicUrl: () => 'https://gateway.test',
        timeScale: 1,
        clock: fixture.clock,
        log,
        randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
      }),
    )
    t.teardown(() => Promise.all(both.map((each) => each.close())))
    const pending = both.map((media) => media.rehost(origin.at('png'), anything))
    while (origin.seen.length < 2) await new Promise((next) => setTimeout(next, 1))
    body.release()
    const [first, second] = await Promise.all(pending)
    t.same(first, second)
    t.match(first, { type: 'image/png', bytes: png.length })
    const name = nameOf(first as RehostedMedia)
    for (const objects of [one!, two!]) {
      const [route] = mediaRoutes({ store: objects })
      const call = { params: { name }, header: () => '' }
      const answer = await route!.handler(call as never)
      if (isRefusal(answer)) t.fail('it is not served')
      else t.ok(png.equals(answer.body as Buffer), 'served by each process')
    }
    await eventually(fixture, () => removed.length === 1)
    t.not(removed[0], name, 'the later one is removed')
    await hostedBy({ media: both[0]! }, origin.at('jpeg'))
    await hostedBy({ media: both[1]! }, origin.at('jpeg'))
    t.same(origin.seen, ['/png', '/png', '/jpeg'], 'media stored by one is not fetched by the other')
  },
)
