/** The message center that SMPP adapters bind to: its sessions, and connection faults. */
import { createRequire } from 'node:module'
import type { Server, Socket } from 'node:net'
import type { CallSmppSession } from '../callbacks.js'
import type { Account, EmulatedProvider, EmulatorAnswer, EmulatorContext, PersonCall, SmppCall } from '../contract.js'
import type { ActiveFaults } from '../faults.js'
import { type ListeningServer, listen } from '../server.js'
import { safeEqual } from '../signature.js'
import { commandStatus, parseSubmit, type Submit, smpp, smppAuthOf } from './provider.js'

/** A PDU of the library, with the members in use. */
interface Pdu {
  readonly command: string
  readonly command_status: number
  readonly system_id?: string
  readonly password?: string
  response(fields?: object): Pdu
}
interface Session {
  readonly socket: Socket
  on(event: string, listener: (pdu: Pdu) => void): Session
  send(pdu: Pdu, answered?: (pdu: Pdu) => void): boolean
  close(): void
}
const library = createRequire(import.meta.url)('smpp') as {
  readonly PDU: new (command: string, fields: object) => Pdu
  createServer(options: object, opened: (session: Session) => void): Server
}

export interface CenterDeps {
  readonly context: EmulatorContext
  selectFaults(call: PersonCall): ActiveFaults
  perform(call: PersonCall, activeFaults: ActiveFaults): Promise<EmulatorAnswer> | EmulatorAnswer
  delay(ms: number): Promise<void>
}

export interface MessageCenter {
  readonly provider: EmulatedProvider
  readonly call: CallSmppSession
  listen(host: string, port: number): Promise<ListeningServer>
}

interface BoundSession {
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

export function createMessageCenter(deps: () => CenterDeps): MessageCenter {
  const sessions = new Map<Session, BoundSession>()

  function bindSession(session: Session, pdu: Pdu, kind: keyof typeof binds): number {
    const account = deps()
      .context.accounts('smpp')
      .find((each) => smppAuthOf(each).systemId === pdu.system_id)
    if (sessions.has(session) || !account) return commandStatus.bindFailed
    if (!safeEqual(pdu.password ?? '', smppAuthOf(account).password)) return commandStatus.badPassword
    sessions.set(session, { session, account, ...binds[kind] })
    return commandStatus.ok
  }

  async function handleSubmit(session: Session, pdu: Pdu): Promise<void> {
    const { context, selectFaults, perform, delay } = deps()
    const refuse = (status: number) => session.send(pdu.response({ command_status: status }))
    const boundSession = sessions.get(session)
    if (!boundSession?.sends) return void refuse(commandStatus.badBindState)
    const call = parseSubmit(pdu as unknown as Submit, boundSession.account, context)
    if (typeof call === 'number') return void refuse(call)
    const activeFaults = selectFaults(call)
    if (activeFaults.latency) await delay(activeFaults.latency.ms ?? 0)
    if (activeFaults.reset) return void session.socket.resetAndDestroy()
    if (activeFaults.rateLimited) return void refuse(commandStatus.throttled)
    if (activeFaults.serverError || activeFaults.unauthorized) return void refuse(commandStatus.systemError)
    const { status, body } = await perform(call, activeFaults)
    if (activeFaults.noAnswer) return
    if (status === commandStatus.ok) session.send(pdu.response({ message_id: body }))
    else refuse(status)
  }

  function onSession(session: Session): void {
    for (const kind of Object.keys(binds) as (keyof typeof binds)[]) {
      session.on(kind, (pdu) => {
        const status = bindSession(session, pdu, kind)
        session.send(pdu.response(status === commandStatus.ok ? { system_id: 'EMULATOR' } : { command_status: status }))
        if (status !== commandStatus.ok) session.close()
      })
    }
    session.on('submit_sm', (pdu) => void handleSubmit(session, pdu))
    session.on('enquire_link', (pdu) => void session.send(pdu.response()))
    session.on('unknown', (pdu) => void session.send(pdu.response()))
    session.on('unbind', (pdu) => {
      sessions.delete(session)
      session.send(pdu.response())
      session.close()
    })
    session.on('close', () => void sessions.delete(session))
    session.on('error', () => void session.socket.destroy())
  }

  /** True once the customer has acknowledged the PDU. */
  function deliver({ session }: BoundSession, { pdu }: SmppCall): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), smpp.timeoutMs)
      const complete = (isAccepted: boolean) => {
        clearTimeout(timer)
        resolve(isAccepted)
      }
      session.socket.once('close', () => complete(false))
      const deliverSm = new library.PDU('deliver_sm', pdu)
      if (!session.send(deliverSm, (answer) => complete(answer.command_status === commandStatus.ok))) complete(false)
    })
  }

  return {
    provider: smpp,
    async call(account, call) {
      const boundSession = [...sessions.values()]
        .filter((each) => each.account.id === account.id && each.receives)
        .at(-1)
      return boundSession ? deliver(boundSession, call) : false
    },
    listen: (host, port) => listen(library.createServer({}, onSession), host, port),
  }
}
