/**
 * Performs the effects that a shard owes, after their commit, again and again until each is done. A lane (a kind and its
 * destination) goes through its effects in the order of their commits, a few at a time; what a lane cannot take yet stays
 * on the record, so memory holds a bounded part of it however much is owed.
 */
import { setMaxListeners } from 'node:events'
import { shard as limits } from '../../core/limits/index.js'
import { backoffMs } from '../../core/time.js'
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'
import type { Reader } from '../store/contract.js'
import { sleep, withTimeout } from '../time.js'
import type { EffectContext, EffectHandler, EffectToken } from './contract.js'
import type { PendingEffect } from './decision.js'
import { commitTable, outboxTable } from './tables.js'

export interface Outbox {
  /** Takes effects whose commit is durable. */
  enqueue(effects: readonly PendingEffect[]): void
  /** Takes up everything on the record. */
  resume(): void
  /** When the oldest effect was committed that is held and not done. */
  oldestPendingAt(): number | undefined
  /**
   * Starts nothing more, cuts what is still under way after `graceMs`, and does not wait long for what ignores that. What
   * was not settled stays owed for whoever is next.
   */
  stop(graceMs: number): Promise<void>
}

export interface OutboxOptions {
  readonly reader: Reader
  readonly effectHandlers: Readonly<Record<string, EffectHandler>>
  /** Takes a performed effect off the record; resolves when that is durable. */
  readonly complete: (key: PendingEffect['key']) => Promise<void>
  /** Whether effects may go out at this very moment. */
  readonly mayPerform: () => boolean
  readonly clock: Clock
  readonly log: Log
}

interface Lane {
  readonly name: string
  readonly handle: EffectHandler
  readonly waiting: PendingEffect[]
  /** The last effect taken from the record, and whether the record may have more of this lane after it. */
  loadedTo?: PendingEffect['key']
  hasMore: boolean
  running: number
  /** Of those running, how many are with the destination just now. */
  holdingSlot: number
  /** Of those running, how many have no more to do with it. */
  releasedSlot: number
  /** Of those running, how many wait: to try again, or for somebody else. */
  backingOff: number
  /** It can do nothing until one of them has waited, so it takes no place from others. */
  isStalled: boolean
  isQueued: boolean
}

interface Retry {
  readonly lane: Lane
  readonly resume: () => void
}

const backoff = { firstMs: limits.effectRetryMs, mostMs: limits.effectRetryMaxMs }

export function openOutbox({ reader, effectHandlers, complete, mayPerform, clock, log }: OutboxOptions): Outbox {
  const lanes = new Map<string, Lane>()
  /** Lanes with something to start, in turn. */
  const readyLanes: Lane[] = []
  const inFlight = new Map<Promise<void>, PendingEffect>()
  /** Effects that have waited long enough after a failure. */
  const retries: Retry[] = []
  /** Ends the waits of those that failed. */
  const stopping = new AbortController()
  const end = new AbortController()
  setMaxListeners(0, stopping.signal, end.signal)
  const unknownKinds = new Set<string>()
  let slotsInUse = 0
  let stalledLanes = 0
  /** Effects at hand, of all lanes. */
  let loadedEffects = 0
  /** There may be lanes on the record that are not held; the search for them goes on after this one. */
  let hasUnloadedLanes = false
  let searchedTo: string | undefined
  let stopped = false
  /** Effects up to this commit were on record when this outbox began. */
  let resumedAtCommit = -1

  /** Undefined when nobody here performs the kind, or as many lanes are held as may be. */
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
    if (lanes.size - stalledLanes >= limits.activeLanes || lanes.size >= limits.trackedLanes) {
      hasUnloadedLanes = true
      return undefined
    }
    // While lanes are unseen this may be one of them, with effects on the record that came before.
    const counts = { running: 0, holdingSlot: 0, releasedSlot: 0, backingOff: 0 }
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

  /** Whether the lane has an effect to start, read from the record when none is at hand. */
  function hasNext(lane: Lane): boolean {
    if (lane.waiting.length === 0 && lane.hasMore) {
      const rows = [
        ...reader.range(outboxTable, { prefix: [lane.name], after: lane.loadedTo, limit: limits.loadedEffectsPerLane }),
      ]
      for (const { key, value } of rows) addWaiting(lane, { key, effect: value })
      lane.loadedTo = rows.at(-1)?.key ?? lane.loadedTo
      lane.hasMore = rows.length === limits.loadedEffectsPerLane
    }
    return lane.waiting.length > 0
  }

  function hasRoom(lane: Lane): boolean {
    return lane.waiting.length < limits.loadedEffectsPerLane || loadedEffects < limits.loadedEffects
  }

  /** Fills the places that are free: first with those who had one and try again, then lane by lane. */
  function pump(): void {
    while (!stopped && slotsInUse < limits.effectsInFlight) {
      const retry = takeRetry()
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

  /** One that stood aside has lost its place with the destination, and waits until there is another. */
  function takeRetry(): Retry | undefined {
    const at = retries.findIndex(({ lane }) => lane.holdingSlot < limits.effectsPerDestination)
    return at < 0 ? undefined : retries.splice(at, 1)[0]
  }

  /** Takes a place here and with the destination, at once: whoever looks next must not find it free. */
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
    const isStalled = lane.running > 0 && lane.backingOff === lane.running && (isFull(lane) || hasNone)
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

  /** Begins with a place of its own, gives it up while it waits to try again, and before it settles. */
  async function handleUntilDone(lane: Lane, { key, effect }: PendingEffect): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const mayContinue = mayPerform()
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
        // It will not be ours again in this life of the outbox, so nothing more is started.
        stopped = true
        return
      }
      if (stopped) return
      log.warn('shard.effect.failed', { kind: effect.kind, tries: attempt, error: failure })
      lane.backingOff++
      updateStalled(lane)
      pump()
      await sleep(clock, backoffMs(attempt, backoff), stopping.signal)
      lane.backingOff--
      updateStalled(lane)
      if (stopped) return
      await new Promise<void>((retry) => {
        retries.push({ lane, resume: retry })
        pump()
      })
      if (stopped) return
    }
  }

  /** The places of one that is being performed, here and in its lane, given up at its end or as soon as it stands aside. */
  function createSlot(lane: Lane): { releaseSlot(): void; end(): void } {
    let state: 'held' | 'aside' | 'ended' = 'held'
    return {
      releaseSlot() {
        if (state !== 'held') return
        state = 'aside'
        slotsInUse--
        lane.holdingSlot--
        lane.releasedSlot++
        lane.backingOff++
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
          lane.backingOff--
        }
        state = 'ended'
        updateStalled(lane)
      },
    }
  }

  /** It was performed; only its row is still there, because nothing can be written just now. */
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

  const isStillOwner = () => !end.signal.aborted && mayPerform()

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

  /** Finds lanes on the record by leaping from one to the next, from where the last search ended and once around. */
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
        // A commit can be read a moment before it is told here.
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

/** As many as its destination may have at a time are with it, or as many as may be held wait for something else. */
function isFull({ running, releasedSlot }: Lane): boolean {
  return running - releasedSlot >= limits.effectsPerDestination || releasedSlot >= limits.releasedEffectsPerLane
}

function isAfter([, commit, index]: PendingEffect['key'], [, otherCommit, otherIndex]: PendingEffect['key']): boolean {
  return commit > otherCommit || (commit === otherCommit && index > otherIndex)
}
