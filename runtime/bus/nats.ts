/** Makes and keeps the connection to NATS servers, and opens the bus on it. The only file that knows their client. */
import { readFileSync } from 'node:fs'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import {
  type Authenticator,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type Msg,
  type NatsConnection,
  headers as newHeaders,
} from '@nats-io/transport-node'
import { bus as limits } from '../../core/limits.js'
import { type Clock, systemClock } from '../clock.js'
import { readAddresses } from './address.js'
import { openBus } from './bus.js'
import { type Bus, BusUnreachable, BusUnusable } from './contract.js'
import { type BusLog, type Headers, type Link, type Message, pause, type ServerFacts } from './link.js'
import { problemOf } from './problem.js'

export interface NatsOptions {
  /** Host and port each, perhaps with nats:// or tls:// and a user and password before them. */
  readonly servers: readonly string[]
  readonly credsFile?: string
  /** The authority that signed the servers; absent, those that Node trusts. */
  readonly tlsCaFile?: string
  /** Whether the operator says that the servers have every message on disk before they acknowledge it. */
  readonly syncAlways: boolean
  readonly log: BusLog
  /** How the servers' own monitoring shows this connection. */
  readonly name: string
  readonly clock?: Clock
  /** Counts the times that the servers were lost and found again. */
  readonly reconnects?: { add(): void }
}

/** Resolves when the servers are there and fit; otherwise a BusUnusable says what is wrong with them. */
export async function openNats(options: NatsOptions): Promise<Bus> {
  const { log, syncAlways, clock = systemClock, reconnects } = options
  const connection = await dial(options, clock)
  const { link, close } = linkOver(connection, clock, log, reconnects)
  return openBus({ link, clock, log, syncAlways, closeLink: close })
}

/** A server that is just starting is waited for; one that says no is not. */
async function dial(options: NatsOptions, clock: Clock): Promise<NatsConnection> {
  const settings = settingsOf(options)
  for (const deadline = clock.now() + limits.connectMs; ; await pause({ clock }, limits.reconnectMs)) {
    try {
      return await connect(settings)
    } catch (error) {
      const { sentence, lasting } = problemOf(error, settings.servers as string[])
      if (lasting || clock.now() >= deadline) throw new BusUnusable(sentence, { cause: error })
    }
  }
}

function settingsOf({ servers: texts, name, credsFile, tlsCaFile }: NatsOptions): ConnectionOptions {
  const { servers, hosts, tls, user, password, token } = readAddresses(texts)
  return {
    servers: [...servers],
    name,
    user,
    pass: password,
    token,
    authenticator: credsFile === undefined ? undefined : credentialsIn(credsFile),
    tls: tls || tlsCaFile !== undefined ? tlsOf(hosts, tlsCaFile) : undefined,
    timeout: limits.dialMs,
    reconnectTimeWait: limits.reconnectMs,
    reconnectJitter: limits.reconnectMs,
    reconnectJitterTLS: limits.reconnectMs,
    maxReconnectAttempts: -1,
    // A server that does not know its users yet is no reason to give up.
    ignoreAuthErrorAbort: true,
    pingInterval: limits.pingEveryMs,
    maxPingOut: limits.pingsUnanswered,
    noAsyncTraces: true,
  }
}

function tlsOf(hosts: readonly string[], caFile: string | undefined): ConnectionOptions['tls'] {
  const tls = {
    ca: caFile === undefined ? undefined : textOf(caFile),
    // The client compares the certificate of a server dialled by number with "localhost". Here it must be one of ours.
    checkServerIdentity(host: string, certificate: PeerCertificate) {
      const known = hosts.some((each) => checkServerIdentity(each, certificate) === undefined)
      return known ? undefined : (checkServerIdentity(host, certificate) ?? new Error(`not a certificate of ${hosts}`))
    },
  }
  return tls
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BusUnusable(`The file ${file} cannot be read: ${code}.`, { cause: error })
  }
}

/** Read for every connection anew, since credentials are renewed; while the file is not whole, those before it are used. */
function credentialsIn(file: string): Authenticator {
  const readCredentials = () => credsAuthenticator(Buffer.from(textOf(file)))
  let good = readCredentials()
  try {
    good('any')
  } catch (error) {
    throw new BusUnusable(`The file ${file} holds no NATS credentials.`, { cause: error })
  }
  return (nonce) => {
    try {
      const fresh = readCredentials()
      const answer = fresh(nonce)
      good = fresh
      return answer
    } catch {
      return good(nonce)
    }
  }
}

function linkOver(
  connection: NatsConnection,
  clock: Clock,
  log: BusLog,
  reconnects: NatsOptions['reconnects'],
): { link: Link; close(): Promise<void> } {
  const watchers = new Set<(failure: string | undefined) => void>()
  let facts = factsOf(connection)
  let failure: string | undefined
  let closing = false

  /** An exception that reached the client would end its reading without a word. */
  function guarded<T>(call: (told: T) => void, told: T): void {
    try {
      call(told)
    } catch (error) {
      log.error('bus.listener.failed', { error })
    }
  }

  function turn(now: string | undefined): void {
    failure = now
    for (const seen of [...watchers]) guarded(seen, now)
  }

  async function followStatus(): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        if (!closing) log.warn('bus.lost', { server: status.server })
        turn(`The NATS servers are away since ${status.server} was lost: nothing can be committed until one is back.`)
      } else if (status.type === 'reconnect') {
        facts = factsOf(connection)
        log.info('bus.back', { server: status.server })
        reconnects?.add()
        turn(undefined)
      } else if (status.type === 'error') {
        log.warn('bus.refused', { error: status.error })
      }
    }
  }
  void followStatus()
  void connection.closed().then((error) => {
    if (!closing) log.error('bus.ended', { error })
    turn(closing ? 'The bus was closed.' : 'The connection to NATS has ended. Start the process again.')
  })

  const link: Link = {
    server: () => facts,
    failure: () => failure,
    send(subject, body, replyTo, headers) {
      if (failure !== undefined) throw new BusUnreachable(failure)
      try {
        connection.publish(subject, body, { reply: replyTo, headers: headers && headersOf(headers) })
      } catch (error) {
        // Anything else than a connection that is being closed is a mistake of the caller, such as too long a message.
        throw connection.isDraining() || connection.isClosed() ? new BusUnreachable('The bus was closed.') : error
      }
    },
    hear(subject, heard) {
      const subscription = connection.subscribe(subject, {
        callback: (error, msg) => {
          if (!error) guarded(heard, messageOf(msg))
        },
      })
      return () => subscription.unsubscribe()
    },
    watch(seen) {
      watchers.add(seen)
      return () => watchers.delete(seen)
    },
  }

  /** What was sent still goes out; a server that does not take it is not waited for. */
  async function close(): Promise<void> {
    closing = true
    if (failure === undefined) {
      let stopClock = () => {}
      const patience = new Promise<void>((resolve) => {
        stopClock = clock.wake(clock.now() + limits.dialMs, resolve)
      })
      await Promise.race([connection.drain().catch(() => {}), patience])
      stopClock()
    }
    await connection.close()
  }

  return { link, close }
}

function factsOf(connection: NatsConnection): ServerFacts {
  const { version = '', max_payload = 0, cluster } = connection.info as ServerInfoWithCluster
  return { address: connection.getServer(), version, payloadBytes: max_payload, clustered: cluster !== undefined }
}

type ServerInfoWithCluster = NonNullable<NatsConnection['info']> & { readonly cluster?: string }

function headersOf(headers: Headers) {
  const made = newHeaders()
  for (const name of Object.keys(headers)) made.append(name, headers[name]!)
  return made
}

/** The client decodes a part of a message when it is asked for, and most are never asked for. */
function messageOf(msg: Msg): Message {
  return {
    get subject() {
      return msg.subject
    },
    get replyTo() {
      return msg.reply ?? ''
    },
    get body() {
      return msg.data
    },
    get status() {
      return msg.headers?.code ?? 0
    },
    header: (name) => msg.headers?.get(name) ?? '',
  }
}
