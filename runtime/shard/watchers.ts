/** Listeners for durable changes of a table. */
import type { Log } from '../observe/log.js'
import type { Local } from './contract.js'
import type { Overlay } from './overlay.js'

export interface Watchers {
  readonly watch: Local['watch']
  notify(overlay: Pick<Overlay, 'writesOf'>): void
}

/** An exception of a listener is logged: the change is durable and does not depend on it. */
export function createWatchers(log: Log): Watchers {
  const watchers = new Map<string, ((key: never, value: never) => void)[]>()
  return {
    watch(table, listener) {
      watchers.set(table.name, [...(watchers.get(table.name) ?? []), listener as never])
    },
    notify(overlay) {
      for (const [table, listeners] of watchers) {
        for (const { key, value } of overlay.writesOf(table)) {
          for (const listener of listeners) {
            try {
              listener(key as never, value as never)
            } catch (error) {
              log.error('shard.watcher.failed', { table, error })
            }
          }
        }
      }
    },
  }
}
