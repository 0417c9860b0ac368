/** Chooses the media store: files of this process, or the object store of a cluster. */
import { join } from 'node:path'
import type { Bus } from '../nats/contract.js'
import type { Log } from '../observe/log.js'
import type { MediaStore } from './contract.js'
import { createFileStore, migrateFiles } from './filestore.js'
import { createNatsStore } from './natsstore.js'

export async function openMediaStore(options: {
  /** A folder of this process alone. */
  readonly dataDir: string
  /** Absent for a node without a cluster. */
  readonly bus?: Bus
  readonly log: Log
}): Promise<MediaStore> {
  const dir = join(options.dataDir, 'media')
  if (!options.bus) return createFileStore({ dir })
  const natsStore = createNatsStore(options.bus.objects)
  const migrated = await migrateFiles(dir, natsStore)
  if (migrated > 0) options.log.info('media.moved', { objects: migrated })
  return natsStore
}
