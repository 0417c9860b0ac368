/** Small values under keys, as a stream that keeps the newest message of every subject. */
import type { Bucket, Held } from './contract.js'
import { openForgetting } from './forgetting.js'
import { isRefused, nanos, refusals } from './jetstream.js'
import type { Headers } from './link.js'
import { openStream, type Stored, type StreamHost } from './stream.js'
import { bucketStream, bucketSubject, bucketSubjects } from './subject.js'
import { heldOf, removedHeader, watchBucket } from './watch.js'

export interface BucketSettings {
  readonly name: string
  readonly storage: 'file' | 'memory'
  /** What nobody has put again for this long is forgotten; 0 keeps it. */
  readonly keptMs: number
}

const removal: Headers = { [removedHeader]: 'DEL' }
const nothing = new Uint8Array(0)

function isRemoval({ headers }: Stored): boolean {
  return headers.includes(`${removedHeader}:`)
}

export function openNatsBucket(host: StreamHost, { name, storage, keptMs }: BucketSettings): Bucket {
  const stream = openStream(host, {
    name: bucketStream(name),
    subjects: [bucketSubjects(name)],
    storage,
    max_msgs_per_subject: 1,
    max_age: nanos(keptMs),
  })
  const forgetRemovals = openForgetting(host, stream, bucketSubjects(name), isRemoval)

  async function publish(key: string, value: Uint8Array, headers?: Headers): Promise<number> {
    const subject = bucketSubject(name, key)
    await stream.made()
    return stream.publish(subject, value, headers)
  }

  async function get(key: string): Promise<Held | undefined> {
    const subject = bucketSubject(name, key)
    await stream.made()
    const stored = await stream.get({ last_by_subj: subject })
    return stored && heldOf(stored.number, stored.body, isRemoval(stored))
  }

  /** Puts if the newest message of the key has that number; 0 means that there is none. */
  async function putAfter(key: string, value: Uint8Array, revision: number): Promise<boolean> {
    try {
      await publish(key, value, { 'Nats-Expected-Last-Subject-Sequence': String(revision) })
      return true
    } catch (error) {
      if (isRefused(error, refusals.wrongSequence)) return false
      throw error
    }
  }

  return {
    get,
    put: publish,
    async create(key, value) {
      if (await putAfter(key, value, 0)) return true
      const held = await get(key)
      return held?.value === undefined && putAfter(key, value, held?.revision ?? 0)
    },
    async remove(key) {
      const number = await publish(key, nothing, removal)
      if (keptMs === 0) await forgetRemovals(number)
    },
    watch: (seen) => watchBucket(host, stream, name, seen),
  }
}
