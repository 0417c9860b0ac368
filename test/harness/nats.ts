/** Real NATS servers for tests, one or a cluster of three, on free ports and in folders of their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Certificates } from './certificates.js'
import { freePorts } from './ports.js'
import { suspendProcess } from './suspension.js'

export interface NatsSetup {
  readonly jetstream?: boolean
  readonly user?: string
  readonly password?: string
  readonly tls?: Certificates
  /** Syncs every message to the disk before its acknowledgement; servers before 2.10 do not have this setting. */
  readonly syncAlways?: boolean
  /** The limit of its store, in the form of the configuration. */
  readonly storeLimit?: string
  /** Further lines of the configuration. */
  readonly lines?: readonly string[]
}

interface ServerAddress {
  readonly name: string
  readonly port: number
  readonly monitorPort: number
  /** Its cluster port, and the addresses of the other servers. */
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
    const credentials = user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`
    return `${tls ? 'tls' : 'nats'}://${credentials}${this.address}`
  }

  /** Starts the server, or restarts it on its port and data, and waits until it is usable. */
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

  /** Waits until JetStream has recovered its data; in a cluster, until the servers have elected a leader. */
  async ready(): Promise<void> {
    for (const deadline = Date.now() + startMs; !(await this.#isReady()); await sleep(tryEveryMs)) {
      if (this.#hasEnded() || Date.now() > deadline) throw new Error(`nats-server is not ready:\n${this.#output}`)
    }
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Suspends the process: connections stay open, and no request is answered. */
  pause(): Promise<void> {
    return suspendProcess(this.#process)
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  /** Ends the server in order; it can be started again. */
  async end(): Promise<void> {
    this.resume()
    await this.#end('SIGTERM')
  }

  /** Removes JetStream's data, as the loss of a disk does. Only while the server is stopped. */
  loseDisk(): void {
    rmSync(this.#store, { recursive: true, force: true })
  }

  /** Saves a copy of JetStream's data, replacing an earlier copy. Only while the server is stopped. */
  saveDisk(): void {
    rmSync(this.#saved, { recursive: true, force: true })
    cpSync(this.#store, this.#saved, { recursive: true })
  }

  /** Restores the saved copy of JetStream's data. Only while the server is stopped. */
  rollBackDisk(): void {
    this.loseDisk()
    cpSync(this.#saved, this.#store, { recursive: true })
  }

  /** Ends the server for good and removes its files. */
  async stop(): Promise<void> {
    await this.end()
    process.off('exit', this.#killAtExit)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** JetStream's monitoring report. */
  async jetstream(): Promise<JetStreamReport> {
    const answer = await fetch(`http://127.0.0.1:${this.#place.monitorPort}/jsz?accounts=true&streams=true`)
    return (await answer.json()) as JetStreamReport
  }

  /** A server of a cluster is usable once the servers agree on a leader; it catches up meanwhile. */
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

/** Three servers of one cluster. */
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

  /** Reserves ports and folders for three servers and starts none. */
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
        const leaderServer = this.servers.find((each) => each.name === leader)
        if (leaderServer) return leaderServer
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
  const quote = (text: string) => JSON.stringify(text)
  const files =
    tls && `cert_file: ${quote(tls.certFile)}, key_file: ${quote(tls.keyFile)}, ca_file: ${quote(tls.caFile)}`
  return [
    `server_name: ${serverAddress.name}`,
    `listen: "127.0.0.1:${serverAddress.port}"`,
    `http: "127.0.0.1:${serverAddress.monitorPort}"`,
    ...(jetstream ? [`jetstream { ${store.join(', ')} }`] : []),
    ...(user === undefined ? [] : [`authorization { user: ${quote(user)}, password: ${quote(password ?? '')} }`]),
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
