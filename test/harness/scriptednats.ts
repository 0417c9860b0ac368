/** A NATS server that a test scripts, for faults that are very rare on real servers. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** The JSON answer to a request; undefined leaves it unanswered. */
export type Script = (subject: string, body: string, reply: string | undefined) => object | undefined

interface Subscription {
  readonly sid: string
  readonly matches: RegExp
}

const info = {
  server_id: 'scripted',
  version: '2.9.10',
  proto: 1,
  headers: true,
  jetstream: true,
  max_payload: 1024 ** 2,
}

export class ScriptedNats {
  readonly #server: Server
  readonly #script: Script
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server, script: Script) {
    this.#server = server
    this.#script = script
    server.on('connection', (socket) => this.#serve(socket))
  }

  static async start(script: Script): Promise<ScriptedNats> {
    const server = createServer()
    const scripted = new ScriptedNats(server, script)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return scripted
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Sends a message to every subscriber of an inbox. */
  deliver: (inbox: string, subject: string, reply: string, body: string) => void = () => {}

  stop(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  #serve(socket: Socket): void {
    const subscriptions = new Map<string, Subscription>()
    let unread = Buffer.alloc(0)
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.write(`INFO ${JSON.stringify(info)}\r\n`)

    this.deliver = (inbox, subject, reply, body) => {
      const subscription = [...subscriptions.values()].find(({ matches }) => matches.test(inbox))
      if (subscription)
        socket.write(`MSG ${subject} ${subscription.sid} ${reply}${reply && ' '}${body.length}\r\n${body}\r\n`)
    }

    const publishedMessage = (subject: string, reply: string | undefined, body: Buffer) => {
      const answer = this.#script(subject, body.toString(), reply)
      if (reply && answer) this.deliver(reply, reply, '', JSON.stringify(answer))
    }

    /** Consumes one command from the input; false when it is incomplete. */
    function readCommand(): boolean {
      const end = unread.indexOf('\r\n')
      if (end < 0) return false
      const [verb = '', ...words] = unread.subarray(0, end).toString().split(' ')
      const isMessage = verb === 'PUB' || verb === 'HPUB'
      const length = isMessage ? Number(words.at(-1)) + 2 : 0
      const next = end + 2 + length
      if (unread.length < next) return false
      const payload = unread.subarray(end + 2, next - 2)
      unread = unread.subarray(next)
      if (verb === 'PING') socket.write('PONG\r\n')
      else if (verb === 'SUB') subscriptions.set(words.at(-1)!, subscriptionOf(words[0]!, words.at(-1)!))
      else if (verb === 'UNSUB') subscriptions.delete(words[0]!)
      else if (verb === 'PUB') publishedMessage(words[0]!, words.length === 3 ? words[1] : undefined, payload)
      else if (verb === 'HPUB') {
        const headerBytes = Number(words.at(-2))
        publishedMessage(words[0]!, words.length === 4 ? words[1] : undefined, payload.subarray(headerBytes))
      }
      return true
    }

    socket.on('data', (piece) => {
      unread = Buffer.concat([unread, piece])
      while (readCommand());
    })
  }
}

function subscriptionOf(subject: string, sid: string): Subscription {
  const pattern = subject.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace('>', '.+')
  return { sid, matches: new RegExp(`^${pattern}$`) }
}
