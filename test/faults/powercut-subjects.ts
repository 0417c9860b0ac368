/** The subjects by name, for the processes that run and check them. */
import { embeddedEngine } from './powercut-engine.js'
import { lateStore, syncedStore, unsyncedStore, writtenBehindStore } from './powercut-store.js'
import type { Subject } from './powercut-work.js'

export const subjects: Readonly<Record<string, Subject>> = {
  store: syncedStore,
  'store with write-behind': writtenBehindStore,
  engine: embeddedEngine,
  'store without sync': unsyncedStore,
  'store that syncs too late': lateStore,
}
