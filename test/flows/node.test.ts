/**
 * A node as its operator meets it: a process that starts, says where it is, keeps what it acknowledged, and stops well.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { runToEnd, startNode, testKey } from '../harness/process.js'
import { openReceiver } from '../harness/receiver.js'

const authorization = `Bearer ${testKey}`

function makeKey(mgmt: string, name: string): Promise<Response> {
  const headers = { authorization, 'content-type': 'application/json' }
  return fetch(`${mgmt}/v1/orgs/demo/api-keys`, { method: 'POST', headers, body: JSON.stringify({ name }) })
}

async function keyNames(mgmt: string): Promise<string[]> {
  const answer = await fetch(`${mgmt}/v1/orgs/demo/api-keys`, { headers: { authorization } })
  return ((await answer.json()) as { data: { name: string }[] }).data.map((key) => key.name)
}

t.test(
  'An empty folder becomes a running node that prints its addresses, the key once and a working line',
  async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'parley-'))
    const node = await startNode({ PARLEY_BOOTSTRAP_KEY: '' }, dir)
    t.teardown(() => node.clean())
    while (!node.stderr().includes('Try it')) await new Promise((resolve) => setTimeout(resolve, 10))
    await new Promise((resolve) => setTimeout(resolve, 20))
    const printed = node.stderr()
    for (const url of [`${node.mgmt}/v1`, `${node.gateway}/v4`, `${node.mgmt}/v1/docs`, `${node.gateway}/v4/docs`])
      t.match(printed, url)
    const key = /^ +(sk-svc-\w+)$/m.exec(printed)?.[1] ?? ''
    t.ok(key)
    const line = /^ +(curl .*)$/m.exec(printed)?.[1] ?? ''
    t.match(JSON.parse(execFileSync('bash', ['-c', `${line.replace('curl', 'curl -s')}`], { encoding: 'utf8' })), {
      id: 'demo',
    })
    for (const url of [`${node.mgmt}/v1/docs`, `${node.gateway}/v4/docs`]) t.equal((await fetch(url)).status, 200)
    t.notMatch(node.stdout(), key, 'the key is not in the log')
    t.equal(statSync(join(dir, 'secret.key')).mode & 0o777, 0o600)
    t.equal(await node.end('SIGTERM'), 0)
    t.notMatch(readFileSync(join(dir, 'store.mdb')), key, 'the key is kept as a hash')

    const restarted = await startNode({ PARLEY_BOOTSTRAP_KEY: '' }, dir)
    t.teardown(() => restarted.clean())
    const me = await fetch(`${restarted.mgmt}/v1/me`, { headers: { authorization: `Bearer ${key}` } })
    t.equal(me.status, 200, 'the key opens the node after a restart')
    t.notMatch(restarted.stderr(), key, 'the key is shown once')
  },
)

t.test('Each listener answers health, readiness and metrics without a token', async (t) => {
  const node = await startNode()
  t.teardown(() => node.clean())
  await fetch(`${node.mgmt}/v1/me`)
  for (const url of [node.mgmt, node.gateway]) {
    t.same(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' })
    t.equal((await fetch(`${url}/livez`)).status, 200)
    t.match(await (await fetch(`${url}/readyz`)).json(), { status: 'ok', checks: [{ name: 'store', status: 'ok' }] })
    const metrics = await fetch(`${url}/metrics`)
    t.match(metrics.headers.get('content-type'), /^text\/plain/)
    t.match(await metrics.text(), /parley_http_requests_total\{[^}]*status="4xx"[^}]*\} \d/)
  }
})

t.test('An unknown or invalid variable is named, and the exit code is 2', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const bad: [Record<string, string>, string][] = [
    [{ PARLEY_PROT: '1' }, 'PARLEY_PROT'],
    [{ PARLEY_MGMT_PORT: '70000' }, 'PARLEY_MGMT_PORT'],
    [{ PARLEY_ROLES: 'gateway' }, 'PARLEY_ROLES'],
  ]
  for (const [env, name] of bad) {
    const ended = await runToEnd({ PARLEY_DATA_DIR: join(dir, 'data'), ...env })
    t.equal(ended.code, 2)
    t.match(ended.stderr, name)
  }
})

t.test('Data that cannot be opened gives a sentence and exit code 1, and stays unchanged', async (t) => {
  const node = await startNode()
  t.teardown(() => node.clean())
  const second = await runToEnd({ PARLEY_DATA_DIR: node.dir })
  t.equal(second.code, 1)
  t.match(second.stderr, node.dir, 'a folder in use is named')
  t.equal(await node.end('SIGTERM'), 0)
  const other = await runToEnd({ PARLEY_DATA_DIR: node.dir, PARLEY_SHARDS: '8' })
  t.equal(other.code, 1)
  t.match(other.stderr, /16/, 'the error contains the shard count of the data')
  const file = join(node.dir, 'store.mdb')
  const before = readFileSync(file)
  const broken = Buffer.from(before)
  broken.fill(0xff, 0, 64)
  writeFileSync(file, broken)
  const ended = await runToEnd({ PARLEY_DATA_DIR: node.dir })
  t.equal(ended.code, 1)
  t.match(ended.stderr, file)
  t.ok(readFileSync(file).equals(broken), 'nothing was written')
})

t.test('A failure at the start is one sentence with its cause, in the log too, without a stack', async (t) => {
  const accepted = await openReceiver(t)
  const { port } = new URL(accepted.url('/'))
  const cases: [Record<string, string>, RegExp][] = [
    [{ PARLEY_NATS_URL: 'nats://127.0.0.1:1' }, /^No NATS server can be reached at 127\.0\.0\.1:1: .*\.$/],
    [{ PARLEY_HOST: '192.0.2.1' }, /^192\.0\.2\.1 is no address of this machine\. .*PARLEY_HOST/],
    [{ PARLEY_MGMT_PORT: port }, new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is taken\\.`)],
    [{ PARLEY_DATA_DIR: '/proc/nope' }, /^The data directory \/proc\/nope cannot be used: .*\.$/],
  ]
  for (const [env, sentence] of cases) {
    const dir = await mkdtemp(join(tmpdir(), 'parley-'))
    const { code, stdout, stderr } = await runToEnd({ PARLEY_DATA_DIR: dir, ...env })
    await rm(dir, { recursive: true, force: true })
    t.equal(code, 1, stderr)
    t.match(stderr.trimEnd(), sentence)
    t.notMatch(stderr.trimEnd(), '\n', 'that alone')
    const line = stdout.split('\n').find((each) => each.includes('node.start_failed'))!
    t.match(JSON.parse(line), { reason: stderr.trimEnd(), error: undefined })
  }
})

t.test('Acknowledged writes are present after kill -9', async (t) => {
  let node = await startNode()
  t.teardown(() => node.clean())
  const acknowledged: string[] = []
  for (let round = 0; round < 3; round++) {
    const { mgmt } = node
    let going = true
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let count = 0; going; count++) {
        const name = `k-${round}-${writer}-${count}`
        const answer = await makeKey(mgmt, name).catch(() => undefined)
        if (answer?.status === 201) acknowledged.push(name)
        else return
      }
    })
    const before = acknowledged.length
    while (acknowledged.length < before + 10) await new Promise((resolve) => setTimeout(resolve, 7 + round))
    await node.end('SIGKILL')
    going = false
    await Promise.all(writers)
    node = await startNode({}, node.dir)
    const names = new Set(await keyNames(node.mgmt))
    t.same(
      acknowledged.filter((name) => !names.has(name)),
      [],
      `no acknowledged write is missing after kill ${round + 1}`,
    )
  }
})

t.test('SIGTERM finishes what is in flight, fails readiness, and exits 0', async (t) => {
  const node = await startNode()
  t.teardown(() => node.clean())
  const writes = Array.from({ length: 50 }, (_, index) => makeKey(node.mgmt, `last-${index}`).catch(() => undefined))
  await new Promise((resolve) => setTimeout(resolve, 15))
  t.equal(await node.end('SIGTERM'), 0)
  const answers = await Promise.all(writes)
  const accepted = answers.filter((answer) => answer?.status === 201).length
  t.notOk(
    answers.some((answer) => answer && answer.status >= 500),
    'no request that was read has failed',
  )
  const restarted = await startNode({}, node.dir)
  t.teardown(() => restarted.clean())
  t.equal((await keyNames(restarted.mgmt)).length, accepted + 1)
  await t.rejects(fetch(`${node.mgmt}/readyz`))
})

t.test('A node whose Redis is unavailable continues, and says so in readiness and metrics', async (t) => {
  const node = await startNode({ PARLEY_REDIS_URL: 'redis://:hidden@127.0.0.1:1' })
  t.teardown(() => node.clean())
  const ready = await (await fetch(`${node.mgmt}/readyz`)).text()
  t.match(ready, /"degraded"/)
  t.notMatch(ready + node.stdout() + node.stderr(), 'hidden')
  t.match(await (await fetch(`${node.mgmt}/metrics`)).text(), /^parley_rate_limits_degraded 1$/m)
  t.equal((await makeKey(node.mgmt, 'x')).status, 201)
})

t.test('A node whose log is no longer read continues and still stops', async (t) => {
  for (const loggedBefore of [true, false]) {
    const node = await startNode()
    t.teardown(() => node.clean())
    node.process.stdout?.destroy()
    if (loggedBefore) await fetch(`${node.mgmt}/v1/me`, { headers: { authorization, 'x-svc-agent': 'logs.something' } })
    t.equal((await makeKey(node.mgmt, 'x')).status, 201)
    t.equal(await node.end('SIGTERM'), 0)
  }
})
