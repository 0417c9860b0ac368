/** Media store in the object store of the bus, shared by all processes of a cluster. */
import type { ObjectStore } from '../nats/contract.js'
import { isRefused, refusals } from '../nats/errors.js'
import { type MediaStore, StorageFull } from './contract.js'

/** Shards keep snapshots in the same object store, under names without this prefix. */
const objectNameOf = (name: string) => `media/${name}`

export function createNatsStore(store: ObjectStore): MediaStore {
  async function put(name: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await store.put(objectNameOf(name), parts)
    } catch (error) {
      throw isRefused(error, refusals.storageFull) ? new StorageFull('The NATS servers are full.') : error
    }
  }

  return {
    put,

    async get(name) {
      const parts = await store.get(objectNameOf(name))
      return parts && { read: (from) => skipTo(parts, from) }
    },

    async remove(name) {
      // A partial put has no object that `remove` could find; an empty object in its place removes its parts too.
      if (!(await store.get(objectNameOf(name)))) await put(name, emptyBody())
      await store.remove(objectNameOf(name))
    },
  }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

async function* skipTo(parts: AsyncIterable<Uint8Array>, from: number): AsyncGenerator<Uint8Array> {
  let skip = from
  for await (const part of parts) {
    if (skip < part.length) yield part.subarray(skip)
    skip = Math.max(0, skip - part.length)
  }
}
