/** One connection to a mail server: replies in order, and the change to TLS. */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { tools as limits } from '../../core/limits/index.js'

export interface Reply {
  readonly code: number
  readonly lines: readonly string[]
}

/** The session ended before a reply came; the message is a sentence that reveals nothing about Parley's side. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded'
}

export interface SessionTarget {
  readonly host: string
  /** Of the host, as the URL guard allows it. */
  readonly address: string
  readonly port: number
  /** Certificates trusted in place of the well-known ones. */
  readonly ca?: string | undefined
}

const replyLine = /^(\d{3})([ -]?)([^\r\n]*)\r?\n/

export class Session {
  private socket: Socket
  private received = ''
  private ended: SessionEnded | undefined
  private readonly waiting: { wake: () => void } = { wake: () => {} }

  constructor(
    private readonly target: SessionTarget,
    security: 'tls' | 'starttls',
  ) {
    const { address, port } = target
    this.socket = security === 'tls' ? this.secured({ host: address, port }) : connect({ host: address, port })
    this.listen()
  }

  /** The next reply of the server. Rejects with `SessionEnded` when the connection ends first. */
  async reply(): Promise<Reply> {
    const lines: string[] = []
    for (;;) {
      const match = replyLine.exec(this.received)
      if (match) {
        this.received = this.received.slice(match[0].length)
        lines.push(match[3]!)
        if (match[2] !== '-') return { code: Number(match[1]), lines }
        continue
      }
      if (this.ended) throw this.ended
      if (this.received.includes('\n')) this.end('The mail server answered in a way that is not understood.')
      else await new Promise<void>((wake) => Object.assign(this.waiting, { wake }))
    }
  }

  write(text: string): void {
    if (!this.ended) this.socket.write(text)
  }

  async command(line: string): Promise<Reply> {
    this.write(`${line}\r\n`)
    return this.reply()
  }

  /** What the server sent ahead in the clear is a reply to nothing, so it ends the session. */
  async startTls(): Promise<void> {
    if (this.received !== '') this.end('The mail server answered in a way that is not understood.')
    if (this.ended) throw this.ended
    const plain = this.socket
    plain.removeAllListeners('data')
    this.socket = this.secured({ socket: plain })
    this.listen()
    await new Promise<void>((wake) => {
      Object.assign(this.waiting, { wake })
      this.socket.once('secureConnect', wake)
    })
    if (this.ended) throw this.ended
  }

  /** The own address in the form that servers take in place of a name. */
  get ownName(): string {
    const { localAddress = '127.0.0.1' } = this.socket
    return isIP(localAddress) === 6 ? `[IPv6:${localAddress}]` : `[${localAddress}]`
  }

  /** Takes leave after a mail was accepted. */
  quit(): void {
    this.write('QUIT\r\n')
    this.ended = new SessionEnded('The session is over.')
    this.socket.destroySoon()
  }

  /** Ends the session now, unless it is over. */
  end(message: string): void {
    if (this.ended) return
    this.ended = new SessionEnded(message)
    this.socket.destroy()
    this.waiting.wake()
  }

  private secured(to: { host: string; port: number } | { socket: Socket }): Socket {
    const { host, ca } = this.target
    const names = isIP(host) ? { host } : { servername: host }
    return connectTls({ ...names, ...to, ...(ca !== undefined && { ca }) })
  }

  private listen(): void {
    const { socket } = this
    socket.setEncoding('latin1')
    socket.on('data', (text: unknown) => {
      this.received += String(text)
      if (this.received.length > limits.mailReplyBytes) this.end('The mail server answers more than is read.')
      this.waiting.wake()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => this.end(messageOf(error)))
    socket.on('close', () => this.end('The connection to the mail server was closed before an answer came.'))
  }
}

/** Error codes of the TLS layer and of certificate checks, by prefix. */
const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO)/

function messageOf({ code = '' }: NodeJS.ErrnoException): string {
  return tlsCode.test(code)
    ? 'The mail server could not prove its identity over TLS.'
    : 'The connection to the mail server failed.'
}
