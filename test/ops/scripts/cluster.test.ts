/**
 * The local cluster of `npm run cluster:up`: what it starts, that it can be repeated, and that it ends only its own.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@nats-io/transport-node'
import t, { type Test } from 'tap'
import { isRunning } from '../../../ops/scripts/process.js'
import type { StartedProcess } from '../../../ops/scripts/state.js'
import { openNats } from '../../../runtime/nats/bus.js'
import { openBuckets } from '../../../runtime/ratelimit/factory.js'
import { makeCertificates } from '../../harness/certificates.js'
import { waitUntil } from '../../harness/clock.js'
import { freePorts } from '../../harness/ports.js'

const command = fileURLToPath(new URL('../../../ops/scripts/cluster.js', import.meta.url))
const natsFolder = fileURLToPath(new URL('../../../../ops/nats/', import.meta.url))
const silent = { info() {}, warn() {}, error() {} }
const bytes = (text: string) => Buffer.from(text)

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function run(args: string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  const child = spawn(process.execPath, [command, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (piece) => {
    output.stdout += piece
  })
  child.stderr.on('data', (piece) => {
    output.stderr += piece
  })
  const [code] = await once(child, 'close')
  return { code, ...output }
}

interface ClusterState {
  readonly processes: readonly StartedProcess[]
}

const fileOf = (dir: string) => join(dir, 'cluster.json')
const readState = (dir: string) => JSON.parse(readFileSync(fileOf(dir), 'utf8')) as ClusterState
const urlIn = (stdout: string, word: string) => stdout.match(new RegExp(`^${word} +(\\S+)$`, 'm'))?.[1] ?? ''

/** A folder whose cluster is ended with the test, however that ends. */
function clusterFolder(t: Test): string {
  const dir = join(t.testdir({}), 'cluster')
  t.teardown(() => run(['down', '--dir', dir]))
  return dir
}

t.test('The cluster scripts start three servers', async (t) => {
  const dir = clusterFolder(t)
  const first = await run(['up', '--servers-only', '--dir', dir])
  t.equal(first.code, 0, first.stderr)
  const processes = readState(dir).processes
  t.same(
    processes.map(({ name }) => name),
    ['nats-1', 'nats-2', 'nats-3', 'redis'],
  )
  t.equal(statSync(fileOf(dir)).mode & 0o777, 0o600, 'its keys are for its owner only')

  t.test('A second up changes nothing, and restarts processes that ended', async (t) => {
    t.same(await run(['up', '--servers-only', '--dir', dir]), first)
    t.same(readState(dir).processes, processes)
    const [lost, ...others] = processes
    process.kill(lost!.pid, 'SIGKILL')
    await waitUntil(() => !isRunning(lost!))
    t.same(await run(['up', '--servers-only', '--dir', dir]), first, 'in the same place')
    const now = readState(dir).processes
    t.same(
      now.filter(({ name }) => name !== lost!.name),
      others,
    )
    t.not(now.find(({ name }) => name === lost!.name)?.pid, lost!.pid)
  })

  t.test('A node has the permissions that it needs on the servers, and none to delete', async (t) => {
    const servers = urlIn(first.stdout, 'NATS').split(',')
    t.equal(servers.length, 3)
    const bus = await openNats({ servers, syncAlways: false, name: 'test', log: silent })
    t.teardown(() => bus.close())
    const log = await bus.log(0)
    t.equal(await log.append(bytes('entry'), 0), 'appended')
    let reported = 0
    const stop = log.follow(
      0,
      (_entry, number) => {
        reported = number
      },
      (why) => t.fail(String(why)),
    )
    await waitUntil(() => reported === 1)
    stop()
    await log.trim(1)
    t.same(await log.bounds(), { first: 2, last: 1 })
    const seen: string[] = []
    const unwatch = await bus.members.watch((key) => seen.push(key))
    await bus.members.put('n1', bytes('here'))
    t.equal(await bus.settings.create('shards', bytes('16')), true)
    await waitUntil(() => seen.includes('n1'))
    unwatch()
    async function* parts() {
      yield bytes('snapshot')
    }
    await bus.objects.put('shard.0', parts())
    for await (const part of (await bus.objects.get('shard.0'))!) t.equal(Buffer.from(part).toString(), 'snapshot')
    await bus.objects.remove('shard.0')
    bus.serve('shard.0', async (body) => body)
    t.equal(Buffer.from(await bus.request('shard.0', bytes('?'), 60_000)).toString(), '?')
    t.notMatch(bus.warnings().join(), /single/, 'every log is kept three times')

    const { username: user, password: pass, host } = new URL(servers[0]!)
    const outside = await connect({ servers: [host], user, pass, noAsyncTraces: true })
    t.teardown(() => outside.close())
    await t.rejects(outside.request('$JS.API.STREAM.DELETE.PARLEY_SHARD_0', '', { timeout: 60_000 }), /[Pp]ermission/)
    await t.rejects(
      connect({ servers: [host], maxReconnectAttempts: 0 }),
      /[Aa]uthorization/,
      'nor come in without a word',
    )
  })

  t.test('The Redis of the cluster keeps rate limits', async (t) => {
    const buckets = await openBuckets({ redisUrl: urlIn(first.stdout, 'Redis') })
    t.teardown(() => buckets.close())
    await waitUntil(() => buckets.degraded() === undefined)
    t.pass('behind its password')
  })

  t.test('Down stops all processes and keeps the data; down with wipe deletes it', async (t) => {
    const before = readState(dir).processes
    t.equal((await run(['down', '--dir', dir])).code, 0)
    t.notOk(before.some(isRunning))
    t.same(readState(dir).processes, [])
    t.equal((await run(['down', '--dir', dir])).code, 0, 'again is no mistake')
    const secondRun = await run(['up', '--servers-only', '--dir', dir])
    t.equal(secondRun.stdout, first.stdout, 'the same ports and passwords')
    const bus = await openNats({
      servers: urlIn(secondRun.stdout, 'NATS').split(','),
      syncAlways: false,
      name: 'test',
      log: silent,
    })
    t.equal(Buffer.from((await bus.settings.get('shards'))?.value ?? []).toString(), '16')
    await bus.close()
    const wiped = await run(['down', '--wipe', '--dir', dir])
    t.equal(wiped.code, 0, wiped.stderr)
    t.notOk(existsSync(dir))
  })
})

t.test('Three nodes on those servers answer as one installation', async (t) => {
  const dir = clusterFolder(t)
  const { code, stdout, stderr } = await run(['up', '--dir', dir])
  t.equal(code, 0, stderr)
  const nodes = [...stdout.matchAll(/^node \d +(\S+) /gm)].map((match) => match[1]!)
  t.equal(nodes.length, 3)
  const key = /^export PARLEY_URL=\S+ PARLEY_KEY=(\S+)$/m.exec(stdout)?.[1]
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'made on the first node', scopes: ['agents:read'] })
  const made = await fetch(`${nodes[0]}/orgs/demo/api-keys`, { method: 'POST', headers, body })
  t.equal(made.status, 201)
  for (const node of nodes) {
    const listed = await fetch(`${node}/orgs/demo/api-keys`, { headers })
    t.match(await listed.text(), 'made on the first node', node)
  }
  const before = readState(dir).processes
  t.equal(before.length, 7)
  t.equal((await run(['down', '--wipe', '--dir', dir])).code, 0)
  t.notOk(before.some(isRunning))
})

t.test('A process that merely has the pid of an earlier one is not stopped', async (t) => {
  const dir = join(t.testdir({}), 'cluster')
  const stranger = spawn('sleep', ['600'], { stdio: 'ignore' })
  t.teardown(() => stranger.kill('SIGKILL'))
  await once(stranger, 'spawn')
  mkdirSync(dir)
  const pid = stranger.pid!
  writeFileSync(fileOf(dir), JSON.stringify({ version: 1, processes: [{ name: 'redis', pid, identity: 'another' }] }))
  t.equal((await run(['down', '--dir', dir])).code, 0)
  t.equal(stranger.exitCode ?? stranger.signalCode, null)
  t.same(readState(dir).processes, [])
})

t.test('A folder without a cluster is not wiped', async (t) => {
  const dir = t.testdir({ precious: 'data' })
  const { code, stderr } = await run(['down', '--wipe', '--dir', dir])
  t.equal(code, 1)
  t.match(stderr, /There is no cluster in/)
  t.ok(existsSync(join(dir, 'precious')))
})

t.test('The command explains its usage and what to install', async (t) => {
  const empty = t.testdir({ bin: {} })
  const lacking = await run(['up', '--dir', join(empty, 'cluster')], { PATH: join(empty, 'bin') })
  t.equal(lacking.code, 1)
  t.match(lacking.stderr, /apt-get install nats-server redis-server\n.*brew install nats-server redis/)
  t.notOk(existsSync(join(empty, 'cluster')))
  symlinkSync('/bin/true', join(empty, 'bin', 'nats-server'))
  t.match(
    (await run(['up', '--dir', join(empty, 'cluster')], { PATH: join(empty, 'bin') })).stderr,
    /apt-get install redis-server\n/,
  )
  for (const args of [
    [],
    ['sideways'],
    ['up', '--wipe'],
    ['down', '--servers-only'],
    ['up', '--what'],
    ['up', 'more'],
  ]) {
    const { code, stderr } = await run(args)
    t.equal(code, 2, args.join(' '))
    t.match(stderr, /^.+\n\nUsage: cluster up/)
  }
})

t.test('A process that fails to start is reported with the end of its log, and the rest can be stopped', async (t) => {
  const dir = clusterFolder(t)
  const bin = join(t.testdirName, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'redis-server'), '#!/bin/sh\n[ "$1" = --version ] || { echo "no memory left"; exit 3; }\n', {
    mode: 0o755,
  })
  const { code, stderr } = await run(['up', '--servers-only', '--dir', dir], {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
  })
  t.equal(code, 1)
  t.match(stderr, /redis has ended\. It said:\nno memory left\n.*npm run cluster:down/)
  const running = readState(dir).processes.filter(isRunning)
  t.same(
    running.map(({ name }) => name),
    ['nats-1', 'nats-2', 'nats-3'],
  )
  t.equal((await run(['down', '--dir', dir])).code, 0)
  t.notOk(running.some(isRunning))
})

t.test('With TLS configured, the servers connect to each other and to nodes', async (t) => {
  const dir = t.testdir({})
  const tls = makeCertificates(dir)
  for (const name of ['cluster.conf', 'server.conf', 'server-2.9.conf', 'tls.conf']) {
    const text = readFileSync(join(natsFolder, name), 'utf8')
    writeFileSync(join(dir, name), text.replaceAll('# include ./tls.conf', 'include ./tls.conf'))
  }
  const ports = await freePorts(9)
  const routes = ports.slice(0, 3).map((port) => `"nats://route:between-servers@127.0.0.1:${port}"`)
  const servers: string[] = []
  for (const at of [0, 1, 2]) {
    const [route, client, monitor] = [ports[at]!, ports[at + 3]!, ports[at + 6]!]
    const env = {
      ...process.env,
      NATS_NAME: `n${at}`,
      NATS_LISTEN: `127.0.0.1:${client}`,
      NATS_MONITOR: `127.0.0.1:${monitor}`,
      NATS_CLUSTER_LISTEN: `127.0.0.1:${route}`,
      NATS_ROUTES: `[${routes.filter((_, other) => other !== at).join()}]`,
      NATS_ROUTE_PASSWORD: 'between-servers',
      NATS_PASSWORD: '"0123"',
      NATS_STORE_DIR: JSON.stringify(join(dir, `store-${at}`)),
      NATS_TLS_CERT: tls.certFile,
      NATS_TLS_KEY: tls.keyFile,
      NATS_TLS_CA: tls.caFile,
    }
    const child = spawn('nats-server', ['-c', join(dir, 'server-2.9.conf')], { env, stdio: 'ignore' })
    t.teardown(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    servers.push(`tls://parley:0123@127.0.0.1:${client}`)
  }
  const options = { servers, syncAlways: false, name: 'test', log: silent, tlsCaFile: tls.caFile }
  let bus: Awaited<ReturnType<typeof openNats>> | undefined
  await waitUntil(async () => {
    bus = await openNats(options).catch(() => undefined)
    return bus !== undefined
  })
  t.teardown(() => bus?.close())
  const log = await bus!.log(0)
  t.equal(await log.append(bytes('entry'), 0), 'appended', 'in a log that is kept three times')
})
