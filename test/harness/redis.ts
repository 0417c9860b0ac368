/** A real redis-server for tests: on a free port, in its own folder, without persistence. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { Certificates } from './certificates.js'
import { freePort } from './ports.js'
import { suspendProcess } from './suspension.js'

export type Reply = string | number | null | Reply[]

const startMs = 20_000
const tryEveryMs = 20
/** Another process may have taken a port that was free a moment ago. */
const portTries = 3

export interface RedisSetup {
  /** The password that every client needs. */
  readonly password?: string
  /** A further user with all rights. */
  readonly user?: { readonly name: string; readonly password: string }
  /** With it the server accepts TLS alone. */
  readonly tls?: Certificates
}

export class TestRedis {
  readonly port: number
  readonly #folder: string
  readonly #setup: RedisSetup
  #process: ChildProcess | undefined
  #wire: RespConnection | undefined
  readonly #killAtExit = () => this.#process?.kill('SIGKILL')

  private constructor(port: number, folder: string, setup: RedisSetup) {
    this.port = port
    this.#folder = folder
    this.#setup = setup
    process.on('exit', this.#killAtExit)
  }

  static async start(setup: RedisSetup = {}): Promise<TestRedis> {
    for (let triesLeft = portTries - 1; ; triesLeft--) {
      const redis = await TestRedis.prepare(setup)
      try {
        await redis.start()
        return redis
      } catch (error) {
        await redis.stop()
        if (triesLeft === 0) throw error
      }
    }
  }

  /** Reserves a port and folder for a server that is not running yet. */
  static async prepare(setup: RedisSetup = {}): Promise<TestRedis> {
    return new TestRedis(await freePort(), await mkdtemp(join(tmpdir(), 'parley-redis-')), setup)
  }

  get url(): string {
    const { password, tls } = this.#setup
    return `${tls ? 'rediss' : 'redis'}://${password === undefined ? '' : `:${password}@`}127.0.0.1:${this.port}`
  }

  /** Starts the server, or restarts it empty on the same port after `kill`, and waits until it answers. */
  async start(): Promise<void> {
    const args = ['--bind', '127.0.0.1', '--dir', this.#folder, '--save', '', '--appendonly', 'no']
    const child = spawn('redis-server', [...args, ...listenArgs(this.port, this.#setup)], { stdio: 'pipe' })
    this.#process = child
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    let failure: Error | undefined
    child.on('error', (error) => (failure = error))
    child.on('exit', () => (failure ??= new Error(`redis-server ended:\n${output}`)))
    for (const deadline = Date.now() + startMs; ; await sleep(tryEveryMs)) {
      if (failure) throw failure
      try {
        await this.#dial()
        return
      } catch (error) {
        if (Date.now() > deadline) throw new Error(`redis-server does not answer: ${error}\n${output}`)
      }
    }
  }

  /** Runs one command over a connection of the harness. */
  async command(...words: (string | number)[]): Promise<Reply> {
    if (!this.#wire) throw new Error('redis-server is not running')
    return this.#wire.send(words)
  }

  /** Ends the server like a crash: without a goodbye, and its data is lost. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Suspends the process: connections stay open, and no command is answered. */
  pause(): Promise<void> {
    return suspendProcess(this.#process)
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  /** Ends the server for good and removes its files. */
  async stop(): Promise<void> {
    this.resume()
    await this.#end('SIGTERM')
    process.off('exit', this.#killAtExit)
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #dial(): Promise<void> {
    const { password, tls } = this.#setup
    const connection = await RespConnection.open(this.port, tls)
    try {
      if (password !== undefined) await connection.send(['AUTH', password])
      await connection.send(['PING'])
    } catch (error) {
      connection.close()
      throw error
    }
    this.#wire = connection
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#wire?.close()
    this.#wire = undefined
    const child = this.#process
    this.#process = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
}

/** The part of Redis's protocol that tests need: commands out, replies in order. */
class RespConnection {
  readonly #socket: Socket
  readonly #waiting: { resolve(reply: Reply): void; reject(error: Error): void }[] = []
  #text = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => this.#read(String(chunk)))
    socket.on('close', () => {
      for (const waiter of this.#waiting.splice(0)) waiter.reject(new Error('the connection closed'))
    })
  }

  static async open(port: number, tls?: Certificates): Promise<RespConnection> {
    const address = { host: '127.0.0.1', port, noDelay: true }
    const socket = tls ? connectTls({ ...address, ca: readFileSync(tls.caFile) }) : connect(address)
    socket.on('error', () => {})
    await once(socket, tls ? 'secureConnect' : 'connect')
    return new RespConnection(socket)
  }

  send(words: (string | number)[]): Promise<Reply> {
    const parts = words.map((word) => `$${Buffer.byteLength(String(word))}\r\n${word}\r\n`)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#socket.write(`*${words.length}\r\n${parts.join('')}`)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: string): void {
    this.#text += chunk
    for (let parsed = parseReply(this.#text, 0); parsed; parsed = parseReply(this.#text, 0)) {
      this.#text = this.#text.slice(parsed.end)
      const waiter = this.#waiting.shift()
      if (parsed.reply instanceof Error) waiter?.reject(parsed.reply)
      else waiter?.resolve(parsed.reply)
    }
  }
}

/** The reply that starts at `from`, or undefined until all of it has arrived. */
function parseReply(text: string, from: number): { reply: Reply | Error; end: number } | undefined {
  const lineEnd = text.indexOf('\r\n', from)
  if (lineEnd < 0) return undefined
  const line = text.slice(from + 1, lineEnd)
  let end = lineEnd + 2
  switch (text[from]) {
    case '+':
      return { reply: line, end }
    case '-':
      return { reply: new Error(line), end }
    case ':':
      return { reply: Number(line), end }
    case '$': {
      if (line === '-1') return { reply: null, end }
      const bytes = Number(line)
      if (text.length < end + bytes + 2) return undefined
      return { reply: Buffer.from(text.slice(end, end + bytes), 'latin1').toString(), end: end + bytes + 2 }
    }
    case '*': {
      const items: Reply[] = []
      for (let count = Number(line); count > 0; count--) {
        const item = parseReply(text, end)
        if (!item) return undefined
        if (item.reply instanceof Error) return { reply: item.reply, end: item.end }
        items.push(item.reply)
        end = item.end
      }
      return { reply: items, end }
    }
    default:
      throw new Error(`Redis answered something this harness cannot read: ${text.slice(from, from + 40)}`)
  }
}

function listenArgs(port: number, { password, user, tls }: RedisSetup): string[] {
  const lock = password === undefined ? [] : ['--requirepass', password]
  const users = user ? ['--user', user.name, 'on', `>${user.password}`, '~*', '&*', '+@all'] : []
  if (!tls) return ['--port', String(port), ...lock, ...users]
  const files = ['--tls-cert-file', tls.certFile, '--tls-key-file', tls.keyFile, '--tls-ca-cert-file', tls.caFile]
  return ['--port', '0', '--tls-port', String(port), ...files, '--tls-auth-clients', 'no', ...lock, ...users]
}
