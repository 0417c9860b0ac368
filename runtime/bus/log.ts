/** The commit log of a shard as a stream: an entry is a message, its number the message's, and the expected number the fence. */
import { bus as limits } from '../../core/limits.js'
import { consume } from './consume.js'
import { BusUnreachable, type Log } from './contract.js'
import { isRefused, refusals } from './jetstream.js'
import { pause } from './link.js'
import { openStream, type Stream, type StreamHost, type StreamState } from './stream.js'
import { logStream, logSubject } from './subject.js'

export async function openNatsLog(host: StreamHost, shard: number): Promise<Log> {
  const subject = logSubject(shard)
  const settings = { name: logStream(shard), subjects: [subject], storage: 'file' } as const
  const stream = openStream(host, settings)
  const { clock } = host
  await madeAtLast(host, stream)

  /** The highest number that this process has seen in the log. */
  let known = 0

  const see = (number: number) => {
    known = Math.max(known, number)
  }

  /**
   * A leader that has just come, or does not know yet that it has gone, may not know the newest entries. A log that ends
   * before what was seen in it is therefore believed only when it has been told so for a while.
   */
  async function bounds(): Promise<{ first: number; last: number }> {
    for (const deadline = clock.elapsed() + limits.requestMs; ; await pause(host, limits.askAgainMs)) {
      const { messages, first_seq, last_seq: last } = (await stream.call<StreamState>('INFO')).state
      if (last < known && clock.elapsed() < deadline) continue
      known = last
      // The first number of a stream that never held anything is told as 0.
      return { first: messages === 0 ? last + 1 : first_seq, last }
    }
  }

  return {
    entryBytes: host.link.server().payloadBytes - limits.headerBytes,
    bounds,
    async append(entry, after) {
      try {
        see(await stream.publish(subject, entry, { 'Nats-Expected-Last-Sequence': String(after) }))
        return 'appended'
      } catch (error) {
        if (isRefused(error, refusals.wrongSequence)) return 'taken'
        throw error
      }
    },
    async read(number) {
      return number < 1 ? undefined : (await stream.get({ seq: number }))?.body
    },
    follow(after, take, ended) {
      let stop: (() => void) | undefined
      let over = false
      const taken = (entry: Uint8Array, number: number) => {
        see(number)
        return take(entry, number)
      }
      const begin = async () => {
        const { first, last } = await bounds()
        if (over) return
        if (after > last) throw new BusUnreachable(`The log of shard ${shard} ends at ${last}, before ${after}.`)
        if (after + 1 < first) throw new Error(`Entry ${after + 1} of shard ${shard} was trimmed.`)
        stop = consume(host, stream.name, { after }, { take: ({ body, number }) => taken(body, number), ended })
      }
      begin().catch((error) => {
        if (!over) ended(error)
      })
      return () => {
        over = true
        stop?.()
      }
    },
    async trim(upTo) {
      // Asked to forget more than there is, the servers would move the end of the log forward.
      const { first, last } = await bounds()
      const end = Math.min(upTo, last)
      if (end >= first) await stream.call('PURGE', { seq: end + 1 })
    },
  }
}

/** A cluster of which too few servers are up cannot make a stream. It is waited for: fewer copies would be a lie. */
async function madeAtLast(host: StreamHost, { name, made }: Stream): Promise<void> {
  const { log, closing, unmade } = host
  for (; ; await pause(host, limits.reconnectMs)) {
    try {
      await made()
      unmade.delete(name)
      return
    } catch (error) {
      if (closing.aborted || !(error instanceof BusUnreachable)) throw error
      if (unmade.get(name) !== error.message) log.warn('bus.stream.waiting', { stream: name, why: error.message })
      unmade.set(name, error.message)
    }
  }
}
