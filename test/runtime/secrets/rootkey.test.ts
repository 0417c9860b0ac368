/**
 * The root key and the data it belongs to: a wrong one is refused, and a rotation changes the key and nothing that
 * people see.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { signatureHeader, signatureOf } from '../../../adapters/emulator/adapter.js'
import { runChecks } from '../../../runtime/cli/doctor.js'
import { createAsidOf } from '../../../runtime/conversation/asid.js'
import { loadOrCreateSecretKey, secretKeyFileName } from '../../../runtime/secrets/rootkey.js'
import { rootSecretsTable } from '../../../runtime/secrets/rootsecrets.js'
import { rotateRootKey } from '../../../runtime/secrets/rotation.js'
import { deriveKey, keyId, sealKeyId } from '../../../runtime/secrets/seal.js'
import { dataKeyTable } from '../../../runtime/secrets/sealer.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { waitUntil } from '../../harness/clock.js'
import { openTestNode, type TestNode } from '../../harness/node.js'
import { runToEnd } from '../../harness/process.js'
import { exitCode, parley } from '../cli/parley.js'

const scratchDir = mkdtempSync(join(tmpdir(), 'parley-rootkey-'))
t.teardown(() => rmSync(scratchDir, { recursive: true, force: true }))
let made = 0
const newDir = () => join(scratchDir, String(++made))
const shards = 2
const env = { PARLEY_SHARDS: String(shards), PARLEY_BOOTSTRAP_KEY: 'sk-svc-a-key-that-only-tests-ever-use' }
const token = env.PARLEY_BOOTSTRAP_KEY
const phone = '+14155550123'
const at = '/v1/orgs/demo/agents/stop'
const otherKey = '44'.repeat(32)

const start = (dir: string, more: Record<string, string> = {}) => openTestNode({ dir, env: { ...env, ...more } })

async function post(node: TestNode, path: string, json: unknown) {
  const answer = await node.mgmt('POST', path, { token, json })
  t.ok(answer.status < 300, `POST ${path} answered ${answer.status}: ${answer.text}`)
  return answer.json
}

/** An agent that a person said STOP to, and a webhook whose secret is sealed. */
async function makeAgent(node: TestNode): Promise<void> {
  await post(node, '/v1/orgs/demo/agents', { name: 'Stop', id: 'stop' })
  const { id } = await post(node, `${at}/channels`, {
    channel: 'rcs',
    mode: 'unmanaged',
    provider: 'emulator',
    auth: {},
  })
  await post(node, `${at}/message-templates`, { id: 't', name: 'T', body: 'Sale!' })
  await post(node, `${at}/outreach`, { id: 'o', name: 'O', class: 'marketing', openerTemplateId: 't' })
  const body = JSON.stringify({ items: [{ id: '1', from: phone, text: 'STOP' }] })
  const signature = signatureOf(deriveKey(fileKey(node.dir), 'emulated phones'), id, Buffer.from(body))
  const headers = { 'content-type': 'application/json', [signatureHeader]: signature }
  t.equal((await node.gateway('POST', `/v4/ingress/${id}`, { body, headers })).status, 200)
  await waitUntil(async () => (await send(node)).status === 409)
}

const send = (node: TestNode) =>
  node.mgmt('POST', `${at}/outreach/o/sends`, { token, json: { recipient: { channel: 'rcs', address: phone } } })

const fileKey = (dir: string) => loadOrCreateSecretKey(dir).key

/** What the data is sealed with, by the names of the keys. */
async function sealedBy(dir: string): Promise<string[]> {
  const store = await openStore({ dir, shards })
  const names = [sealKeyId(store.own.get(rootSecretsTable, [])!)]
  for (let shard = 0; shard < shards; shard++) {
    for (const { value } of store.space(shard).range(dataKeyTable)) names.push(sealKeyId(value))
  }
  await store.close()
  return [...new Set(names)]
}

t.test('A data folder opens only with its own root key, and another key changes nothing', async (t) => {
  const dir = newDir()
  const first = await start(dir)
  await makeAgent(first)
  await first.close()
  await t.rejects(start(dir, { PARLEY_SECRET_KEY: otherKey }), {
    name: 'RootKeyMismatch',
    message: /was made under another root key/,
  })
  const restart = await start(dir)
  t.equal((await send(restart)).json.code, 'agent.outreach.opted_out', 'the STOP still holds')
  await restart.close()

  const ended = await runToEnd({ ...env, PARLEY_DATA_DIR: dir, PARLEY_SECRET_KEY: otherKey })
  t.equal(ended.code, 2, 'a start error of the configuration')
  t.match(ended.stderr, /was made under another root key/)

  const rootKeyCheck = async (more: Record<string, string>) =>
    (await runChecks({ ...env, PARLEY_DATA_DIR: dir, PARLEY_GATEWAY_PORT: '0', PARLEY_MGMT_PORT: '0', ...more })).find(
      ({ check }) => check === 'root key',
    )
  t.match(await rootKeyCheck({}), { status: 'ok' })
  t.match(await rootKeyCheck({ PARLEY_SECRET_KEY: otherKey }), { status: 'fail', detail: /another root key/ })
})

t.test('Data from before the root key check is judged by its sealed values, and keeps its user ids', async (t) => {
  const dir = newDir()
  await (await start(dir)).close()
  const store = await openStore({ dir, shards })
  await store.own.commit(store.own.encode([{ table: rootSecretsTable as never, key: [] }]))
  await store.close()
  await t.rejects(start(dir, { PARLEY_SECRET_KEY: otherKey }), { name: 'RootKeyMismatch' })
  const node = await start(dir)
  await post(node, '/v1/orgs/demo/agents', { name: 'Stop', id: 'stop' })
  const asid = async () => {
    await post(node, `${at}/channels`, { channel: 'rcs', mode: 'unmanaged', provider: 'emulator', auth: {} })
    await post(node, `${at}/message-templates`, { id: 't', name: 'T', body: 'Sale!' })
    await post(node, `${at}/outreach`, { id: 'o', name: 'O', class: 'service', openerTemplateId: 't' })
    return (await send(node)).json.asid
  }
  t.equal(await asid(), createAsidOf(deriveKey(fileKey(dir), 'asids'))('demo/stop', 'rcs', phone))
  await node.close()
  t.same(await sealedBy(dir), [keyId(fileKey(dir))], 'from now on it remembers its key')
  await t.rejects(start(dir, { PARLEY_SECRET_KEY: otherKey }), { name: 'RootKeyMismatch' })
})

t.test('A rotated root key reseals everything; user ids, opt-outs and secrets stay and sessions end', async (t) => {
  const dir = newDir()
  const first = await start(dir)
  await makeAgent(first)
  const signing = await post(first, `${at}/gateway/_rotateSecret`, {})
  t.ok(signing.signingSecret)
  const session = (await post(first, '/v1/session', {})).idToken
  t.equal((await first.mgmt('GET', '/v1/me', { token: session })).status, 200)
  const person = (await first.mgmt('GET', `${at}/people`, { token })).json.data[0]
  const refused = await rotateRootKey({ dir, shards }).catch((error) => error)
  t.match(refused, { name: 'StoreUnusable', message: /is in use by/ }, 'not under a node that runs')
  await first.close()

  const before = fileKey(dir)
  const rotated = await parley(['keys', 'rotate-root'], { ...env, PARLEY_DATA_DIR: dir })
  t.equal(rotated.code, exitCode.done, rotated.stderr)
  const after = fileKey(dir)
  t.not(after.toString('hex'), before.toString('hex'))
  t.equal(statSync(join(dir, secretKeyFileName)).mode & 0o777, 0o600)
  t.same(await sealedBy(dir), [keyId(after)], 'no secret is left under the old key')
  await t.rejects(start(dir, { PARLEY_SECRET_KEY: before.toString('hex') }), { name: 'RootKeyMismatch' })

  const node = await start(dir)
  t.teardown(() => node.close())
  t.equal((await send(node)).json.code, 'agent.outreach.opted_out', 'the STOP still holds')
  t.same((await node.mgmt('GET', `${at}/people`, { token })).json.data[0], person)
  t.equal((await node.mgmt('GET', '/v1/me', { token })).status, 200, 'API keys stay')
  t.equal((await node.mgmt('GET', '/v1/me', { token: session })).status, 401)
  await post(node, `${at}/gateway/_rotateSecret`, {})
})

t.test('A configured key is rotated to a key file, and an impossible rotation is reported in a sentence', async (t) => {
  const dir = newDir()
  const own = { ...env, PARLEY_DATA_DIR: dir, PARLEY_SECRET_KEY: otherKey }
  t.match(await parley(['keys', 'rotate-root', '--new-key-file', '/none'], own), { code: exitCode.wrongUsage })
  await (await start(dir, { PARLEY_SECRET_KEY: otherKey })).close()
  const file = join(scratchDir, 'new.key')
  writeFileSync(file, `${'55'.repeat(32)}\n`)
  t.match(await parley(['keys', 'rotate-root'], own), { code: exitCode.wrongUsage, stderr: /--new-key-file/ })
  const wrong = { ...own, PARLEY_SECRET_KEY: '66'.repeat(32) }
  const refused = await parley(['keys', 'rotate-root', '--new-key-file', file], wrong)
  t.match(refused, { code: exitCode.failed, stderr: /was made under another root key/ })
  const rotated = await parley(['keys', 'rotate-root', '--new-key-file', file], own)
  t.equal(rotated.code, exitCode.done, rotated.stderr)
  t.notOk(existsSync(join(dir, secretKeyFileName)))
  await t.rejects(start(dir, { PARLEY_SECRET_KEY: otherKey }), { name: 'RootKeyMismatch' })
  await (await start(dir, { PARLEY_SECRET_KEY: '55'.repeat(32) })).close()
  const empty = await parley(['keys', 'rotate-root'], { ...env, PARLEY_DATA_DIR: newDir() })
  t.match(empty, { code: exitCode.failed, stderr: /There is no data in/ })
  const cluster = await parley(['keys', 'rotate-root'], {
    ...env,
    PARLEY_NATS_URL: 'nats://127.0.0.1:1',
    PARLEY_SECRET_KEY: otherKey,
  })
  t.match(cluster, {
    code: exitCode.failed,
    stderr: /cannot be rotated\. Rotate what it protects instead: .*ops\/README\.md/,
  })
})

t.test('A rotation killed at any point leaves data that the next start opens', async (t) => {
  const dir = newDir()
  const first = await start(dir)
  await makeAgent(first)
  await first.close()
  const old = newDir()
  cpSync(dir, old, { recursive: true })
  await rotateRootKey({ dir, shards })
  const next = readFileSync(join(dir, secretKeyFileName))

  const early = newDir()
  cpSync(old, early, { recursive: true })
  writeFileSync(join(early, `${secretKeyFileName}.next`), next, { mode: 0o600 })
  const late = newDir()
  cpSync(dir, late, { recursive: true })
  cpSync(join(old, secretKeyFileName), join(late, secretKeyFileName))
  writeFileSync(join(late, `${secretKeyFileName}.next`), next, { mode: 0o600 })

  for (const [keyDir, keyBytes] of [
    [early, readFileSync(join(old, secretKeyFileName))],
    [late, next],
  ] as const) {
    const node = await start(keyDir)
    t.equal((await send(node)).json.code, 'agent.outreach.opted_out')
    await node.close()
    t.same(readFileSync(join(keyDir, secretKeyFileName)), keyBytes)
    t.notOk(existsSync(join(keyDir, `${secretKeyFileName}.next`)))
    t.same(await sealedBy(keyDir), [keyId(fileKey(keyDir))])
    await rotateRootKey({ dir: keyDir, shards })
    await (await start(keyDir)).close()
  }
})

t.test('A missing data file does not count as an empty installation', async (t) => {
  const dir = newDir()
  const node = await start(dir)
  t.equal((await node.mgmt('GET', '/readyz', {})).status, 200)
  const path = join(dir, 'store.mdb')
  cpSync(path, join(dir, 'kept'))
  rmSync(path)
  const ready = await node.mgmt('GET', '/readyz', {})
  t.equal(ready.status, 503)
  t.match(ready.text, /was removed or replaced while in use/)
  const write = await node.mgmt('POST', '/v1/orgs/demo/agents', { token, json: { name: 'Lost' } })
  t.equal(write.status, 503, 'no write is acknowledged without a file')
  await node.close().catch(() => {})
  await t.rejects(start(dir), { name: 'StoreUnusable', message: /is missing, and there was one/ })
  t.notOk(existsSync(path))
  cpSync(join(dir, 'kept'), path)
  await (await start(dir)).close()
})
