/** Who wants to be told of changes of which table. */
import type { Log } from '../observe/log.js'
import type { Local } from './contract.js'
import type { Layer } from './layer.js'

export interface Watchers {
  readonly watch: Local['watch']
  tell(layer: Pick<Layer, 'written'>): void
}

/** A watcher that throws is logged: the change it was told of is durable, whatever it makes of it. */
export function openWatchers(log: Log): Watchers {
  const watchers = new Map<string, ((key: never, value: never) => void)[]>()
  return {
    watch(table, seen) {
      watchers.set(table.name, [...(watchers.get(table.name) ?? []), seen as never])
    },
    tell(layer) {
      for (const [table, listeners] of watchers) {
        for (const { key, value } of layer.written(table)) {
          for (const seen of listeners) {
            try {
              seen(key as never, value as never)
            } catch (error) {
              log.error('shard.watcher.failed', { table, error })
            }
          }
        }
      }
    },
  }
}
