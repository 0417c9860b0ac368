/** What a shard does about a clock that was set back: the latest time it had is on record, and delays are dated anew. */
import { shard as limits } from '../../core/limits.js'
import type { Reader } from '../store/contract.js'
import type { Layer } from './layer.js'
import { latestTable, timerNameTable, timerTable } from './tables.js'
import type { DueTimer } from './timers.js'

/** The time of day at which the shard last committed. It lags by `clockNotedMs`, so that few commits write it. */
export function openLatestTime(reader: Reader) {
  let latestAt = reader.get(latestTable, []) ?? Number.NEGATIVE_INFINITY

  function set(layer: Layer, at: number): void {
    latestAt = at
    layer.put(latestTable, [], at)
  }

  return {
    at: () => latestAt,
    /** Never sets it back: until the timers are dated anew, a shard that is opened again must find out as well. */
    note(layer: Layer, at: number): void {
      if (at >= latestAt + limits.clockNotedMs) set(layer, at)
    },
    set,
  }
}

/**
 * A delay that was set in the future of the clock waits from now on for as long as it did when it was set. For a timer of a
 * queue its command for that is called now.
 */
export function redateTimers(layer: Layer, timers: readonly DueTimer[], at: number): void {
  for (const { key } of timers) {
    const [dueAt, owner, name] = key
    const timer = layer.get(timerTable, key)
    if (!timer || layer.get(timerNameTable, [owner, name]) !== dueAt) continue
    const { command, input, setAt, whenSetBack } = timer
    if (whenSetBack !== undefined) {
      layer.put(timerTable, [at, owner, `${name}:${whenSetBack}`], { command: whenSetBack, input })
    }
    if (setAt === undefined || setAt <= at || dueAt <= at) continue
    const soonerAt = at + Math.max(0, dueAt - setAt)
    layer.remove(timerTable, key)
    layer.put(timerTable, [soonerAt, owner, name], { command, input, setAt: at })
    layer.put(timerNameTable, [owner, name], soonerAt)
  }
}
