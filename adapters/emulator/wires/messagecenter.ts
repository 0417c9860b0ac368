/** The message center that SMPP adapters bind to: its sessions, and the faults of a line. */
import { createRequire } from 'node:module'
import type { Server, Socket } from 'node:net'
import type { Account, Desk, LineCall, PersonCall, Wire, WireAnswer } from '../contract.js'
import type { Drawn } from '../faults.js'
import type { CallLine } from '../postman.js'
import { type Listening, listening } from '../server.js'
import { same } from '../sign.js'
import { commandStatus, type Submit, smpp, smppAuthOf, understoodSubmit } from './smpp.js'

/** The library has no types; this is all that is used of it. */
interface Unit {
  readonly command: string
  readonly command_status: number
  readonly system_id?: string
  readonly password?: string
  response(fields?: object): Unit
}
interface Session {
  readonly socket: Socket
  on(event: string, listener: (unit: Unit) => void): Session
  send(unit: Unit, answered?: (unit: Unit) => void): boolean
  close(): void
}
const library = createRequire(import.meta.url)('smpp') as {
  readonly PDU: new (command: string, fields: object) => Unit
  createServer(options: object, opened: (session: Session) => void): Server
}

export interface CenterParts {
  readonly desk: Desk
  draw(call: PersonCall): Drawn
  perform(call: PersonCall, drawn: Drawn): Promise<WireAnswer> | WireAnswer
  later(ms: number): Promise<void>
}

export interface MessageCenter {
  readonly wire: Wire
  readonly call: CallLine
  listen(host: string, port: number): Promise<Listening>
}

interface Line {
  readonly session: Session
  readonly account: Account
  readonly sends: boolean
  readonly receives: boolean
}

const binds = {
  bind_transceiver: { sends: true, receives: true },
  bind_transmitter: { sends: true, receives: false },
  bind_receiver: { sends: false, receives: true },
} as const

export function openMessageCenter(parts: () => CenterParts): MessageCenter {
  const lines = new Map<Session, Line>()

  function bound(session: Session, unit: Unit, kind: keyof typeof binds): number {
    const account = parts()
      .desk.accounts('smpp')
      .find((each) => smppAuthOf(each).systemId === unit.system_id)
    if (lines.has(session) || !account) return commandStatus.bindFailed
    if (!same(unit.password ?? '', smppAuthOf(account).password)) return commandStatus.badPassword
    lines.set(session, { session, account, ...binds[kind] })
    return commandStatus.ok
  }

  async function submitted(session: Session, unit: Unit): Promise<void> {
    const { desk, draw, perform, later } = parts()
    const refused = (status: number) => session.send(unit.response({ command_status: status }))
    const line = lines.get(session)
    if (!line?.sends) return void refused(commandStatus.badBindState)
    const call = understoodSubmit(unit as unknown as Submit, line.account, desk)
    if (typeof call === 'number') return void refused(call)
    const drawn = draw(call)
    if (drawn.latency) await later(drawn.latency.ms ?? 0)
    if (drawn.reset) return void session.socket.resetAndDestroy()
    if (drawn.rateLimited) return void refused(commandStatus.throttled)
    if (drawn.serverError || drawn.unauthorized) return void refused(commandStatus.systemError)
    const { status, body } = await perform(call, drawn)
    if (drawn.noAnswer) return
    if (status === commandStatus.ok) session.send(unit.response({ message_id: body }))
    else refused(status)
  }

  function opened(session: Session): void {
    for (const kind of Object.keys(binds) as (keyof typeof binds)[]) {
      session.on(kind, (unit) => {
        const status = bound(session, unit, kind)
        session.send(
          unit.response(status === commandStatus.ok ? { system_id: 'EMULATOR' } : { command_status: status }),
        )
        if (status !== commandStatus.ok) session.close()
      })
    }
    session.on('submit_sm', (unit) => void submitted(session, unit))
    session.on('enquire_link', (unit) => void session.send(unit.response()))
    session.on('unknown', (unit) => void session.send(unit.response()))
    session.on('unbind', (unit) => {
      lines.delete(session)
      session.send(unit.response())
      session.close()
    })
    session.on('close', () => void lines.delete(session))
    session.on('error', () => void session.socket.destroy())
  }

  /** True once the customer has said that it took it. */
  function delivered({ session }: Line, { pdu }: LineCall): Promise<boolean> {
    return new Promise((done) => {
      const patience = setTimeout(() => done(false), smpp.patienceMs)
      const finish = (taken: boolean) => {
        clearTimeout(patience)
        done(taken)
      }
      session.socket.once('close', () => finish(false))
      const unit = new library.PDU('deliver_sm', pdu)
      if (!session.send(unit, (answer) => finish(answer.command_status === commandStatus.ok))) finish(false)
    })
  }

  return {
    wire: smpp,
    async call(account, call) {
      const line = [...lines.values()].filter((each) => each.account.id === account.id && each.receives).at(-1)
      return line ? delivered(line, call) : false
    },
    listen: (host, port) => listening(library.createServer({}, opened), host, port),
  }
}
