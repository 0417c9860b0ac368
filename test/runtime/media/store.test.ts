/** Where the bytes of media are kept: files, and the object store of a cluster, under one suite. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { media as limits } from '../../../core/limits/index.js'
import { type MediaStore, StorageFull } from '../../../runtime/media/contract.js'
import { createFileStore } from '../../../runtime/media/filestore.js'
import { createNatsStore } from '../../../runtime/media/natsstore.js'
import { openMediaStore } from '../../../runtime/media/store.js'
import { openNats } from '../../../runtime/nats/bus.js'
import { createLog } from '../../../runtime/observe/log.js'
import { TestNats } from '../../harness/nats.js'
import { objectsSuite } from './suite.js'

const { log } = createLog({ destination: { write: () => {} } })

function folder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-media-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function* blocks(count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at++) yield Buffer.alloc(limits.diskCheckBytes / 2)
}

t.test('Files fulfil the contract of the media store', async (t) => {
  const dir = folder(t)
  const plenty = async () => limits.freeDiskBytes
  const one = await createFileStore({ dir, freeBytes: plenty })
  const other = await createFileStore({ dir, freeBytes: plenty })
  objectsSuite(t, () => ({ one, other }))
})

t.test('Only their owner can enter the folder or read a file', async (t) => {
  const dir = join(folder(t), 'deep', 'media')
  const files = await createFileStore({ dir })
  await files.put('a.png', blocks(0))
  t.equal(statSync(dir).mode & 0o777, 0o700)
  t.equal(statSync(join(dir, 'a.png')).mode & 0o777, 0o600)
})

t.test('A nearly full disk accepts nothing more, even during a write, and keeps what it has', async (t) => {
  const dir = folder(t)
  let free: number = limits.freeDiskBytes
  const files = await createFileStore({ dir, freeBytes: async () => free })
  await files.put('kept.png', blocks(1))
  async function* fillDisk(): AsyncGenerator<Uint8Array> {
    yield* blocks(1)
    free = limits.freeDiskBytes - 1
    yield* blocks(3)
    t.fail('it went on writing')
  }
  await t.rejects(files.put('large.mp4', fillDisk()), StorageFull)
  await t.rejects(files.put('next.png', blocks(1)), StorageFull)
  t.same(readdirSync(dir), ['kept.png'])
  free = limits.freeDiskBytes
  await files.put('next.png', blocks(1))
  t.same(readdirSync(dir), ['kept.png', 'next.png'])
})

t.test('Half-written files of a crashed process are removed at the next start', async (t) => {
  const dir = folder(t)
  const before = await createFileStore({ dir })
  await before.put('whole.png', blocks(1))
  let goOn = () => {}
  const isOver = new Promise<void>((resolve) => {
    goOn = resolve
  })
  async function* crashMidway(): AsyncGenerator<Uint8Array> {
    yield* blocks(1)
    await isOver
  }
  const putting = before.put('half.png', crashMidway())
  writeFileSync(join(dir, 'older.png.part'), 'x')
  while (readdirSync(dir).length < 3) await new Promise((next) => setTimeout(next, 1))
  await createFileStore({ dir })
  t.same(readdirSync(dir), ['whole.png'])
  goOn()
  await t.rejects(putting)
})

t.test('The object store of a cluster fulfils the contract of the media store', async (t) => {
  const server = await TestNats.start()
  const buses = await Promise.all(
    ['one', 'other'].map((name) => openNats({ servers: [server.url], syncAlways: false, log, name })),
  )
  t.teardown(async () => {
    await Promise.all(buses.map((bus) => bus.close()))
    await server.stop()
  })
  const [one, other] = buses.map((bus) => createNatsStore(bus.objects)) as [MediaStore, MediaStore]
  objectsSuite(t, () => ({ one, other }))

  t.test('A joining node copies the files of its single-node time, and other files stay', async (t) => {
    const dataDir = folder(t)
    const dir = join(dataDir, 'media')
    const names = ['0', '1', '2'].map((each) => `${each.repeat(26)}.png`)
    const alone = await openMediaStore({ dataDir, log })
    for (const name of names) await alone.put(name, blocks(1))
    await one.put(names[1]!, blocks(1))
    writeFileSync(join(dir, 'notes.txt'), 'x')
    for (const fileNames of [['notes.txt'], ['notes.txt']]) {
      const joined = await openMediaStore({ dataDir, log, bus: buses[0]! })
      for (const name of names) t.ok(await joined.get(name), 'no file is lost during the copy')
      t.same(readdirSync(dir), fileNames)
    }
    t.ok(await other.get(names[0]!), 'every process has it now')
  })

  t.test('A removal also removes incomplete objects', async (t) => {
    const messages = async () => {
      const report = (await server.jetstream()) as unknown as { bytes: number }
      return report.bytes
    }
    const bus = await openNats({ servers: [server.url], syncAlways: false, log, name: 'crashing' })
    let sent = 0
    async function* crashMidway(): AsyncGenerator<Uint8Array> {
      for (; sent < 20; sent++) yield Buffer.alloc(128 * 1024, 1)
      await new Promise(() => {})
    }
    const before = await messages()
    void createNatsStore(bus.objects)
      .put('half.mp4', crashMidway())
      .catch(() => {})
    while ((await messages()) < before + 10 * 128 * 1024) await new Promise((next) => setTimeout(next, 5))
    await bus.close()
    await one.remove('half.mp4')
    t.equal(await one.get('half.mp4'), undefined)
    t.ok((await messages()) < before + 128 * 1024, 'its chunks are removed')
  })
})

t.test('Full servers refuse the put, which is no fault of the media', async (t) => {
  const server = await TestNats.start({ storeLimit: '2MB' })
  const bus = await openNats({ servers: [server.url], syncAlways: false, log, name: 'full' })
  t.teardown(async () => {
    await bus.close()
    await server.stop()
  })
  await t.rejects(createNatsStore(bus.objects).put('large.mp4', blocks(2)), StorageFull)
})
