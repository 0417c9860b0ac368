/** The store's lmdb options, for limits that must not differ in them. */
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
