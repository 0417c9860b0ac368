/** `parley doctor`: what it looks at, what it says, and when it ends with a failure. No node has to be running. */
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { doctor as limits } from '../../../core/limits/index.js'
import { doctorLines, runChecks } from '../../../runtime/cli/doctor.js'
import { checkHttpServer, checkProgram } from '../../../runtime/cli/doctorhost.js'
import { clockFinding } from '../../../runtime/cli/doctornet.js'
import type { Finding } from '../../../runtime/cli/finding.js'
import type { Config } from '../../../runtime/config/config.js'
import { prepareUws } from '../../../runtime/http/binary.js'
import { bus } from '../../../runtime/nats/limits.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { freePort } from '../../harness/ports.js'
import { testKey } from '../../harness/process.js'
import { type Env, exitCode, openNode, parley, scratch } from './parley.js'

// A whole node runs here, on a machine that may be busy.
t.setTimeout(200_000)

/** A node's variables that clash with nobody. */
function quiet(t: Test, more: Env = {}): Env {
  return { PARLEY_DATA_DIR: join(scratch(t), 'data'), PARLEY_GATEWAY_PORT: '0', PARLEY_MGMT_PORT: '0', ...more }
}

const one = (findings: readonly Finding[], check: string) => findings.find((each) => each.check === check)

/** A server that sends `greeting` to every connection, and `answer` to what it receives. */
async function openServer(
  t: Test,
  { greeting = '', answer }: { greeting?: string; answer?: (received: string) => string },
) {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    if (greeting !== '') socket.write(greeting)
    socket.on('data', (piece) => {
      received.push(String(piece))
      if (answer) socket.write(answer(String(piece)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, received }
}

t.test('On a machine without data every check passes, and the doctor ends with 0', async (t) => {
  const ended = await parley(['doctor', '--json'], quiet(t))
  const findings: Finding[] = ended.json
  const bad = findings.filter(({ status, check }) => status === 'fail' || (status === 'warn' && check !== 'open files'))
  t.same(bad, [])
  t.equal(ended.code, exitCode.done)
  for (const check of ['configuration', 'program', 'data folder', 'data', 'root key', 'disk', 'mgmt port']) {
    t.ok(one(findings, check), check)
  }
  t.match(one(findings, 'data folder')?.detail, /is not there yet; a node makes it$/)
})

t.test('With an invalid configuration the doctor reports only that, and ends with 1', async (t) => {
  const ended = await parley(['doctor'], { PARLEY_SHARDS: '0', PARLEY_SHRADS: '1' })
  t.equal(ended.code, exitCode.failed)
  t.match(
    ended.stdout,
    /^configuration +fail +"PARLEY_SHRADS" is not a variable .*\nconfiguration +fail +PARLEY_SHARDS is "0"/m,
  )
  t.match(ended.stderr, /^2 of 2 checks failed: configuration, configuration\.$/m)
})

t.test('Data without a key, a key that others can read, and damaged data are detected', async (t) => {
  const env = quiet(t, { PARLEY_SHARDS: '2' })
  const dir = env.PARLEY_DATA_DIR!
  const store = await openStore({ dir, shards: 2 })
  t.match(one(await runChecks(env), 'data'), { status: 'ok', detail: `in use by process ${process.pid}` })
  await store.close()
  const keyless = await runChecks(env)
  t.match(one(keyless, 'root key'), { status: 'fail', advice: /Put secret\.key back/ })
  t.match(one(keyless, 'data'), { status: 'ok', detail: /and no process uses it$/ })
  t.match(one(await runChecks({ ...env, PARLEY_SECRET_KEY: '22'.repeat(32) }), 'root key'), { status: 'ok' })
  writeFileSync(join(dir, 'secret.key'), 'x', { mode: 0o644 })
  chmodSync(join(dir, 'secret.key'), 0o644)
  chmodSync(dir, 0o755)
  const open = await runChecks(env)
  t.match(one(open, 'root key'), { status: 'warn', advice: /^chmod 600 / })
  t.match(one(open, 'data folder'), { status: 'warn', advice: /^chmod 700 / })
  writeFileSync(join(dir, 'store.mdb'), 'not data')
  t.match(one(await runChecks(env), 'data'), { status: 'fail', detail: /is damaged/ })
  const file = join(scratch(t), 'file')
  writeFileSync(file, '')
  t.match(one(await runChecks(quiet(t, { PARLEY_DATA_DIR: file })), 'data folder'), {
    status: 'fail',
    detail: /is a file$/,
  })
})

t.test('A running node is distinguished from another program on its port, and its clock is compared', async (t) => {
  const node = await openNode(t)
  const { port } = new URL(node.env.PARLEY_URL!)
  const mine = quiet(t, { PARLEY_MGMT_PORT: port })
  const findings = await runChecks({ ...mine, ...node.env })
  t.match(one(findings, 'mgmt port'), { status: 'ok', detail: `a node answers at 127.0.0.1:${port}` })
  t.match(one(findings, 'clock'), { status: 'ok' })
  t.match(one(await runChecks(mine), 'clock'), { status: 'warn', advice: 'Set PARLEY_KEY to compare it' })
  const stranger = await runChecks({ ...mine, PARLEY_KEY: 'sk-svc-wrong' })
  t.match(one(stranger, 'clock'), { status: 'warn', detail: /does not accept the key/ })
  const other = await openServer(t, { greeting: 'SSH-2.0\r\n' })
  const taken = await runChecks(quiet(t, { PARLEY_GATEWAY_PORT: String(other.port) }))
  t.match(one(taken, 'gateway port'), { status: 'fail', detail: /is taken by something else$/ })
})

t.test('NATS servers are checked for JetStream, version, cluster and number', async (t) => {
  const safe = bus.safeServer.join('.')
  const info = (fields: object) => `INFO ${JSON.stringify({ max_payload: 1_048_576, ...fields })}\r\n`
  const good = await openServer(t, { greeting: info({ version: safe, jetstream: true, cluster: 'c1' }) })
  const bare = await openServer(t, { greeting: info({ version: safe }) })
  const old = await openServer(t, { greeting: info({ version: '2.9.10', jetstream: true, cluster: 'c1' }) })
  const web = await openServer(t, { greeting: 'HTTP/1.1 400 Bad Request\r\n' })
  const unusedPort = await freePort()
  const servers = [good.port, bare.port, old.port, web.port, unusedPort].map((port) => `127.0.0.1:${port}`)
  const env = quiet(t, {
    PARLEY_NATS_URL: servers.map((each) => `nats://me:hidden@${each}`).join(),
    PARLEY_NATS_SYNC_ALWAYS: 'true',
  })
  const findings = await runChecks(env)
  const of = (at: number) => one(findings, `nats ${servers[at]}`)
  t.match(of(0), { status: 'ok', detail: `${safe} with JetStream, in the cluster c1` })
  t.match(of(1), { status: 'fail', detail: /without JetStream$/ })
  t.match(of(2), { status: 'warn', detail: /version 2\.9\.10: below .* may be lost when the power fails$/ })
  t.match(of(3), { status: 'fail', detail: 'what answers is no NATS server' })
  t.match(of(4), { status: 'fail', detail: 'no answer' })
  t.notMatch(JSON.stringify(findings), 'hidden')
  t.equal(one(findings, 'nats servers'), undefined)
  const single = await runChecks(quiet(t, { PARLEY_NATS_URL: servers[0]! }))
  t.match(one(single, 'nats servers'), { status: 'warn', detail: '1 named in PARLEY_NATS_URL' })
  t.match(one(single, `nats ${servers[0]}`), { status: 'warn', detail: /PARLEY_NATS_SYNC_ALWAYS is not set/ })
})

t.test('Redis is checked for access, and its password is never printed', async (t) => {
  const open = await openServer(t, { answer: () => '+PONG\r\n' })
  const locked = await openServer(t, {
    answer: (received) => (received.includes('letmein') ? '+OK\r\n+PONG\r\n' : '-NOAUTH Authentication required.\r\n'),
  })
  const checkRedis = async (url: string) => (await runChecks(quiet(t, { PARLEY_REDIS_URL: url }))).at(-1)
  t.match(await checkRedis(`redis://127.0.0.1:${open.port}`), { status: 'ok', detail: 'it answers' })
  t.match(await checkRedis(`redis://:letmein@127.0.0.1:${locked.port}`), { status: 'ok' })
  t.match(locked.received.join(''), '*2\r\n$4\r\nAUTH\r\n$7\r\nletmein\r\n*1\r\n$4\r\nPING\r\n')
  const refused = await checkRedis(`redis://127.0.0.1:${locked.port}`)
  t.match(refused, { status: 'fail', detail: 'it does not let in who the URL names (NOAUTH)' })
  const away = await checkRedis(`redis://:hidden@127.0.0.1:${await freePort()}`)
  t.match(away, { status: 'fail', detail: 'no answer' })
  t.notMatch(JSON.stringify(away), 'hidden')
  const before = open.received.length
  const plain = await checkRedis(`rediss://:hidden@127.0.0.1:${open.port}`)
  t.match(plain, { status: 'fail', detail: 'no answer with a trusted certificate' })
  t.notMatch(open.received.slice(before).join(''), 'hidden', 'a server without a certificate gets no password')
})

t.test('An outdated program and a wrong clock are reported with advice', async (t) => {
  t.match(checkProgram({}, {}, '20.18.3'), [{ status: 'fail', advice: 'Use 20.19 or newer' }])
  for (const version of ['20.19.0', '22.1.0', '24.0.0']) t.match(checkProgram({}, {}, version), [{ status: 'ok' }])
  t.match(clockFinding(0), { status: 'ok' })
  t.match(clockFinding(limits.clockWarnMs), { status: 'warn', detail: '2.0 s behind that of the node' })
  t.match(clockFinding(-limits.clockFailMs), { status: 'fail', detail: '30.0 s ahead of that of the node' })
})

t.test('Findings are a table with the advice behind each', async (t) => {
  const findings: Finding[] = [
    { check: 'disk', status: 'ok', detail: '9 GiB free at /data' },
    { check: 'root key', status: 'fail', detail: 'there is data and no key', advice: 'Put it back' },
  ]
  t.strictSame(
    doctorLines(findings, (text) => text),
    [
      'CHECK     STATUS  DETAIL',
      'disk      ok      9 GiB free at /data',
      'root key  fail    there is data and no key. Put it back',
    ],
  )
  t.notMatch(JSON.stringify(await runChecks(quiet(t, { PARLEY_BOOTSTRAP_KEY: testKey }))), testKey)
})

t.test('A Node version or system without an HTTP server binary is detected before the start', async (t) => {
  const config = { allowUnverifiedUws: false } as Config
  const prepareMissing = () => prepareUws(true, join(scratch(t), 'uws_missing.node'))
  t.match(checkHttpServer(config, undefined, prepareMissing), [
    {
      check: 'http server',
      status: 'fail',
      detail: /^uWebSockets\.js has no binary for Node \d+\S* on \w+ \w+\. Builds are known for linux-/,
    },
  ])
  const old = join(scratch(t), 'uws_old.node')
  writeFileSync(old, 'not a library')
  t.match(
    checkHttpServer(config, undefined, () => prepareUws(true, old)),
    [
      {
        check: 'http server',
        status: 'fail',
        detail: /cannot be loaded on this system: .*Node 20 runs on older systems$/s,
      },
    ],
  )
  t.match(checkHttpServer(config), [{ check: 'http server', status: 'ok' }])
})
