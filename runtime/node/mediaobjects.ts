/** The media objects of an agent, in the media store of the installation. */
import type { MediaObjects } from '../../mgmt/knowledge/mediaroutes.js'
import { type MediaStore, StorageFull } from '../media/contract.js'
import { typeOf } from '../media/types.js'

export function mediaObjectsIn(objects: MediaStore): MediaObjects {
  return {
    typeOf: (bytes) => typeOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    async put(name, bytes) {
      try {
        await objects.put(name, singleChunk(bytes))
        return 'stored'
      } catch (error) {
        if (error instanceof StorageFull) return 'full'
        throw error
      }
    },
    remove: (name) => objects.remove(name),
  }
}

async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
