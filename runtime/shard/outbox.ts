/**
 * The outbox of a shard: runs the effect handlers after the commit, and retries each effect until it completes. A lane
 * (a kind and its destination) runs its effects in the order of their commits, a few at a time. Effects beyond a bound
 * stay in the store until their lane has room, so memory holds a bounded number however many are pending.
 */
import { setMaxListeners } from 'node:events'
import { backoffMs } from '../../core/time.js'
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'
import type { Reader } from '../store/contract.js'
import { sleep, withTimeout } from '../time.js'
import type { EffectContext, EffectHandler, EffectToken } from './contract.js'
import type { PendingEffect } from './decision.js'
import type { ShardLimits } from './limits.js'
import { commitTable, outboxTable } from './tables.js'

export interface Outbox {
  /** Takes effects whose commit is durable. */
  enqueue(effects: readonly PendingEffect[]): void
  /** Loads the pending effects from the store. */
  resume(): void
  /** The commit time of the oldest effect in memory that is not completed. */
  oldestPendingAt(): number | undefined
  /**
   * Starts no more effects, aborts the running ones after `graceMs`, and waits `effectCutMs` for handlers that ignore
   * the abort. Effects that did not complete stay pending for the next owner.
   */
  stop(graceMs: number): Promise<void>
}

export interface OutboxOptions {
  readonly reader: Reader
  readonly effectHandlers: Readonly<Record<string, EffectHandler>>
  /** Removes the row of an effect that has run; resolves when the removal is durable. */
  readonly complete: (key: PendingEffect['key']) => Promise<void>
  /** Whether effects may be sent at this moment. */
  readonly mayRun: () => boolean
  readonly clock: Clock
  readonly log: Log
  readonly limits: ShardLimits
}

interface Lane {
  readonly name: string
  readonly handle: EffectHandler
  readonly waiting: PendingEffect[]
  /** The last effect loaded from the store, and whether the store may have more of this lane after it. */
  loadedTo?: PendingEffect['key']
  hasMore: boolean
  running: number
  /** Running effects that hold a slot of the destination. */
  holdingSlot: number
  /** Running effects that have released their slot. */
  releasedSlot: number
  /** Running effects that wait: for a retry, or for another party. */
  waitingEffects: number
  /** The lane can do nothing until one of its effects has waited, so it does not count against `activeLanes`. */
  isStalled: boolean
  isQueued: boolean
}

interface Retry {
  readonly lane: Lane
  readonly resume: () => void
}

export function openOutbox(options: OutboxOptions): Outbox {
  const { reader, effectHandlers, complete, mayRun, clock, log, limits } = options
  const { activeLanes, trackedLanes, loadedEffectsPerLane, effectsInFlight, effectsPerDestination } = limits
  const backoff = { firstMs: limits.effectRetryMs, mostMs: limits.effectRetryMaxMs }
  const lanes = new Map<string, Lane>()
  /** Lanes with an effect to start, in turn. */
  const readyLanes: Lane[] = []
  const inFlight = new Map<Promise<void>, PendingEffect>()
  /** Effects whose backoff is over. */
  const retries: Retry[] = []
  /** Ends the backoff of failed effects. */
  const stopping = new AbortController()
  const end = new AbortController()
  setMaxListeners(0, stopping.signal, end.signal)
  const unknownKinds = new Set<string>()
  let slotsInUse = 0
  let stalledLanes = 0
  /** Effects in memory, of all lanes. */
  let loadedEffects = 0
  /** The store may have lanes that are not in memory; the search for them continues after `searchedTo`. */
  let hasUnloadedLanes = false
  let searchedTo: string | undefined
  let stopped = false
  /** Effects up to this commit were in the store when this outbox began. */
  let resumedAtCommit = -1

  /** Undefined when the kind has no handler here, or when the limit of lanes is reached. */
  function laneFor(name: string): Lane | undefined {
    const existing = lanes.get(name)
    if (existing) return existing
    const kind = name.slice(0, name.indexOf(' '))
    const handle = effectHandlers[kind]
    if (!handle) {
      if (!unknownKinds.has(kind)) log.error('shard.effect.unknown', { kind })
      unknownKinds.add(kind)
      return undefined
    }
    if (lanes.size - stalledLanes >= activeLanes || lanes.size >= trackedLanes) {
      hasUnloadedLanes = true
      return undefined
    }
    // While some lanes are not loaded this may be one of them, with earlier effects in the store.
    const counts = { running: 0, holdingSlot: 0, releasedSlot: 0, waitingEffects: 0 }
    const lane = { name, handle, waiting: [], hasMore: hasUnloadedLanes, ...counts, isStalled: false, isQueued: false }
    lanes.set(name, lane)
    return lane
  }

  function markReady(lane: Lane): void {
    if (lane.isQueued) return
    lane.isQueued = true
    readyLanes.push(lane)
  }

  function addWaiting(lane: Lane, pendingEffect: PendingEffect): void {
    lane.waiting.push(pendingEffect)
    loadedEffects++
  }

  /** Whether the lane has an effect to start; loads some from the store when memory has none. */
  function hasNext(lane: Lane): boolean {
    if (lane.waiting.length === 0 && lane.hasMore) {
      const rows = [
        ...reader.range(outboxTable, { prefix: [lane.name], after: lane.loadedTo, limit: loadedEffectsPerLane }),
      ]
      for (const { key, value } of rows) addWaiting(lane, { key, effect: value })
      lane.loadedTo = rows.at(-1)?.key ?? lane.loadedTo
      lane.hasMore = rows.length === loadedEffectsPerLane
    }
    return lane.waiting.length > 0
  }

  function hasRoom(lane: Lane): boolean {
    return lane.waiting.length < loadedEffectsPerLane || loadedEffects < limits.loadedEffects
  }

  /** The destination has as many running effects as it may, or as many have released their slot as may. */
  function isFull({ running, releasedSlot }: Lane): boolean {
    return running - releasedSlot >= effectsPerDestination || releasedSlot >= limits.releasedEffectsPerLane
  }

  /** Fills the free slots: first with effects that retry, then lane by lane. */
  function pump(): void {
    while (!stopped && slotsInUse < effectsInFlight) {
      const retry = dequeueRetry()
      const lane = retry ? undefined : readyLanes.shift()
      if (retry) {
        occupySlot(retry.lane)
        retry.resume()
      } else if (!lane) return
      else {
        lane.isQueued = false
        if (isFull(lane) || !hasNext(lane)) continue
        loadedEffects--
        startEffect(lane, lane.waiting.shift()!)
        markReady(lane)
      }
    }
  }

  /** An effect in backoff has given its slot away, and waits until its destination has a free one. */
  function dequeueRetry(): Retry | undefined {
    const at = retries.findIndex(({ lane }) => lane.holdingSlot < effectsPerDestination)
    return at < 0 ? undefined : retries.splice(at, 1)[0]
  }

  /** Occupies a slot of the shard and of the destination synchronously: the next check must not find it free. */
  function occupySlot(lane: Lane): void {
    slotsInUse++
    lane.holdingSlot++
  }

  function startEffect(lane: Lane, pendingEffect: PendingEffect): void {
    lane.running++
    occupySlot(lane)
    const run = handleUntilDone(lane, pendingEffect).finally(() => {
      inFlight.delete(run)
      lane.running--
      if (lane.running === 0 && !hasNext(lane)) dropLane(lane)
      else markReady(lane)
      pump()
    })
    inFlight.set(run, pendingEffect)
  }

  function updateStalled(lane: Lane): void {
    const hasNone = !lane.hasMore && lane.waiting.length === 0
    const isStalled = lane.running > 0 && lane.waitingEffects === lane.running && (isFull(lane) || hasNone)
    if (isStalled === lane.isStalled) return
    lane.isStalled = isStalled
    stalledLanes += isStalled ? 1 : -1
    if (isStalled && hasUnloadedLanes && !stopped) loadLanes()
  }

  function dropLane(lane: Lane): void {
    updateStalled(lane)
    lanes.delete(lane.name)
    if (hasUnloadedLanes) loadLanes()
  }

  /** Begins with a slot, releases it during backoff and before the removal of the row. */
  async function handleUntilDone(lane: Lane, { key, effect }: PendingEffect): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const mayContinue = mayRun()
      const slot = createSlot(lane)
      const completes: EffectToken = { owner: effect.owner, key, isCompleted: false }
      const failure = mayContinue
        ? await handleOnce(lane, effect, {
            isRepeat: attempt > 1 || key[1] <= resumedAtCommit,
            completes,
            releaseSlot: slot.releaseSlot,
          })
        : undefined
      if (mayContinue && (failure === undefined || completes.isCompleted)) {
        slot.releaseSlot()
        if (!completes.isCompleted) await completeUntilDone(key, effect.kind)
        return slot.end()
      }
      slot.end()
      if (!mayContinue) {
        // This outbox will not own the shard again, so it starts no more effects.
        stopped = true
        return
      }
      if (stopped) return
      log.warn('shard.effect.failed', { kind: effect.kind, tries: attempt, error: failure })
      lane.waitingEffects++
      updateStalled(lane)
      pump()
      await sleep(clock, backoffMs(attempt, backoff), stopping.signal)
      lane.waitingEffects--
      updateStalled(lane)
      if (stopped) return
      await new Promise<void>((retry) => {
        retries.push({ lane, resume: retry })
        pump()
      })
      if (stopped) return
    }
  }

  /** The slots of one running effect, in the shard and in its lane; released at its end or by `releaseSlot`. */
  function createSlot(lane: Lane): { releaseSlot(): void; end(): void } {
    let state: 'held' | 'aside' | 'ended' = 'held'
    return {
      releaseSlot() {
        if (state !== 'held') return
        state = 'aside'
        slotsInUse--
        lane.holdingSlot--
        lane.releasedSlot++
        lane.waitingEffects++
        updateStalled(lane)
        markReady(lane)
        pump()
      },
      end() {
        if (state === 'held') {
          slotsInUse--
          lane.holdingSlot--
        }
        if (state === 'aside') {
          lane.releasedSlot--
          lane.waitingEffects--
        }
        state = 'ended'
        updateStalled(lane)
      },
    }
  }

  /** The effect has run; only its row remains while the store accepts no writes. */
  async function completeUntilDone(key: PendingEffect['key'], kind: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await complete(key)
      } catch (error) {
        if (stopped) return
        log.warn('shard.effect.incomplete', { kind, tries: attempt, error })
      }
      await sleep(clock, backoffMs(attempt, backoff), stopping.signal)
      if (stopped) return
    }
  }

  const isStillOwner = () => !end.signal.aborted && mayRun()

  async function handleOnce(
    lane: Lane,
    { id, owner, payload }: PendingEffect['effect'],
    rest: Pick<EffectContext, 'isRepeat' | 'completes' | 'releaseSlot'>,
  ): Promise<unknown> {
    try {
      await lane.handle(payload as never, { id, owner, reader, signal: end.signal, isStillOwner, ...rest })
      return undefined
    } catch (error) {
      return error ?? new Error('it gave no reason')
    }
  }

  async function waitForInFlight(): Promise<void> {
    while (inFlight.size > 0) await Promise.allSettled(inFlight.keys())
  }

  /** Finds lanes in the store, skipping from one to the next, from the end of the last search and once around. */
  function loadLanes(): void {
    hasUnloadedLanes = false
    for (const startName of searchedTo === undefined ? [undefined] : [searchedTo, undefined]) {
      searchedTo = startName
      for (;;) {
        const after = searchedTo === undefined ? undefined : ([searchedTo, Number.POSITIVE_INFINITY] as const)
        const [first] = reader.range(outboxTable, { after, limit: 1 })
        if (!first) break
        const [name] = first.key
        if (!lanes.has(name)) loadLane(name)
        if (hasUnloadedLanes) return
        searchedTo = name
      }
    }
    searchedTo = undefined
  }

  function loadLane(name: string): void {
    const lane = laneFor(name)
    if (!lane) return
    lane.hasMore = true
    markReady(lane)
  }

  return {
    enqueue(effects) {
      for (const pendingEffect of effects) {
        const [name] = pendingEffect.key
        const lane = laneFor(name)
        if (!lane) continue
        // A commit can be read a moment before this call.
        if (lane.loadedTo && !isAfter(pendingEffect.key, lane.loadedTo)) continue
        if (lane.hasMore || !hasRoom(lane)) lane.hasMore = true
        else {
          addWaiting(lane, pendingEffect)
          lane.loadedTo = pendingEffect.key
        }
        markReady(lane)
      }
      pump()
    },
    resume() {
      resumedAtCommit = reader.get(commitTable, []) ?? resumedAtCommit
      loadLanes()
      pump()
    },
    oldestPendingAt() {
      const oldest = [...inFlight.values(), ...[...lanes.values()].flatMap(({ waiting }) => waiting[0] ?? [])]
      return oldest.length === 0 ? undefined : Math.min(...oldest.map(({ effect }) => effect.at))
    },
    async stop(graceMs) {
      stopped = true
      stopping.abort()
      for (const { resume } of retries.splice(0)) resume()
      if (graceMs > 0) await withTimeout(clock, graceMs, waitForInFlight(), undefined)
      end.abort()
      await withTimeout(clock, limits.effectCutMs, waitForInFlight(), undefined)
    },
  }
}

function isAfter([, commit, index]: PendingEffect['key'], [, otherCommit, otherIndex]: PendingEffect['key']): boolean {
  return commit > otherCommit || (commit === otherCommit && index > otherIndex)
}
