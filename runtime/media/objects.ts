/** Chooses where the bytes of media are kept: in files of this process, or in what the processes of a cluster share. */
import { join } from 'node:path'
import type { Bus } from '../nats/contract.js'
import type { Log } from '../observe/log.js'
import type { Objects } from './contract.js'
import { moveFiles, openFiles } from './files.js'
import { sharedObjects } from './shared.js'

export async function openObjects(options: {
  /** Of this process alone. */
  readonly dataDir: string
  /** Absent when everything is in this process. */
  readonly bus?: Bus
  readonly log: Log
}): Promise<Objects> {
  const dir = join(options.dataDir, 'media')
  if (!options.bus) return openFiles({ dir })
  const shared = sharedObjects(options.bus.objects)
  const moved = await moveFiles(dir, shared)
  if (moved > 0) options.log.info('media.moved', { objects: moved })
  return shared
}
