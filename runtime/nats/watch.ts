/**
 * Watches a bucket: its present values, then every change, across any number of losses of the servers. The watcher of
 * the library is not used: it continues after the last revision it saw, so after a restart of servers that store a
 * bucket in memory it stays silent for ever, and it detects a dead server only after 10 to 15 seconds.
 */
import type { JsMsg } from '@nats-io/jetstream'
import type { MsgHdrs } from '@nats-io/transport-node'
import { sleep } from '../time.js'
import type { BusContext } from './connection.js'
import { consume } from './consumer.js'
import { BusUnreachable, type KvEntry } from './contract.js'
import { bus as limits } from './limits.js'
import { streamState } from './messages.js'
import type { Stream } from './stream.js'
import { bucketSubjects, keyOfSubject } from './subjects.js'

type Listener = (key: string, entry: KvEntry) => void

/** As the library marks a removal. */
export function isRemoval(headers: MsgHdrs | undefined): boolean {
  return headers?.has('KV-Operation') ?? false
}

export function watchBucket(
  context: BusContext,
  stream: Stream,
  bucket: string,
  listener: Listener,
): Promise<() => void> {
  const { log, closing, clock } = context
  const seenEntries = new SeenEntries()
  let isStopped = false
  let stop = () => {}

  function report(key: string, entry: KvEntry): void {
    if (!seenEntries.hasChanged(key, entry)) return
    try {
      listener(key, entry)
    } catch (error) {
      log.error('bus.watcher.failed', { bucket, error })
    }
  }

  /** From one loss of the servers to the next; resolves at its end. */
  async function watchOnce(onCaughtUp: () => void): Promise<void> {
    await stream.ensure()
    // Any server may deliver, and it may lag behind. The leader knows the newest revision, which is always the newest
    // of its key: until that one is delivered, values are missing.
    const { messages, last_seq: newest } = await streamState(stream)
    const present = new Set<string>()
    let isCatchingUp = true

    function advanceTo(revision: number): void {
      if (!isCatchingUp || revision < newest) return
      isCatchingUp = false
      // Values that were lost with the servers' memory, or expired, left no message behind.
      for (const key of seenEntries.keys()) if (!present.has(key)) report(key, { revision: newest })
      onCaughtUp()
    }

    function onMessage({ seq, subject, data, headers }: JsMsg): void {
      const key = keyOfSubject(bucket, subject)
      if (isCatchingUp) present.add(key)
      report(key, isRemoval(headers) ? { revision: seq } : { revision: seq, value: data })
      advanceTo(seq)
    }

    if (messages === 0) advanceTo(newest)
    await new Promise<void>((ended) => {
      if (isStopped) return ended()
      const stopConsuming = consume(
        context,
        stream.name,
        { lastOf: bucketSubjects(bucket) },
        { onEntry: onMessage, onEnd: () => ended() },
      )
      stop = () => {
        stopConsuming()
        ended()
      }
    })
  }

  return new Promise((resolve, reject) => {
    const unwatch = () => {
      isStopped = true
      stop()
    }
    const run = async () => {
      while (!isStopped && !closing.aborted) {
        await watchOnce(() => resolve(unwatch)).catch(() => {})
        if (!isStopped) await sleep(clock, limits.reconnectMs)
      }
      reject(new BusUnreachable('The bus was closed.'))
    }
    void run()
  })
}

/** The entries that a listener knows. Each round begins with every present value, and most of them are known. */
class SeenEntries {
  readonly #values = new Map<string, KvEntry>()
  /** Revisions of the last removals, by key. */
  readonly #removals = new Map<string, number>()

  keys(): string[] {
    return [...this.#values.keys()]
  }

  /** Whether the listener does not know the entry yet; records it. */
  hasChanged(key: string, entry: KvEntry): boolean {
    const isRemoved = entry.value === undefined
    if (isRemoved ? this.#removals.get(key) === entry.revision : isSame(this.#values.get(key), entry)) return false
    this.#values.delete(key)
    this.#removals.delete(key)
    if (isRemoved) this.#remove(key, entry.revision)
    else this.#values.set(key, entry)
    return true
  }

  #remove(key: string, revision: number): void {
    this.#removals.set(key, revision)
    if (this.#removals.size > limits.removalsRemembered) this.#removals.delete(this.#removals.keys().next().value!)
  }
}

function isSame(one: KvEntry | undefined, other: KvEntry): boolean {
  if (one?.revision !== other.revision) return false
  if (one.value === undefined || other.value === undefined) return one.value === other.value
  return Buffer.compare(one.value, other.value) === 0
}
