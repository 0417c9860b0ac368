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
  await madeAtLast(host, stream)

  async function bounds(): Promise<{ first: number; last: number }> {
    const { state } = await stream.call<StreamState>('INFO')
    // The first number of a stream that never held anything is told as 0.
    return { first: state.messages === 0 ? state.last_seq + 1 : state.first_seq, last: state.last_seq }
  }

  return {
    entryBytes: host.link.server().payloadBytes - limits.headerBytes,
    bounds,
    async append(entry, after) {
      try {
        await stream.publish(subject, entry, { 'Nats-Expected-Last-Sequence': String(after) })
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
      const begin = async () => {
        const { first, last } = await bounds()
        if (over) return
        if (after > last) throw new BusUnreachable(`The log of shard ${shard} ends at ${last}, before ${after}.`)
        if (after + 1 < first) throw new Error(`Entry ${after + 1} of shard ${shard} was trimmed.`)
        stop = consume(host, stream.name, { after }, { take: ({ body, number }) => take(body, number), ended })
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
