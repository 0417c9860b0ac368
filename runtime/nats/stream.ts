/**
 * One stream on the servers: found or created, created again after the servers have lost it, with the configured number
 * of copies.
 */
import type { StreamConfig } from '@nats-io/jetstream'
import { Empty } from '@nats-io/transport-node'
import { sleep } from '../time.js'
import type { BusContext, Clients } from './connection.js'
import { BusUnreachable } from './contract.js'
import { isRefused, NoStream, refusals, Timeout } from './errors.js'
import type { Inbox } from './inbox.js'
import { bus as limits } from './limits.js'
import { callUntilAnswered } from './retry.js'

export type StreamSettings = Pick<StreamConfig, 'name' | 'subjects' | 'storage'> &
  Partial<Pick<StreamConfig, 'max_msgs_per_subject' | 'max_age' | 'allow_rollup_hdrs'>>

export interface StreamContext extends BusContext {
  readonly inbox: Inbox
  /** Streams that a log waits for and that cannot be created yet, and why. */
  readonly pending: Map<string, string>
}

/** Reads are answered by the stream's leader. A stream that the servers have lost is created again, empty. */
export interface Stream {
  readonly name: string
  /**
   * Resolves once the stream exists; rejects with a BusUnreachable when it cannot be found or created at the moment.
   */
  ensure(): Promise<void>
  /** Makes a call that publishes to the stream, once. */
  publish<T>(work: (clients: Clients) => Promise<T>): Promise<T>
  /** Makes a call that reads or purges, until it is answered. */
  request<T>(work: (clients: Clients) => Promise<T>): Promise<T>
}

/**
 * A full stream refuses messages instead of deleting old ones, no single message can be deleted, and every read is the
 * leader's.
 */
const streamDefaults = { retention: 'limits', discard: 'new', deny_delete: true, allow_direct: false } as const

export function createStream(context: StreamContext, settings: StreamSettings): Stream {
  const { connection, log, clock } = context
  const { name } = settings
  /** The leader at the last timeout, and the time of that finding. */
  let suspect: { leader?: string; atMs: number } | undefined
  /** Running, or done. */
  let ensuring: Promise<void> | undefined

  const call = <T>(work: (clients: Clients) => Promise<T>) => callUntilAnswered(context, work)
  const info = () => call(({ manager }) => manager.streams.info(name))

  /** A stream created before the servers formed a cluster gets more copies; copies are never removed. */
  async function findOrCreate(): Promise<void> {
    const replicas = connection.server().clustered ? limits.replicas : 1
    try {
      const { config } = await info()
      if (config.num_replicas >= replicas) return
      await call(({ manager }) => manager.streams.update(name, { num_replicas: replicas }))
    } catch (error) {
      if (!isRefused(error, refusals.streamMissing)) throw error
      await call(({ manager }) => manager.streams.add({ ...settings, ...streamDefaults, num_replicas: replicas }))
      await waitUntilKnown()
    }
    log.info('bus.stream.created', { stream: name, replicas })
  }

  /** The queried server learns of a new stream a moment later. Then it refuses a message meant for another stream. */
  async function waitUntilKnown(): Promise<void> {
    const subject = settings.subjects[0]!.replace('>', 'probe')
    const probe = ({ jetstream }: Clients) => jetstream.publish(subject, Empty, { expect: { streamName: 'none' } })
    for (const deadline = clock.monotonic() + limits.publishMs; ; await sleep(clock, limits.unknownRetryMs)) {
      const outcome = await connection.call(probe).catch((error) => error)
      if (!(outcome instanceof NoStream) || clock.monotonic() > deadline) return
    }
  }

  function ensure(): Promise<void> {
    ensuring ??= findOrCreate().catch((error) => {
      ensuring = undefined
      throw error
    })
    return ensuring
  }

  function recreate(): Promise<void> {
    ensuring = undefined
    return ensure()
  }

  /**
   * A leader that answers requests but stores nothing was observed after servers were stopped and continued (2.9): its
   * copy no longer advanced. The client does not monitor leaders: one that leads during two timeouts is asked to step
   * down here, and another server is elected at once.
   */
  async function suspectLeader(sinceMs: number): Promise<void> {
    const leader = (await info()).cluster?.leader
    const isRepeated = suspect !== undefined && suspect.leader === leader && suspect.atMs <= sinceMs
    suspect = isRepeated ? undefined : { leader, atMs: clock.monotonic() }
    if (!isRepeated) return
    log.warn('bus.stream.silent', { stream: name, leader })
    await connection.call(({ nats }) => nats.request(`$JS.API.STREAM.LEADER.STEPDOWN.${name}`))
  }

  return {
    name,
    ensure,
    async publish(work) {
      const sinceMs = clock.monotonic()
      try {
        const answer = await connection.call(work)
        suspect = undefined
        return answer
      } catch (error) {
        // The stream may only lack a leader for a moment, so the caller does not wait for the result.
        if (error instanceof NoStream) recreate().catch(() => {})
        if (error instanceof Timeout) suspectLeader(sinceMs).catch(() => {})
        throw error
      }
    },
    async request(work) {
      try {
        return await call(work)
      } catch (error) {
        if (!isRefused(error, refusals.streamMissing)) throw error
        await recreate()
        return call(work)
      }
    },
  }
}

/**
 * Waits until the stream exists. With too few servers it cannot be created, and fewer copies would weaken the
 * durability.
 */
export async function waitForStream({ log, closing, clock, pending }: StreamContext, stream: Stream): Promise<void> {
  const { name, ensure } = stream
  for (; ; await sleep(clock, limits.reconnectMs)) {
    try {
      await ensure()
      pending.delete(name)
      return
    } catch (error) {
      if (closing.aborted || !(error instanceof BusUnreachable)) throw error
      if (pending.get(name) !== error.message) log.warn('bus.stream.waiting', { stream: name, why: error.message })
      pending.set(name, error.message)
    }
  }
}
