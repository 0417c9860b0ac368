/**
 * Backups on a node: what the system operator can ask for, what is in one, and what a folder must be to be restored.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { backup as limits } from '../../core/limits/index.js'
import { BackupUnusable, type Manifest, readManifest } from '../../runtime/backup/manifest.js'
import { restoreBackup, verifyBackup } from '../../runtime/backup/restore.js'
import { StoreUnusable } from '../../runtime/store/contract.js'
import { waitUntil } from '../harness/clock.js'
import { openTestNode, type TestNode, type TestNodeOptions } from '../harness/node.js'
import { shardMap } from '../harness/shardmap.js'

// Whole nodes open here, on a machine that may be busy.
t.setTimeout(200_000)

const backups = '/v1/system/backups'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)

async function nodeFor(t: Pick<Test, 'teardown'>, options: TestNodeOptions = {}): Promise<TestNode> {
  const node = await openTestNode(options)
  t.teardown(() => node.close())
  return node
}

function scratch(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-backup-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function begin(node: TestNode, json: object = {}): Promise<string> {
  const { status, json: begun } = await node.mgmt('POST', backups, { token: node.key, json })
  if (status !== 202) throw new Error(JSON.stringify(begun))
  return begun.name
}

/** What has become of a backup once it is not being made any more. */
async function waitUntilEnded(
  node: TestNode,
  name: string,
): Promise<{ state: string; why?: string; manifest: Manifest }> {
  const read = async () => (await node.mgmt('GET', `${backups}/${name}`, { token: node.key })).json
  await waitUntil(async () => {
    await node.clock.advance(limits.catchUpMs / 4)
    return (await read()).state !== 'making'
  })
  return read()
}

const folderOf = (node: TestNode, name: string) => join(node.dir, 'backups', name)
const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

t.test('A backup holds the data and the media it references, and its manifest lists every file', async (t) => {
  const node = await nodeFor(t, { env: { PARLEY_SHARDS: '4' } })
  const credentials = { token: node.key }
  await node.mgmt('POST', '/v1/orgs/demo/agents', { ...credentials, json: { name: 'Desk' } })
  const uploaded = await node.mgmt('POST', '/v1/orgs/demo/agents/desk/media', {
    ...credentials,
    body: png,
    headers: { 'content-type': 'image/png' },
  })
  t.equal(uploaded.status, 201, uploaded.text)
  const at = new Date(node.clock.now()).toISOString()
  const begun = await node.mgmt('POST', backups, credentials)
  t.equal(begun.status, 202)
  t.strictSame(Object.keys(begun.json), ['name', 'state'])
  const { name } = begun.json
  const { state, manifest } = await waitUntilEnded(node, name)
  t.equal(state, 'ready')
  t.match(manifest, {
    format: 1,
    name,
    installation: /^[0-9a-f]{32}$/,
    cluster: false,
    shards: 4,
    key: false,
    mediaMissing: 0,
  })
  t.equal(manifest.at, at)
  t.same(
    manifest.held.map(({ shard }) => shard),
    [0, 1, 2, 3],
  )
  t.match(
    manifest.files.map(({ path }) => path),
    ['store.mdb', /^media\/\w+\.png$/],
  )
  t.strictSame((await node.mgmt('GET', backups, credentials)).json, { data: [{ name, state, manifest }] })
  for (const [number, { path, bytes, sha256 }] of manifest.files.entries()) {
    const { status, headers } = await node.mgmt('GET', `${backups}/${name}/files/${number}`, credentials)
    t.equal(status, 200)
    t.equal(headers['content-type'], 'application/octet-stream')
    t.equal(hashOf(join(folderOf(node, name), path)), sha256)
    t.equal(readFileSync(join(folderOf(node, name), path)).length, bytes)
  }
  t.same(readFileSync(join(folderOf(node, name), manifest.files[1]!.path)), png)
  for (const number of ['2', '-1', 'x', '0x1', '..']) {
    t.equal((await node.mgmt('GET', `${backups}/${name}/files/${number}`, credentials)).status, 404, number)
  }
  const events = node.logged.map(({ event }) => event).filter((event) => String(event).startsWith('system.backup'))
  t.same(events, ['system.backup.started', 'system.backup.completed'])

  t.equal((await node.mgmt('DELETE', `${backups}/${name}`, credentials)).status, 204)
  t.notOk(existsSync(folderOf(node, name)))
  t.equal((await node.mgmt('GET', `${backups}/${name}`, credentials)).status, 404)
  t.equal((await node.mgmt('DELETE', `${backups}/${name}`, credentials)).status, 404)
  for (const stranger of ['x', '20260101-000000-zzzzzzzz', '20260101-000000-00000000']) {
    t.equal((await node.mgmt('GET', `${backups}/${stranger}`, credentials)).status, 404, stranger)
  }
})

t.test('The root key is in a backup only on request, and only if it is a file', async (t) => {
  const node = await nodeFor(t)
  const name = await begin(node, { withKey: true })
  const { manifest } = await waitUntilEnded(node, name)
  t.ok(manifest.key)
  t.same(readFileSync(join(folderOf(node, name), 'secret.key')), readFileSync(join(node.dir, 'secret.key')))
  t.same((await node.mgmt('POST', backups, { token: node.key, json: { key: true } })).status, 422)

  const other = await nodeFor(t, { env: { PARLEY_SECRET_KEY: '11'.repeat(32) } })
  const failed = await begin(other, { withKey: true })
  t.match(await waitUntilEnded(other, failed), { state: 'failed', why: /not a file in its data folder/ })
  t.notOk(existsSync(folderOf(other, failed)), 'it is removed completely')
  t.match((await other.mgmt('GET', backups, { token: other.key })).json.data, [{ name: failed, state: 'failed' }])
  t.equal((await waitUntilEnded(other, await begin(other))).state, 'ready')
})

t.test('Backups run one at a time, wait for lagging copies, and fail if those stay behind', async (t) => {
  const map = shardMap(3)
  map.here[1] = { ...map.here[1]!, role: 'copy', number: 9, lagEntries: 1 }
  map.here[2] = { ...map.here[2]!, role: 'none', number: 0 }
  const node = await nodeFor(t, { env: { PARLEY_SHARDS: '3' }, wrapShards: map.between })
  const credentials = { token: node.key }
  const name = await begin(node)
  const second = await node.mgmt('POST', backups, credentials)
  t.equal(second.status, 409)
  t.equal(second.json.code, 'system.backup_under_way')
  t.equal((await node.mgmt('DELETE', `${backups}/${name}`, credentials)).json.code, 'system.backup_under_way')
  await node.clock.advance(limits.pollMs)
  t.equal((await node.mgmt('GET', `${backups}/${name}`, credentials)).json.state, 'making')
  map.here[1] = { ...map.here[1]!, number: 11 }
  await node.clock.advance(limits.pollMs)
  const { manifest } = await waitUntilEnded(node, name)
  t.strictSame(manifest.held, [
    { shard: 0, last: 10 },
    { shard: 1, last: 10 },
  ])

  map.status[0] = { ...map.status[0]!, last: 99 }
  const late = await begin(node)
  await node.clock.advance(limits.catchUpMs + 2 * limits.pollMs)
  t.match(await waitUntilEnded(node, late), { state: 'failed', why: /shards 0 on this node do not come up/ })
})

t.test('An unfinished backup of an earlier process is no backup, and is deleted by the next one', async (t) => {
  const node = await nodeFor(t)
  const unfinished = folderOf(node, '20260101-000000-0badbeef')
  mkdirSync(unfinished, { recursive: true })
  writeFileSync(join(unfinished, 'store.mdb'), 'half')
  t.same((await node.mgmt('GET', backups, { token: node.key })).json.data, [])
  const name = await begin(node)
  await waitUntilEnded(node, name)
  t.same(readdirSync(join(node.dir, 'backups')), [name])
})

/** One backup of a node that holds something, made once, and a copy of it for each test to spoil. */
let savedBackup: { folder: string; manifest: Manifest } | undefined

async function backupFolder(t: Test): Promise<{ folder: string; manifest: Manifest }> {
  savedBackup ??= await saveBackup()
  const folder = join(scratch(t), 'backup')
  cpSync(savedBackup.folder, folder, { recursive: true })
  return { folder, manifest: savedBackup.manifest }
}

async function saveBackup(): Promise<{ folder: string; manifest: Manifest }> {
  const node = await nodeFor(t)
  const name = await begin(node, { withKey: true })
  const { manifest } = await waitUntilEnded(node, name)
  return { folder: folderOf(node, name), manifest }
}

t.test('A backup is restored into an empty data folder only', async (t) => {
  const { folder, manifest } = await backupFolder(t)
  t.same(await verifyBackup(folder), manifest)
  const dir = join(scratch(t), 'data')
  t.same(await restoreBackup(folder, dir), manifest)
  t.same(readdirSync(dir).sort(), ['media', 'secret.key', 'store.mdb'])
  await t.rejects(restoreBackup(folder, dir), StoreUnusable, 'not over data')
  const busy = scratch(t)
  writeFileSync(join(busy, 'notes.txt'), 'mine')
  await t.rejects(restoreBackup(folder, busy), /is not empty/)
  t.same(readdirSync(busy), ['notes.txt'])
  await t.rejects(restoreBackup(folder, join(busy, 'notes.txt')), StoreUnusable)
  await t.rejects(restoreBackup(scratch(t), join(busy, 'x')), /is not a whole backup: manifest\.json cannot be read/)
  const restarted = await openTestNode({ dir })
  t.teardown(() => restarted.close())
  t.equal(restarted.key, '', 'the org and its first key are there already')
})

t.test('An interrupted restore is refused as data, and repaired by restoring again', async (t) => {
  const { folder, manifest } = await backupFolder(t)
  const remaining = {
    'while it gathered': ['restoring/secret.key'],
    'while it moved': ['restoring/secret.key', 'store.mdb'],
  }
  for (const [when, names] of Object.entries(remaining)) {
    const dir = scratch(t)
    mkdirSync(join(dir, 'restoring', 'media'), { recursive: true })
    for (const name of names) writeFileSync(join(dir, name), 'half of it')
    await t.rejects(openTestNode({ dir }), /was cut short\. Restore again/, when)
    writeFileSync(join(dir, 'notes.txt'), 'mine')
    await t.rejects(restoreBackup(folder, dir), /is not empty/, 'files outside of the backup stay')
    t.ok(existsSync(join(dir, 'notes.txt')))
    rmSync(join(dir, 'notes.txt'))
    t.same(await restoreBackup(folder, dir), manifest)
    t.same(readdirSync(dir).sort(), ['media', 'secret.key', 'store.mdb'])
  }
})

t.test('A backup with any altered byte in any file is not restored', async (t) => {
  const { folder, manifest } = await backupFolder(t)
  const parent = scratch(t)
  const anyChange = fc.tuple(fc.nat(manifest.files.length - 1), fc.nat(), fc.integer({ min: 1, max: 255 }))
  await fc.assert(
    fc.asyncProperty(anyChange, async ([which, where, by]) => {
      const path = join(folder, manifest.files[which]!.path)
      const bytes = readFileSync(path)
      const changed = Buffer.from(bytes)
      changed[where % bytes.length]! ^= by
      writeFileSync(path, changed)
      try {
        await t.rejects(restoreBackup(folder, join(parent, 'data')), BackupUnusable)
        return !existsSync(join(parent, 'data'))
      } finally {
        writeFileSync(path, bytes)
      }
    }),
    { numRuns: 30 },
  )
  const data = join(folder, 'store.mdb')
  const bytes = readFileSync(data)
  writeFileSync(data, bytes.subarray(1))
  await t.rejects(restoreBackup(folder, join(parent, 'data')), /store\.mdb has \d+ bytes instead of/)
  rmSync(data)
  await t.rejects(restoreBackup(folder, join(parent, 'data')), /store\.mdb cannot be read \(ENOENT\)/)
})

t.test('A manifest names only files of the backup, and has a known format', async (t) => {
  const { manifest } = await backupFolder(t)
  const read = (change: object) => readManifest(JSON.stringify({ ...manifest, ...change }), 'it')
  t.same(read({}), manifest)
  const [data] = manifest.files
  const anyPath = fc.oneof(
    fc.string(),
    fc.constantFrom('../x', '/etc/passwd', 'media/../x.png', 'media/x', 'store.mdb/x', 'media/.png', 'MEDIA/x.png'),
  )
  fc.assert(
    fc.property(anyPath, (path) => {
      const isGood = /^(store\.mdb|secret\.key|media\/[\w-]+\.[a-z0-9]+)$/.test(path)
      try {
        read({ files: [data, { ...data!, path }] })
        return isGood && path !== 'store.mdb'
      } catch (error) {
        return error instanceof BackupUnusable && (!isGood || path === 'store.mdb')
      }
    }),
  )
  t.throws(() => read({ format: 2 }), /is a backup of format 2, and this Parley reads 1/)
  t.throws(() => read({ files: [] }), /does not name store\.mdb/)
  t.throws(() => read({ shards: 'many' }), /shards must be a whole number/)
  t.throws(() => readManifest('{', 'it'), BackupUnusable)
})

t.test('A process without shards reports that it has nothing to copy', async (t) => {
  const { createBackups: openBackups } = await import('../../runtime/backup/backups.js')
  const noBackups = openBackups({ dataDir: scratch(t), store: undefined } as never)
  t.match(await noBackups.begin(false), { refused: 'system.backup_impossible', detail: /keeps no shards/ })
  t.same(await noBackups.list(), [])
})
