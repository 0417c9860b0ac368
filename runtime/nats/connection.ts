/** The connection to the NATS servers: opened, watched, and reopened by the official client. */
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'
import { sleep, withTimeout } from '../time.js'
import { connectErrorOf } from './connecterror.js'
import { BusUnreachable, BusUnusable } from './contract.js'
import { accessOptions, type ServerAccess } from './credentials.js'
import { busError } from './errors.js'
import { bus as limits } from './limits.js'

export interface ServerFacts {
  /** Host and port. */
  readonly address: string
  readonly version: string
  readonly payloadBytes: number
  readonly clustered: boolean
}

/** The official clients, over one connection. */
export interface Clients {
  readonly nats: NatsConnection
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
}

/**
 * A connection that reconnects for ever. Messages from one sender arrive in the order of sending, or not at all.
 * Subscriptions outlive a loss of the servers, without the messages sent meanwhile.
 */
export interface Connection {
  readonly clients: Clients
  /** The current server, or the last one. */
  server(): ServerFacts
  /** Why the servers cannot be reached at the moment, in a sentence. */
  failure(): string | undefined
  /**
   * Calls the clients. Rejects with a BusUnreachable without calling them while the servers are away, and as soon as
   * they are lost during the call: the clients would buffer the call, or wait until it times out.
   */
  call<T>(work: (clients: Clients) => Promise<T>): Promise<T>
  /** Called with a sentence each time the servers are lost, and without one each time they are back. */
  watch(listener: (failure: string | undefined) => void): () => void
}

export type BusLog = Pick<Log, 'info' | 'warn' | 'error'>

export interface ConnectionSettings extends ServerAccess {
  readonly log: BusLog
  /** The name of this connection in the monitoring of the servers. */
  readonly name: string
  /** Counts reconnections. */
  readonly reconnects?: { add(): void }
}

/** The context that all parts of the bus share. */
export interface BusContext {
  readonly connection: Connection
  readonly clock: Clock
  readonly log: BusLog
  /** Aborted when the bus is closed: nothing is retried after that. */
  readonly closing: AbortSignal
}

/** Resolves when the servers answer; `close` sends what was published before it ends the connection. */
export async function openConnection(
  settings: ConnectionSettings,
  clock: Clock,
): Promise<{ connection: Connection; close(): Promise<void> }> {
  const nats = await dial(settings, clock)
  const manager = await jetstreamManager(nats, { timeout: limits.requestMs, checkAPI: false })
  const clients = { nats, manager, jetstream: jetstream(nats, { timeout: limits.publishMs }) }
  return createConnection(clients, settings, clock)
}

/** Waits for a server that is starting, and not for one that refuses the connection. */
async function dial(settings: ConnectionSettings, clock: Clock): Promise<NatsConnection> {
  const access = accessOptions(settings)
  for (const deadline = clock.now() + limits.connectMs; ; await sleep(clock, limits.reconnectMs)) {
    try {
      return await connect({ ...access, ...dialOptions, name: settings.name })
    } catch (error) {
      const { sentence, isPermanent } = connectErrorOf(error, access.servers)
      if (isPermanent || clock.now() >= deadline) throw new BusUnusable(sentence, { cause: error })
    }
  }
}

const dialOptions = {
  timeout: limits.dialMs,
  reconnectTimeWait: limits.reconnectMs,
  reconnectJitter: limits.reconnectMs,
  reconnectJitterTLS: limits.reconnectMs,
  maxReconnectAttempts: -1,
  // A server may not know its users yet, so an authorization error does not end the reconnecting.
  ignoreAuthErrorAbort: true,
  pingInterval: limits.pingEveryMs,
  maxPingOut: limits.pingsUnanswered,
  noAsyncTraces: true,
}

function createConnection(clients: Clients, { log, reconnects }: ConnectionSettings, clock: Clock) {
  const { nats } = clients
  const listeners = new Set<(failure: string | undefined) => void>()
  const calls = new Set<(reason: BusUnreachable) => void>()
  let facts = factsOf(nats)
  let failure: string | undefined
  let closing = false

  function setFailure(current: string | undefined): void {
    failure = current
    if (current !== undefined) {
      for (const fail of calls) fail(new BusUnreachable(current))
      calls.clear()
    }
    for (const listener of [...listeners]) callSafely(log, () => listener(current))
  }

  async function followStatus(): Promise<void> {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') {
        if (!closing) log.warn('bus.disconnected', { server: status.server })
        setFailure(
          `The NATS servers are away since ${status.server} was lost: nothing can be committed until one is back.`,
        )
      } else if (status.type === 'reconnect') {
        facts = factsOf(nats)
        log.info('bus.reconnected', { server: status.server })
        reconnects?.add()
        setFailure(undefined)
      } else if (status.type === 'error') {
        log.warn('bus.error', { error: status.error })
      }
    }
  }
  void followStatus()
  void nats.closed().then((error) => {
    if (!closing) log.error('bus.closed', { error })
    setFailure(closing ? 'The bus was closed.' : 'The connection to NATS has ended. Start the process again.')
  })

  /** Sends what was published, without waiting for a server that does not accept it. */
  async function close(): Promise<void> {
    closing = true
    if (failure === undefined)
      await withTimeout(
        clock,
        limits.dialMs,
        nats.drain().catch(() => {}),
        undefined,
      )
    await nats.close()
  }

  const connection: Connection = {
    clients,
    server: () => facts,
    failure: () => failure,
    call(work) {
      if (failure !== undefined) return Promise.reject(new BusUnreachable(failure))
      return new Promise((resolve, reject) => {
        calls.add(reject)
        work(clients).then(
          (answer) => {
            calls.delete(reject)
            resolve(answer)
          },
          (error) => {
            calls.delete(reject)
            reject(busError(error))
          },
        )
      })
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return { connection, close }
}

function factsOf(nats: NatsConnection): ServerFacts {
  const { version = '', max_payload = 0, cluster } = nats.info as ServerInfoWithCluster
  return { address: nats.getServer(), version, payloadBytes: max_payload, clustered: cluster !== undefined }
}

type ServerInfoWithCluster = NonNullable<NatsConnection['info']> & { readonly cluster?: string }

/** Runs a callback of the clients: an exception that reached them would silently end their reading. */
export function callSafely(log: BusLog, call: () => void): void {
  try {
    call()
  } catch (error) {
    log.error('bus.listener.failed', { error })
  }
}
