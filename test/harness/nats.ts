/** Real NATS servers for tests, one or a cluster of three, on free ports and in folders of their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Certificates } from './certificates.js'
import { freePorts } from './ports.js'
import { suspendProcess } from './suspend.js'

export interface NatsSetup {
  readonly jetstream?: boolean
  readonly user?: string
  readonly password?: string
  readonly tls?: Certificates
  /** Every message is on disk before it is acknowledged; servers before 2.10 do not know how. */
  readonly syncAlways?: boolean
  /** What its store may hold, as the configuration writes it. */
  readonly storeLimit?: string
  /** Further lines of the configuration. */
  readonly lines?: readonly string[]
}

interface ServerAddress {
  readonly name: string
  readonly port: number
  readonly monitorPort: number
  /** Where it meets the others of its cluster, and where they are. */
  readonly routePort?: number
  readonly routes?: readonly number[]
}

const startMs = 60_000
const tryEveryMs = 25
const portTries = 3

export class TestNats {
  readonly port: number
  readonly name: string
  readonly #place: ServerAddress
  readonly #setup: NatsSetup
  readonly #folder: string
  #process: ChildProcess | undefined
  #output = ''
  readonly #killAtExit = () => this.#process?.kill('SIGKILL')

  constructor(serverAddress: ServerAddress, setup: NatsSetup) {
    this.name = serverAddress.name
    this.port = serverAddress.port
    this.#place = serverAddress
    this.#setup = setup
    this.#folder = mkdtempSync(join(tmpdir(), 'parley-nats-'))
    process.on('exit', this.#killAtExit)
  }

  /** One server by itself, ready. */
  static async start(setup: NatsSetup = {}): Promise<TestNats> {
    return retryStart(async () => {
      const [port, monitorPort] = await freePorts(2)
      const server = new TestNats({ name: 'single', port: port!, monitorPort: monitorPort! }, setup)
      return { started: server.start(), server, stop: () => server.stop() }
    })
  }

  get #store(): string {
    return join(this.#folder, 'store')
  }

  get #saved(): string {
    return join(this.#folder, 'saved')
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  get url(): string {
    const { user, password, tls } = this.#setup
    const door = user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`
    return `${tls ? 'tls' : 'nats'}://${door}${this.address}`
  }

  /** Starts it, or starts it again in the same place with what it has kept, and waits until it can be used. */
  async start(): Promise<void> {
    this.spawn()
    await this.ready()
  }

  spawn(): void {
    const file = join(this.#folder, 'server.conf')
    writeFileSync(file, configOf(this.#place, this.#setup, this.#store))
    this.#output = ''
    const child = spawn('nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.on('data', (piece) => (this.#output = `${this.#output}${piece}`.slice(-16_000)))
    child.on('error', (error) => (this.#output += error.message))
    this.#process = child
  }

  /** JetStream has found what it kept; in a cluster, the servers have agreed on who leads them. */
  async ready(): Promise<void> {
    for (const deadline = Date.now() + startMs; !(await this.#isReady()); await sleep(tryEveryMs)) {
      if (this.#hasEnded() || Date.now() > deadline) throw new Error(`nats-server is not ready:\n${this.#output}`)
    }
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Holds the process still: connections stay open and nothing answers. */
  pause(): Promise<void> {
    return suspendProcess(this.#process)
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  /** Ends it well; it can be started again. */
  async end(): Promise<void> {
    this.resume()
    await this.#end('SIGTERM')
  }

  /** Everything that JetStream kept here is gone, as with a disk. Only while it does not run. */
  loseDisk(): void {
    rmSync(this.#store, { recursive: true, force: true })
  }

  /** Sets aside what JetStream keeps here, in place of what was set aside before. Only while it does not run. */
  saveDisk(): void {
    rmSync(this.#saved, { recursive: true, force: true })
    cpSync(this.#store, this.#saved, { recursive: true })
  }

  /** What JetStream keeps here is again what was set aside. Only while it does not run. */
  rollBackDisk(): void {
    this.loseDisk()
    cpSync(this.#saved, this.#store, { recursive: true })
  }

  /** Ends it for good and leaves nothing behind. */
  async stop(): Promise<void> {
    await this.end()
    process.off('exit', this.#killAtExit)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** What its monitoring says about JetStream. */
  async jetstream(): Promise<JetStreamReport> {
    const answer = await fetch(`http://127.0.0.1:${this.#place.monitorPort}/jsz?accounts=true&streams=true`)
    return (await answer.json()) as JetStreamReport
  }

  /** A server of a cluster is of use as soon as the servers agree; what it missed it makes up for meanwhile. */
  async #isReady(): Promise<boolean> {
    try {
      if (this.#place.routes) return Boolean((await this.jetstream()).meta_cluster?.leader)
      const health = await fetch(`http://127.0.0.1:${this.#place.monitorPort}/healthz`)
      await health.arrayBuffer()
      return health.ok
    } catch {
      return false
    }
  }

  #hasEnded(): boolean {
    const child = this.#process
    return !child || child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    if (!child || this.#hasEnded()) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
}

export interface JetStreamReport {
  readonly meta_cluster?: { readonly leader?: string }
  readonly account_details?: {
    readonly stream_detail?: { readonly name: string; readonly cluster?: { readonly leader?: string } }[]
  }[]
}

/** Three servers that know each other. */
export class TestNatsCluster {
  readonly servers: readonly TestNats[]

  private constructor(servers: readonly TestNats[]) {
    this.servers = servers
  }

  static async start(setup: NatsSetup = {}): Promise<TestNatsCluster> {
    const cluster = await TestNatsCluster.prepare(setup)
    try {
      await cluster.startAll()
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  /** Places for three servers, none of them running yet. */
  static async prepare(setup: NatsSetup = {}): Promise<TestNatsCluster> {
    const names = ['n1', 'n2', 'n3']
    const ports = await freePorts(names.length * 3)
    const routes = ports.slice(0, names.length)
    const servers = names.map((name, at) => {
      const [port, monitorPort] = [ports[names.length + at]!, ports[names.length * 2 + at]!]
      // Newer servers count a route to themselves as one more server, and wait for a majority of too many.
      const others = routes.filter((_, other) => other !== at)
      return new TestNats({ name, port, monitorPort, routePort: routes[at]!, routes: others }, setup)
    })
    return new TestNatsCluster(servers)
  }

  async startAll(): Promise<void> {
    for (const server of this.servers) server.spawn()
    await Promise.all(this.servers.map((server) => server.ready()))
  }

  get urls(): string[] {
    return this.servers.map((server) => server.url)
  }

  /** The server that leads a stream, once there is one. */
  async leaderOf(stream: string): Promise<TestNats> {
    for (;;) {
      for (const server of this.servers) {
        const report = await server.jetstream().catch(() => undefined)
        const streams = report?.account_details?.flatMap((account) => account.stream_detail ?? []) ?? []
        const leader = streams.find((each) => each.name === stream)?.cluster?.leader
        const found = this.servers.find((each) => each.name === leader)
        if (found) return found
      }
      await sleep(tryEveryMs)
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()))
  }
}

function configOf(serverAddress: ServerAddress, setup: NatsSetup, folder: string): string {
  const { jetstream = true, user, password, tls, syncAlways, storeLimit, lines = [] } = setup
  const store = [
    `store_dir: ${JSON.stringify(folder)}`,
    ...(syncAlways ? ['sync_interval: always'] : []),
    ...(storeLimit === undefined ? [] : [`max_file_store: ${storeLimit}`]),
  ]
  const quoted = (text: string) => JSON.stringify(text)
  const files =
    tls && `cert_file: ${quoted(tls.certFile)}, key_file: ${quoted(tls.keyFile)}, ca_file: ${quoted(tls.caFile)}`
  return [
    `server_name: ${serverAddress.name}`,
    `listen: "127.0.0.1:${serverAddress.port}"`,
    `http: "127.0.0.1:${serverAddress.monitorPort}"`,
    ...(jetstream ? [`jetstream { ${store.join(', ')} }`] : []),
    ...(user === undefined ? [] : [`authorization { user: ${quoted(user)}, password: ${quoted(password ?? '')} }`]),
    ...(files === undefined ? [] : [`tls { ${files} }`]),
    ...(serverAddress.routes
      ? [
          `cluster { name: parley, listen: "127.0.0.1:${serverAddress.routePort}", routes: [${serverAddress.routes
            .map((port) => `"nats://127.0.0.1:${port}"`)
            .join()}] }`,
        ]
      : []),
    ...lines,
    '',
  ].join('\n')
}

interface Start {
  readonly started: Promise<void>
  readonly server: TestNats
  stop(): Promise<void>
}

async function retryStart(startOn: () => Promise<Start>): Promise<TestNats> {
  for (let triesLeft = portTries - 1; ; triesLeft--) {
    const { started, server, stop } = await startOn()
    try {
      await started
      return server
    } catch (error) {
      await stop()
      if (triesLeft === 0) throw error
    }
  }
}
