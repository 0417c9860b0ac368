/** The store's settings as a node has them: lmdb options for limits, which must not differ in them, and shards. */
import { store as limits } from '../../../runtime/store/limits.js'

export const ourSettings = {
  noSubdir: true,
  mapSize: limits.mapBytes,
  overlappingSync: false,
  eventTurnBatching: false,
  commitDelay: 0,
  safeRestore: true,
  cache: false,
} as const

/** A node's default number of shards. */
export const shards = 16
