/** A mail server in the test's process: TLS, sign-in and mails as a real one has them, with scripted faults. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Test } from 'tap'
import { makeCertificates } from '../../harness/certificates.js'

export const account = { username: 'desk@harbor.example', password: 'pass of the desk' }

export interface MailServerOptions {
  readonly security?: 'tls' | 'starttls'
  /** How it signs people in. */
  readonly auth?: 'PLAIN' | 'LOGIN' | 'PLAIN LOGIN'
  /** Replies in place of the usual ones, by the first word of a command; `.` is the end of a mail. */
  readonly replies?: Readonly<Record<string, string | 'reset' | 'silence'>>
  /** An address that it refuses. */
  readonly unknown?: string
  /** Sent ahead in the clear, behind the reply to STARTTLS. */
  readonly injected?: string
}

export interface AcceptedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export async function openMailServer(t: Test, options: MailServerOptions = {}) {
  const { security = 'starttls', auth = 'PLAIN LOGIN', replies = {}, injected = '', unknown } = options
  const dir = mkdtempSync(join(tmpdir(), 'parley-mail-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const { caFile, certFile, keyFile } = makeCertificates(dir)
  const secureContext = createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
  const accepted: AcceptedMail[] = []
  /** What was sent before TLS. */
  const clear: string[] = []
  const sockets = new Set<Socket>()

  function serve(socket: Socket, isSecure: boolean): void {
    let received = ''
    let mail: { from: string; to: string[]; data?: string } = { from: '', to: [] }
    let expected: 'command' | 'username' | 'password' = 'command'
    let username = ''
    const say = (reply: string) => void socket.write(`${reply}\r\n`)
    const decoded = (text = '') => Buffer.from(text, 'base64').toString()
    const signIn = (name: string, password: string) =>
      say(name === account.username && password === account.password ? '235 Welcome' : '535 No')

    function answer(word: string, usual: () => void): void {
      const reply = replies[word]
      if (reply === 'reset') socket.destroy()
      else if (reply === undefined) usual()
      else if (reply !== 'silence') say(reply)
    }

    function upgrade(): void {
      socket.removeAllListeners('data')
      socket.write(`220 Go\r\n${injected}`)
      serve(new TLSSocket(socket, { isServer: true, secureContext }), true)
    }

    function handle(line: string): void {
      if (expected === 'username') {
        username = decoded(line)
        expected = 'password'
        return say('334 UGFzc3dvcmQ6')
      }
      if (expected === 'password') {
        expected = 'command'
        return signIn(username, decoded(line))
      }
      const [word = '', ...rest] = line.split(' ')
      answer(word, () => {
        if (word === 'EHLO')
          return say(`250-mail.example\r\n250-SIZE 1000\r\n250 ${isSecure ? `AUTH ${auth}` : 'STARTTLS'}`)
        if (word === 'STARTTLS') return upgrade()
        if (word === 'AUTH' && rest[0] === 'PLAIN') {
          const [, name = '', password = ''] = decoded(rest[1]).split('\0')
          return signIn(name, password)
        }
        if (word === 'AUTH') {
          expected = 'username'
          return say('334 VXNlcm5hbWU6')
        }
        const address = /<(.*)>/.exec(line)?.[1] ?? ''
        if (word === 'MAIL') mail = { from: address, to: [] }
        if (word === 'RCPT' && address === unknown) return say('550 Nobody')
        if (word === 'RCPT') mail.to.push(address)
        if (word === 'DATA') {
          mail.data = ''
          return say('354 Go on')
        }
        say('250 Good')
      })
    }

    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (!isSecure) clear.push(chunk.toString('latin1'))
      for (;;) {
        if (mail.data !== undefined) {
          const end = received.indexOf('\r\n.\r\n')
          if (end < 0) return
          const whole = received.slice(0, end + 2)
          received = received.slice(end + 5)
          const { from, to } = mail
          mail = { from: '', to: [] }
          answer('.', () => {
            accepted.push({ from, to, ...parse(whole) })
            say('250 Queued')
          })
          continue
        }
        const end = received.indexOf('\r\n')
        if (end < 0) return
        const line = received.slice(0, end)
        received = received.slice(end + 2)
        handle(line)
      }
    })
    if (!isSecure || security === 'tls') answer('greeting', () => say('220 mail.example'))
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    if (security === 'tls') serve(new TLSSocket(socket, { isServer: true, secureContext }), true)
    else serve(socket, false)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, accepted, clear, ca: readFileSync(caFile, 'utf8') }
}

function parse(whole: string): Pick<AcceptedMail, 'headers' | 'text'> {
  const split = whole.indexOf('\r\n\r\n')
  const unfolded = whole.slice(0, split).replaceAll(/\r\n[ \t]/g, ' ')
  const headers = Object.fromEntries(
    unfolded
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), decodeWords(line.slice(line.indexOf(':') + 2))]),
  )
  const body = whole.slice(split + 4)
  const isEncoded = headers['content-transfer-encoding'] === 'base64'
  const plain = body.replaceAll(/^\./gm, '').replace(/\r\n$/, '')
  return { headers, text: isEncoded ? Buffer.from(body.replaceAll('\r\n', ''), 'base64').toString() : plain }
}

function decodeWords(value: string): string {
  return value
    .replaceAll('?= =?UTF-8?B?', '?==?UTF-8?B?')
    .replaceAll(/=\?UTF-8\?B\?([^?]*)\?=/g, (_word, encoded: string) => Buffer.from(encoded, 'base64').toString())
}
