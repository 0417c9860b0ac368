/** Sends mail through mail servers that operators name: over TLS, through the guard, and each mail at most once. */
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { tools as limits } from '../../core/limits/index.js'
import type { Mail, MailOutcome, MailServer, Sender } from '../../core/tools/mail.js'
import type { Clock } from '../clock.js'
import { createAddressResolver, type Resolve, type UrlPolicy } from '../egress/guard.js'
import { sleep } from '../time.js'

export interface SmtpRequest {
  readonly server: MailServer
  readonly from: Sender
  readonly mail: Mail
  readonly signal: AbortSignal
  /** Evaluated right before the first byte of the mail is written; false cancels it. */
  readonly isStillOwner: () => boolean
}

export interface SmtpOptions extends UrlPolicy {
  readonly resolve?: Resolve
  /** Certificates trusted in place of the well-known ones. */
  readonly ca?: string
  readonly clock: Pick<Clock, 'now' | 'setTimer'>
  readonly limits?: Pick<typeof limits, 'connectMs' | 'callMs'>
}

/** Never throws. A mail to several addresses is sent to those that the server takes. */
export type SendBySmtp = (request: SmtpRequest) => Promise<MailOutcome>

/** Parley's own end of a session; the message is a sentence for the caller. */
class Ended extends Error {
  override readonly name = 'Ended'
}

const isAllowedPort = (port: number) => (limits.mailPorts as readonly number[]).includes(port)
const stopped = 'It was stopped on our side.'

export function createSmtpClient({ clock, limits: own = limits, ca, ...policy }: SmtpOptions): SendBySmtp {
  const addressOf = createAddressResolver({ ...policy, connectMs: own.connectMs })

  return async (request) => {
    const { server, signal } = request
    const { host, port, security } = server
    if (!policy.allowPrivate && !isAllowedPort(port)) {
      return { kind: 'failed', message: `The port of a mail server is one of ${limits.mailPorts.join(', ')}.` }
    }
    const address = await addressOf(host)
    if (address === undefined) {
      return { kind: 'unsent', message: 'The name of the mail server does not lead to a public address.' }
    }
    if (signal.aborted) return { kind: 'failed', message: stopped }
    const connection = new SMTPConnection({
      ...{ host: address, port, secure: security === 'tls', requireTLS: security === 'starttls' },
      // The form that servers take in place of a name: the name of this machine is nobody's business.
      name: '[127.0.0.1]',
      ...(isIP(host) === 0 && { servername: host }),
      tls: ca === undefined ? {} : { ca },
      maxResponseSize: limits.mailReplyBytes,
    })
    const over = new AbortController()
    const ended = new Promise<never>((_resolve, reject) => {
      connection.on('error', reject)
      connection.on('end', () =>
        reject(new Ended('The connection to the mail server was closed before an answer came.')),
      )
      signal.addEventListener('abort', () => reject(new Ended(stopped)), { once: true, signal: over.signal })
      void sleep(clock, own.callMs, over.signal).then(() =>
        reject(new Ended('The mail server did not answer in time.')),
      )
    })
    ended.catch(() => {})
    try {
      return await deliver(connection, ended, request, clock.now())
    } finally {
      over.abort()
      connection.close()
    }
  }
}

type Done<T> = (error?: Error | null, value?: T) => void

async function deliver(
  connection: SMTPConnection,
  ended: Promise<never>,
  { server: { username: user, password: pass }, from, mail, signal, isStillOwner }: SmtpRequest,
  at: number,
): Promise<MailOutcome> {
  let isUnderWay = false

  function step<T>(begin: (done: Done<T>) => void): Promise<void> {
    const done = new Promise<void>((resolve, reject) => begin((error) => (error ? reject(error) : resolve())))
    return Promise.race([done, ended])
  }

  function mayLeave(): boolean {
    isUnderWay = !signal.aborted && isStillOwner()
    return isUnderWay
  }

  try {
    const composed = composeMail(from, mail, at)
    const bytes = await composed.build()
    await step((done) => connection.connect(done))
    await step((done) => connection.login({ user, pass }, done))
    await step((done) => connection.send(composed.getEnvelope(), readWhen(mayLeave, bytes), done))
    connection.quit()
    return { kind: 'sent' }
  } catch (error) {
    return outcomeOf(error as SmtpError, isUnderWay, signal.aborted)
  }
}

/** The bytes of a mail, read once the server asks for them: then it must still be allowed to leave. */
function readWhen(mayLeave: () => boolean, bytes: Buffer): Readable {
  return new Readable({
    read() {
      if (!mayLeave()) return void this.destroy(new Ended(stopped))
      this.push(bytes)
      this.push(null)
    },
  })
}

/** The mail in the form that mail servers take. */
export function composeMail(from: Sender, { to, subject, text, replyTo, messageId }: Mail, at: number) {
  const own = { address: plainAddress(from.address), name: from.name ?? '' }
  return new MailComposer({
    from: own,
    to: to.map((address) => ({ address: plainAddress(address), name: '' })),
    ...(replyTo !== undefined && { replyTo: { address: plainAddress(replyTo), name: '' } }),
    ...{ subject, text, textEncoding: 'base64' as const },
    messageId: `<${plainAddress(messageId)}>`,
    date: new Date(at),
  }).compile()
}

/** Without what would end an address or a line. */
function plainAddress(address: string): string {
  return address.replace(/[\s<>\p{Cc}]/gu, '')
}

interface SmtpError extends Error {
  readonly code?: string
  /** The code of the error behind it. */
  readonly originalCode?: string
  readonly responseCode?: number
}

function outcomeOf(error: SmtpError, isUnderWay: boolean, isAborted: boolean): MailOutcome {
  const { responseCode } = error
  if (responseCode) {
    // From 400 to 499 the same may succeed later.
    const isPassing = responseCode >= 400 && responseCode < 500
    return { kind: isPassing ? 'unsent' : 'failed', message: `The mail server answered ${responseCode}.` }
  }
  const message = messageOf(error)
  if (isUnderWay) return { kind: 'unknown', message }
  return { kind: isAborted || message === stopped ? 'failed' : 'unsent', message }
}

/** Error codes of the TLS layer and of certificate checks, by prefix. */
const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$|ETLS)/

/** A sentence that reveals nothing about Parley's side. */
function messageOf(error: SmtpError): string {
  if (error instanceof Ended) return error.message
  const { code = '', originalCode = code } = error
  if (code === 'EPROTOCOL') return 'The mail server answered in a way that is not understood.'
  return tlsCode.test(originalCode)
    ? 'The mail server could not prove its identity over TLS.'
    : 'The connection to the mail server failed.'
}
