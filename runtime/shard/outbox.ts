/** Performs owed effects after their commit, each kind within its own bound, again and again until it is done. */
import { shard } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'
import type { Store } from '../store/contract.js'
import type { Performer } from './contract.js'
import type { Owed } from './decide.js'
import { outboxTable } from './tables.js'

export interface Outbox {
  /** Takes effects whose commit is durable. */
  owe(effects: readonly Owed[]): void
  /** Takes everything that an earlier process still owed. */
  resume(): void
  /** Starts nothing more and waits for what is under way; the rest stays owed for the next start. */
  stop(): Promise<void>
}

interface Lane {
  readonly perform: Performer
  readonly waiting: Owed[]
  running: number
}

export function openOutbox(options: {
  store: Store
  performers: Readonly<Record<string, Performer>>
  clock: Clock
  log: Log
}): Outbox {
  const { store, clock, log } = options
  const lanes = new Map<string, Lane>()
  for (const [kind, perform] of Object.entries(options.performers))
    lanes.set(kind, { perform, waiting: [], running: 0 })
  const underWay = new Set<Promise<void>>()
  const retries = new Set<() => void>()
  let stopped = false

  function owe(effects: readonly Owed[]): void {
    for (const effect of effects) {
      const lane = lanes.get(effect.kind)
      if (!lane) log.error('shard.effect.unknown', { kind: effect.kind })
      else lane.waiting.push(effect)
    }
    for (const lane of lanes.values()) advance(lane)
  }

  function advance(lane: Lane): void {
    while (!stopped && lane.running < shard.effectsInFlight && lane.waiting.length > 0) {
      lane.running++
      const run = performOne(lane, lane.waiting.shift()!).finally(() => {
        lane.running--
        underWay.delete(run)
        advance(lane)
      })
      underWay.add(run)
    }
  }

  async function performOne(lane: Lane, effect: Owed, tries = 0): Promise<void> {
    try {
      await lane.perform(effect.payload as never, effect.key.join(':'))
      await store.commit([{ table: outboxTable as never, key: effect.key }])
    } catch (error) {
      log.warn('shard.effect.failed', { kind: effect.kind, tries: tries + 1, error })
      if (stopped || store.failure()) return
      await pause(Math.min(shard.effectRetryMaxMs, shard.effectRetryMs * 2 ** tries))
      if (!stopped) await performOne(lane, effect, tries + 1)
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.wake(clock.now() + ms, done)
      function done(): void {
        cancel()
        retries.delete(done)
        resolve()
      }
      retries.add(done)
    })
  }

  return {
    owe,
    resume() {
      const owed: Owed[] = []
      for (const { key, value } of store.range(outboxTable)) owed.push({ key, ...value })
      owe(owed)
    },
    async stop() {
      stopped = true
      for (const end of [...retries]) end()
      await Promise.allSettled(underWay)
    },
  }
}
