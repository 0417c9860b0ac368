/**
 * The commit log of a shard as a stream: an entry is a message, its number is the message's sequence, and the expected
 * number is the fence.
 */
import { type PubAck, PubHeaders } from '@nats-io/jetstream'
import { headers as createHeaders } from '@nats-io/transport-node'
import { sleep } from '../time.js'
import { consume } from './consumer.js'
import { BusUnreachable, type Log } from './contract.js'
import { isRefused, parseReply, refusals } from './errors.js'
import { bus as limits } from './limits.js'
import { readMessage, streamState } from './messages.js'
import { createStream, type StreamContext, waitForStream } from './stream.js'
import { logStream, logSubject } from './subjects.js'

export async function createLog(context: StreamContext, shard: number): Promise<Log> {
  const { clock, connection, inbox } = context
  const subject = logSubject(shard)
  const stream = createStream(context, { name: logStream(shard), subjects: [subject], storage: 'file' })
  await waitForStream(context, stream)

  /** The highest number that this process has seen in the log. */
  let highest = 0

  const recordSeen = (number: number) => {
    highest = Math.max(highest, number)
  }

  /**
   * A new leader, or one that does not know yet that it was replaced, may lack the newest entries. A log that ends
   * before a number seen in it is therefore accepted only when the servers have reported it for `requestMs`.
   */
  async function bounds(): Promise<{ first: number; last: number }> {
    for (const deadline = clock.monotonic() + limits.requestMs; ; await sleep(clock, limits.requestRetryMs)) {
      const { messages, first_seq, last_seq: last } = await streamState(stream)
      if (last < highest && clock.monotonic() < deadline) continue
      highest = last
      // The first number of a stream that was never written is 0.
      return { first: messages === 0 ? last + 1 : first_seq, last }
    }
  }

  function send(entry: Uint8Array, after: number): Promise<PubAck> {
    const headers = createHeaders()
    headers.set(PubHeaders.ExpectedLastSeqHdr, String(after))
    const publish = (reply: string) => connection.clients.nats.publish(subject, entry, { reply, headers })
    return inbox.request(limits.publishMs, publish, parseReply<PubAck>)
  }

  return {
    entryBytes: connection.server().payloadBytes - limits.headerBytes,
    bounds,
    async append(entry, after) {
      try {
        recordSeen((await stream.publish(() => send(entry, after))).seq)
        return 'appended'
      } catch (error) {
        if (isRefused(error, refusals.wrongSequence)) return 'conflict'
        throw error
      }
    },
    async read(number) {
      return number < 1 ? undefined : (await readMessage(stream, { seq: number }))?.data
    },
    follow(after, onEntry, onEnd) {
      let stop: (() => void) | undefined
      let isStopped = false
      const start = async () => {
        const { first, last } = await bounds()
        if (isStopped) return
        if (after > last) throw new BusUnreachable(`The log of shard ${shard} ends at ${last}, before ${after}.`)
        if (after + 1 < first) throw new Error(`Entry ${after + 1} of shard ${shard} was trimmed.`)
        const handler = {
          onEntry({ data, seq }: { data: Uint8Array; seq: number }) {
            recordSeen(seq)
            return onEntry(data, seq)
          },
          onEnd,
        }
        stop = consume(context, stream.name, { after }, handler)
      }
      start().catch((error) => {
        if (!isStopped) onEnd(error)
      })
      return () => {
        isStopped = true
        stop?.()
      }
    },
    async trim(upTo) {
      // A purge beyond the end would move the end of the log forward.
      const { first, last } = await bounds()
      const seq = Math.min(upTo, last) + 1
      if (seq > first) await stream.request(({ manager }) => manager.streams.purge(stream.name, { seq }))
    },
  }
}
