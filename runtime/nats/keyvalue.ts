/** Small values under keys: the library's key-value store, over a stream whose leader answers every read. */
import { type KV, Kvm, type KvEntry as StoredEntry } from '@nats-io/kv'
import { nanos } from '@nats-io/transport-node'
import type { Clients } from './connection.js'
import type { Bucket, KvEntry } from './contract.js'
import { isRefused, refusals } from './errors.js'
import { createStream, type StreamContext } from './stream.js'
import { bucketStream, bucketSubjects, checkWords } from './subjects.js'
import { createTombstones } from './tombstones.js'
import { isRemoval, watchBucket } from './watch.js'

export interface BucketSettings {
  readonly name: string
  readonly storage: 'file' | 'memory'
  /** A value that is not put again for this long is deleted; 0: never. */
  readonly maxAgeMs: number
}

export function createBucket(context: StreamContext, { name, storage, maxAgeMs }: BucketSettings): Bucket {
  const stream = createStream(context, {
    name: bucketStream(name),
    subjects: [bucketSubjects(name)],
    storage,
    max_msgs_per_subject: 1,
    max_age: nanos(maxAgeMs),
  })
  const deleteOldMarkers = createTombstones(context, stream, bucketSubjects(name), ({ headers }) => isRemoval(headers))
  let opened: Promise<KV> | undefined

  /**
   * Bound to the existing stream: the library would create one that any server may read from, however far it lags
   * behind.
   */
  function kv({ jetstream }: Clients): Promise<KV> {
    opened ??= new Kvm(jetstream).open(name, { allow_direct: false })
    return opened
  }

  async function publish<T>(key: string, work: (kv: KV) => Promise<T>): Promise<T> {
    checkWords(key)
    await stream.ensure()
    return stream.publish(async (clients) => work(await kv(clients)))
  }

  return {
    put: (key, value) => publish(key, (kv) => kv.put(key, value)),
    async create(key, value) {
      try {
        await publish(key, (kv) => kv.create(key, value))
        return true
      } catch (error) {
        if (isRefused(error, refusals.wrongSequence)) return false
        throw error
      }
    },
    async get(key) {
      checkWords(key)
      await stream.ensure()
      const entry = await stream.request(async (clients) => (await kv(clients)).get(key))
      return entry ? entryOf(entry) : undefined
    },
    async remove(key) {
      await publish(key, (kv) => kv.delete(key))
      if (maxAgeMs === 0) await deleteOldMarkers()
    },
    watch: (listener) => watchBucket(context, stream, name, listener),
  }
}

function entryOf({ revision, operation, value }: StoredEntry): KvEntry {
  return operation === 'PUT' ? { revision, value } : { revision }
}
