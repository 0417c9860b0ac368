/** The objects of an agent's media, over the store that keeps all media of the installation. */
import type { MediaObjects } from '../../mgmt/knowledge/mediaroutes.js'
import { NoRoom, type Objects } from '../media/contract.js'
import { typeOf } from '../media/types.js'

export function mediaObjectsIn(objects: Objects): MediaObjects {
  return {
    typeOf: (bytes) => typeOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    async put(name, bytes) {
      try {
        await objects.put(name, whole(bytes))
        return 'kept'
      } catch (error) {
        if (error instanceof NoRoom) return 'full'
        throw error
      }
    },
    remove: (name) => objects.remove(name),
  }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
