/**
 * A message center for tests, on the server of the `smpp` package: it answers as it is told to, and keeps what it got.
 */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import smpp, { type PDU, type Session } from 'smpp'
import type { Test } from 'tap'
import type { SmppAuth } from '../../../../adapters/sms/smpp/auth.js'
import { openSession, type SessionLimits, type SmppSession } from '../../../../adapters/sms/smpp/session.js'
import type { ConnectContext, Item } from '../../../../core/channel/adapter.js'
import { smpp as limits } from '../../../../core/limits/index.js'

export type Answer = Readonly<Record<string, unknown>> | 'silence'

export interface Script {
  readonly bind?: (unit: PDU, times: number) => Answer
  readonly submit?: (unit: PDU, times: number) => Answer | Promise<Answer>
  readonly enquire?: () => Answer
  readonly tls?: { readonly key: string; readonly cert: string }
}

export interface Center {
  readonly port: number
  /** Everything that was asked of it, in the order of its coming. */
  readonly requests: PDU[]
  submits(): PDU[]
  /** Resolves when it has been asked this often. */
  waitForRequests(command: string, times?: number): Promise<PDU[]>
  /** The newest line. */
  session(): Session
  ask(command: string, fields?: Readonly<Record<string, unknown>>): Promise<PDU>
  /** Cuts every line. */
  drop(): void
  stop(): Promise<void>
}

export async function startCenter(script: Script = {}): Promise<Center> {
  const requests: PDU[] = []
  const sessions: Session[] = []
  const sockets = new Set<Socket>()
  let waiters: (() => void)[] = []
  const requestsOf = (command: string) => requests.filter((unit) => unit.command === command)

  const server = smpp.createServer({ ...script.tls }, (session) => {
    sessions.push(session)
    sockets.add(session.socket)
    session.socket.on('close', () => sockets.delete(session.socket))
    session.on('error', () => session.destroy())
    session.on('pdu', (unit) => {
      if (unit.isResponse()) return
      requests.push(unit)
      for (const notify of waiters.splice(0)) notify()
      void reply(session, unit)
    })
  })

  async function reply(session: Session, unit: PDU): Promise<void> {
    const answer = await answerTo(unit)
    if (answer !== 'silence') session.send(unit.response(answer))
    if (unit.command === 'unbind') session.close()
  }

  function answerTo(unit: PDU): Answer | Promise<Answer> {
    const times = requestsOf(unit.command).length
    switch (unit.command) {
      case 'bind_transceiver':
        return script.bind?.(unit, times) ?? { system_id: 'center' }
      case 'submit_sm':
        return script.submit?.(unit, times) ?? { message_id: `id-${times}` }
      case 'enquire_link':
        return script.enquire?.() ?? {}
      default:
        return {}
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = () => sessions.at(-1)!
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    submits: () => requestsOf('submit_sm'),
    async waitForRequests(command, times = 1) {
      while (requestsOf(command).length < times) {
        await new Promise<void>((resolve) => {
          waiters = [...waiters, resolve]
        })
      }
      return requestsOf(command)
    },
    session,
    ask: (command, fields = {}) =>
      new Promise((resolve) => session().send(new smpp.PDU(command, fields), (answer) => resolve(answer))),
    drop() {
      for (const socket of sockets) socket.destroy()
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export const auth = { host: '127.0.0.1', systemId: 'parley', password: 'pa55word', from: '+15550100' } as const

/** As in a node, and quicker where something is waited for. */
export const quickLimits: SessionLimits = {
  ...limits,
  reconnectMs: 20,
  reconnectMaxMs: 80,
  stableMs: 50,
  ratePerSecond: 10_000,
  holdMs: 60,
  lingerMs: 50,
  closeMs: 500,
  unbindMs: 200,
}

export interface TestSession {
  readonly session: SmppSession
  readonly reportedItems: Item[]
  readonly stopping: AbortController
}

export interface TestSessionOptions {
  readonly auth?: Partial<SmppAuth>
  readonly limits?: Partial<SessionLimits>
  readonly onReport?: (items: readonly Item[]) => Promise<void>
  readonly ca?: string
  /** Drawn once for every wait that the line decides upon. */
  readonly chance?: () => number
}

export function openTestSession(
  port: number,
  { auth: authChanges, limits: limitChanges, onReport, ca, chance }: TestSessionOptions = {},
): TestSession {
  const reportedItems: Item[] = []
  const stopping = new AbortController()
  const connectContext: ConnectContext<SmppAuth> = {
    auth: { ...auth, port, ...authChanges },
    bindingId: 'chb_1',
    ingressUrl: 'https://gateway.test/v4/ingress/chb_1',
    call: async () => ({ kind: 'none', detail: 'nothing is called', unsent: true }),
    cache: { get: async (_name, make) => (await make())?.value, invalidate: () => undefined },
    now: Date.now,
    signal: stopping.signal,
    addressOf: async (host) => (host === 'nowhere.example' ? undefined : '127.0.0.1'),
    async report(items) {
      await onReport?.(items)
      reportedItems.push(...items)
    },
  }
  const session = openSession(connectContext, {
    limits: { ...quickLimits, ...limitChanges },
    ...(ca && { ca }),
    ...(chance && { random: chance }),
  })
  return { session, reportedItems, stopping }
}

export async function waitUntil(condition: () => boolean, withinMs = 3_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('it did not come to that in time')
    await pause(2)
  }
}

export const waitUntilConnected = (session: SmppSession) => waitUntil(() => session.problem() === undefined)

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** A center and a session that connects to it; both are closed with the test. */
export async function openTestCenter(
  t: Test,
  script: Script = {},
  options: TestSessionOptions = {},
): Promise<TestSession & { center: Center }> {
  const center = await startCenter(script)
  const session = openTestSession(center.port, options)
  t.teardown(async () => {
    await session.session.close()
    await center.stop()
  })
  return { ...session, center }
}
