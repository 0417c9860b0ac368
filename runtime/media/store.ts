/** Chooses where the bytes of media are kept: in files of this process, or in what the processes of a cluster share. */
import { join } from 'node:path'
import type { Bus } from '../nats/contract.js'
import type { Log } from '../observe/log.js'
import type { MediaStore } from './contract.js'
import { createFileStore, migrateFiles } from './filestore.js'
import { createNatsStore } from './natsstore.js'

export async function openMediaStore(options: {
  /** Of this process alone. */
  readonly dataDir: string
  /** Absent when everything is in this process. */
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
