/** Watching a bucket: what is there, then every change, however often the servers come and go in between. */
import { bus as limits } from '../../core/limits.js'
import { consume, type Delivered } from './consume.js'
import { BusUnreachable, type Held } from './contract.js'
import { pause } from './link.js'
import type { Stream, StreamHost, StreamState } from './stream.js'
import { bucketSubjects, keyOfSubject } from './subject.js'

/** A message with this header says that its key was removed. */
export const removedHeader = 'KV-Operation'

export function heldOf(revision: number, body: Uint8Array, removed: boolean): Held {
  return removed ? { revision } : { revision, value: body }
}

type Seen = (key: string, held: Held) => void

export function watchBucket(host: StreamHost, stream: Stream, bucket: string, seen: Seen): Promise<() => void> {
  const { log, closing } = host
  /** What was told last of every key that is there: each round begins with all of it, and most of it is known. */
  const told = new Map<string, Held>()
  /** Revisions of the last removals that were told, by key. */
  const gone = new Map<string, number>()
  let over = false
  let stop = () => {}

  function isKnown(key: string, held: Held): boolean {
    return held.value === undefined ? gone.get(key) === held.revision : isSame(told.get(key), held)
  }

  function note(key: string, held: Held): void {
    told.delete(key)
    gone.delete(key)
    if (held.value !== undefined) return void told.set(key, held)
    gone.set(key, held.revision)
    if (gone.size > limits.removalsRemembered) gone.delete(gone.keys().next().value!)
  }

  function tell(key: string, held: Held): void {
    if (isKnown(key, held)) return
    note(key, held)
    try {
      seen(key, held)
    } catch (error) {
      log.error('bus.watcher.failed', { bucket, error })
    }
  }

  /** From one loss of the servers to the next; resolves with the end of it. */
  async function round(caughtUp: () => void): Promise<void> {
    await stream.made()
    // What is told comes from any server, which may be behind. The leader says how far it goes until nothing is missing:
    // the newest message of the bucket is always the newest of its key.
    const { messages, last_seq: newest } = (await stream.call<StreamState>('INFO')).state
    const there = new Set<string>()
    let behind = true

    function reach(number: number): void {
      if (!behind || number < newest) return
      behind = false
      // Keys that went with the servers' memory, or with age, left no message behind.
      for (const key of [...told.keys()]) if (!there.has(key)) tell(key, { revision: newest })
      caughtUp()
    }

    function take({ number, subject, body, header }: Delivered): void {
      const key = keyOfSubject(bucket, subject)
      if (behind) there.add(key)
      tell(key, heldOf(number, body, header(removedHeader) !== ''))
      reach(number)
    }

    if (messages === 0) reach(newest)
    await new Promise<void>((ended) => {
      if (over) return ended()
      const leave = consume(host, stream.name, { lastOf: bucketSubjects(bucket) }, { take, ended: () => ended() })
      stop = () => {
        leave()
        ended()
      }
    })
  }

  return new Promise((resolve, reject) => {
    const watching = () => {
      over = true
      stop()
    }
    const rounds = async () => {
      while (!over && !closing.aborted) {
        await round(() => resolve(watching)).catch(() => {})
        if (!over) await pause(host, limits.reconnectMs)
      }
      reject(new BusUnreachable('The bus was closed.'))
    }
    void rounds()
  })
}

function isSame(one: Held | undefined, other: Held): boolean {
  if (one?.revision !== other.revision) return false
  if (one.value === undefined || other.value === undefined) return one.value === other.value
  return Buffer.compare(one.value, other.value) === 0
}
