/** A real redis-server for tests: on a free port, in a folder of its own, keeping nothing on disk. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type Reply = string | number | null | Reply[]

const startMs = 20_000
const tryEveryMs = 20
/** A port that was free a moment ago may be somebody's by now. */
const portTries = 3

export class TestRedis {
  readonly port: number
  readonly #folder: string
  readonly #password: string | undefined
  #process: ChildProcess | undefined
  #wire: Wire | undefined
  readonly #killAtExit = () => this.#process?.kill('SIGKILL')

  private constructor(port: number, folder: string, password?: string) {
    this.port = port
    this.#folder = folder
    this.#password = password
    process.on('exit', this.#killAtExit)
  }

  static async start(options: { password?: string } = {}): Promise<TestRedis> {
    for (let triesLeft = portTries - 1; ; triesLeft--) {
      const redis = await TestRedis.prepare(options)
      try {
        await redis.start()
        return redis
      } catch (error) {
        await redis.stop()
        if (triesLeft === 0) throw error
      }
    }
  }

  /** A place for a server that is not running yet. */
  static async prepare({ password }: { password?: string } = {}): Promise<TestRedis> {
    return new TestRedis(await freePort(), await mkdtemp(join(tmpdir(), 'parley-redis-')), password)
  }

  get url(): string {
    return `redis://${this.#password === undefined ? '' : `:${this.#password}@`}127.0.0.1:${this.port}`
  }

  /** Starts it, or starts it again after `kill` on the same port and empty, and waits until it answers. */
  async start(): Promise<void> {
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder]
    const lock = this.#password === undefined ? [] : ['--requirepass', this.#password]
    const child = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no', ...lock], { stdio: 'pipe' })
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

  /** Runs one command by a connection of the harness's own. */
  async command(...words: (string | number)[]): Promise<Reply> {
    if (!this.#wire) throw new Error('redis-server is not running')
    return this.#wire.ask(words)
  }

  /** As a crash would: no goodbye, and what it held is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Holds the process still: connections stay open and nothing answers. */
  pause(): void {
    this.#process?.kill('SIGSTOP')
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  /** Ends it for good and leaves nothing behind. */
  async stop(): Promise<void> {
    this.resume()
    await this.#end('SIGTERM')
    process.off('exit', this.#killAtExit)
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #dial(): Promise<void> {
    const wire = await Wire.open(this.port)
    try {
      if (this.#password !== undefined) await wire.ask(['AUTH', this.#password])
      await wire.ask(['PING'])
    } catch (error) {
      wire.close()
      throw error
    }
    this.#wire = wire
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

/** As much of Redis's protocol as a test needs: commands out, replies back in order. */
class Wire {
  readonly #socket: Socket
  readonly #waiting: { resolve(reply: Reply): void; reject(error: Error): void }[] = []
  #text = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => this.#read(String(chunk)))
    socket.on('error', () => {})
    socket.on('close', () => {
      for (const waiter of this.#waiting.splice(0)) waiter.reject(new Error('the connection closed'))
    })
  }

  static async open(port: number): Promise<Wire> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    await once(socket, 'connect')
    return new Wire(socket)
  }

  ask(words: (string | number)[]): Promise<Reply> {
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

/** One reply that starts at `from`, or nothing while it has not all arrived. */
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
