/** Sends mail through mail servers that operators name: over TLS, through the guard, and each mail at most once. */
import { tools as limits } from '../../core/limits/index.js'
import type { Mail, MailOutcome, MailServer, Sender } from '../../core/tools/mail.js'
import type { Clock } from '../clock.js'
import { createAddressResolver, type Resolve, type UrlPolicy } from '../egress/guard.js'
import { sleep } from '../time.js'
import { formatMail, plainAddress } from './message.js'
import { type Reply, Session, SessionEnded } from './session.js'

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

/** Never throws. */
export type SendBySmtp = (request: SmtpRequest) => Promise<MailOutcome>

/** A reply that ends the attempt. */
class Refused extends Error {
  override readonly name = 'Refused'
  constructor(readonly code: number) {
    super(`The mail server answered ${code}.`)
  }
}

const isAllowedPort = (port: number) => (limits.mailPorts as readonly number[]).includes(port)

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
    const session = new Session({ host, address, port, ca }, security)
    const over = new AbortController()
    const stop = () => session.end(stopped)
    signal.addEventListener('abort', stop, { once: true })
    void sleep(clock, own.callMs, over.signal).then(() => session.end('The mail server did not answer in time.'))
    try {
      return await deliver(session, request, clock.now())
    } finally {
      over.abort()
      signal.removeEventListener('abort', stop)
      session.end('The session is over.')
    }
  }
}

const stopped = 'It was stopped on our side.'

async function deliver(session: Session, request: SmtpRequest, at: number): Promise<MailOutcome> {
  const { from, mail, signal } = request
  let isUnderWay = false
  try {
    await greet(session, request.server)
    expect(await session.command(`MAIL FROM:<${plainAddress(from.address)}>`), 250)
    for (const to of mail.to) expect(await session.command(`RCPT TO:<${plainAddress(to)}>`), 250, 251)
    expect(await session.command('DATA'), 354)
    if (signal.aborted || !request.isStillOwner()) return { kind: 'failed', message: stopped }
    isUnderWay = true
    session.write(`${formatMail(from, mail, at)}.\r\n`)
    expect(await session.reply(), 250)
    session.quit()
    return { kind: 'sent' }
  } catch (error) {
    if (error instanceof Refused) return { kind: isPassing(error) ? 'unsent' : 'failed', message: error.message }
    if (!(error instanceof SessionEnded)) throw error
    if (isUnderWay) return { kind: 'unknown', message: error.message }
    return { kind: signal.aborted ? 'failed' : 'unsent', message: error.message }
  }
}

/** Introduces itself, over TLS before the password leaves, and signs in. */
async function greet(session: Session, { security, username, password }: MailServer): Promise<void> {
  expect(await session.reply(), 220)
  let abilities = expect(await session.command(`EHLO ${session.ownName}`), 250)
  if (security === 'starttls') {
    expect(await session.command('STARTTLS'), 220)
    await session.startTls()
    abilities = expect(await session.command(`EHLO ${session.ownName}`), 250)
  }
  const ways = abilities.lines.filter((line) => /^AUTH[ =]/i.test(line)).join(' ')
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  if (/\bLOGIN\b/i.test(ways) && !/\bPLAIN\b/i.test(ways)) {
    expect(await session.command('AUTH LOGIN'), 334)
    expect(await session.command(encoded(username)), 334)
    expect(await session.command(encoded(password)), 235)
  } else expect(await session.command(`AUTH PLAIN ${encoded(`\0${username}\0${password}`)}`), 235)
}

function expect(reply: Reply, ...codes: number[]): Reply {
  if (!codes.includes(reply.code)) throw new Refused(reply.code)
  return reply
}

/** A reply from 400 to 499 means that the same may succeed later. */
function isPassing({ code }: Refused): boolean {
  return code >= 400 && code < 500
}
