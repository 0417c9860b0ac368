/** Who wants to be told of changes of which table. */
import type { Log } from '../observe/log.js'
import type { Local } from './contract.js'
import type { Overlay } from './overlay.js'

export interface Watchers {
  readonly watch: Local['watch']
  notify(overlay: Pick<Overlay, 'writesOf'>): void
}

/** A watcher that throws is logged: the change it was told of is durable, whatever it makes of it. */
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
