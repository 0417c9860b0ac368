/** One stream on the servers: found or made, made again when the servers have lost it, and always kept as often as they can. */
import { bus as limits } from '../../core/limits.js'
import { type Inbox, Silence } from './inbox.js'
import { callApi, isRefused, NoStream, publish, refusals } from './jetstream.js'
import { type Headers, pause, type Surroundings } from './link.js'

/** As the servers spell it; what is not here they fill in. */
export interface StreamSettings {
  readonly name: string
  readonly subjects: readonly string[]
  readonly storage: 'file' | 'memory'
  readonly max_msgs_per_subject?: number
  readonly max_age?: number
  readonly allow_rollup_hdrs?: boolean
}

export interface StreamState {
  readonly config: { readonly num_replicas: number }
  /** Absent when there is a single server. */
  readonly cluster?: { readonly leader?: string }
  readonly state: { readonly messages: number; readonly first_seq: number; readonly last_seq: number }
}

export interface Stored {
  readonly number: number
  readonly subject: string
  /** When the servers took it. */
  readonly at: number
  readonly body: Uint8Array
  /** As text, empty when there are none. */
  readonly headers: string
}

/** Which message, in the servers' words. */
export type Choice = { seq: number; next_by_subj?: string } | { last_by_subj: string }

export interface StreamHost extends Surroundings {
  readonly inbox: Inbox
  /** Streams that somebody waits for and that cannot be made yet, and why. */
  readonly unmade: Map<string, string>
}

/** What is read comes from the stream's leader. A stream that the servers have lost is made again, empty. */
export interface Stream {
  readonly name: string
  /** Resolves once the stream is there; rejects with a BusUnreachable when it cannot be found or made just now. */
  made(): Promise<void>
  /** Resolves with the number that the message got, once a majority of the stream's servers has it. */
  publish(subject: string, body: Uint8Array, headers?: Headers, withinMs?: number): Promise<number>
  call<T>(verb: 'INFO' | 'PURGE', request?: unknown): Promise<T>
  get(choice: Choice): Promise<Stored | undefined>
}

export function openStream(host: StreamHost, settings: StreamSettings): Stream {
  const { link, log, inbox, clock } = host
  const { name } = settings
  /** Who led when something was last met with silence, and since when that is known. */
  let suspect: { leader?: string; atMs: number } | undefined
  /** Under way, or done. */
  let making: Promise<void> | undefined

  /** A stream that was made before there was a cluster is spread over it; never the other way. */
  async function findOrMake(): Promise<void> {
    const replicas = link.server().clustered ? limits.replicas : 1
    try {
      const { config } = await callApi<StreamState>(inbox, `STREAM.INFO.${name}`)
      if (config.num_replicas >= replicas) return
      await callApi(inbox, `STREAM.UPDATE.${name}`, { ...config, num_replicas: replicas })
    } catch (error) {
      if (!isRefused(error, refusals.streamMissing)) throw error
      await callApi(inbox, `STREAM.CREATE.${name}`, { ...settings, ...always, num_replicas: replicas })
      await heard()
    }
    log.info('bus.stream.made', { stream: name, replicas })
  }

  /** A new stream is known to the server asked a moment later. A message meant for another stream is refused, once it is. */
  async function heard(): Promise<void> {
    const subject = settings.subjects[0]!.replace('>', 'probe')
    const elsewhere = { 'Nats-Expected-Stream': 'none' }
    for (const deadline = clock.elapsed() + limits.publishMs; ; await pause(host, limits.unheardAgainMs)) {
      const outcome = await publish(inbox, subject, new Uint8Array(0), elsewhere).catch((error) => error)
      if (!(outcome instanceof NoStream) || clock.elapsed() > deadline) return
    }
  }

  function made(): Promise<void> {
    making ??= findOrMake().catch((error) => {
      making = undefined
      throw error
    })
    return making
  }

  /** The servers do not know the stream, or not just now: whatever was known about it is worth nothing. */
  function madeAgain(): Promise<void> {
    making = undefined
    return made()
  }

  /**
   * A leader that answers questions but takes nothing has been seen after servers were stopped and went on (2.9): its
   * copy had come to a standstill. One that led all through two silences is made to step down, and another leads at once.
   */
  async function suspectLeader(sinceMs: number): Promise<void> {
    const leader = (await callApi<StreamState>(inbox, `STREAM.INFO.${name}`)).cluster?.leader
    const again = suspect !== undefined && suspect.leader === leader && suspect.atMs <= sinceMs
    suspect = again ? undefined : { leader, atMs: clock.elapsed() }
    if (!again) return
    log.warn('bus.stream.silent', { stream: name, leader })
    await callApi(inbox, `STREAM.LEADER.STEPDOWN.${name}`, undefined, true)
  }

  async function call<T>(verb: 'INFO' | 'PURGE' | 'MSG.GET', request?: unknown): Promise<T> {
    const asked = () => callApi<T>(inbox, `STREAM.${verb}.${name}`, request)
    try {
      return await asked()
    } catch (error) {
      if (!isRefused(error, refusals.streamMissing)) throw error
      await madeAgain()
      return asked()
    }
  }

  return {
    name,
    made,
    call,
    async publish(subject, body, headers, withinMs = limits.publishMs) {
      const sinceMs = clock.elapsed()
      try {
        const number = await publish(inbox, subject, body, headers, withinMs)
        suspect = undefined
        return number
      } catch (error) {
        // It may only be without a leader for a moment, so the caller is not kept waiting for what is found out.
        if (error instanceof NoStream) madeAgain().catch(() => {})
        if (error instanceof Silence) suspectLeader(sinceMs).catch(() => {})
        throw error
      }
    },
    async get(choice) {
      try {
        return storedOf((await call<{ message: RawMessage }>('MSG.GET', choice)).message)
      } catch (error) {
        if (isRefused(error, refusals.noMessage)) return undefined
        throw error
      }
    },
  }
}

/** A full stream refuses instead of forgetting, and no single message can be taken out of it. */
const always = { retention: 'limits', discard: 'new', deny_delete: true, allow_direct: false }

interface RawMessage {
  readonly seq: number
  readonly subject: string
  readonly time: string
  readonly data?: string
  readonly hdrs?: string
}

function storedOf({ seq, subject, time, data = '', hdrs = '' }: RawMessage): Stored {
  const [body, headers] = [Buffer.from(data, 'base64'), Buffer.from(hdrs, 'base64').toString()]
  return { number: seq, subject, at: Date.parse(time), body, headers }
}
