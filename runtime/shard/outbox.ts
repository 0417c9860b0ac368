/**
 * Performs the effects that a shard owes, after their commit, again and again until each is done. A lane (a kind and its
 * destination) goes through its effects in the order of their commits, a few at a time; what a lane cannot take yet stays
 * on the record, so memory holds a bounded part of it however much is owed.
 */
import { setMaxListeners } from 'node:events'
import { shard as limits } from '../../core/limits.js'
import { backoffMs } from '../../core/time.js'
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'
import type { Reader } from '../store/contract.js'
import { sleep, withTimeout } from '../time.js'
import type { Performer, Performing, Settling } from './contract.js'
import type { Owed } from './decide.js'
import { commitTable, outboxTable } from './tables.js'

export interface Outbox {
  /** Takes effects whose commit is durable. */
  owe(effects: readonly Owed[]): void
  /** Takes up everything on the record. */
  resume(): void
  /** When the oldest effect was committed that is held and not done. */
  owedSince(): number | undefined
  /**
   * Starts nothing more, cuts what is still under way after `graceMs`, and does not wait long for what ignores that. What
   * was not settled stays owed for whoever is next.
   */
  stop(graceMs: number): Promise<void>
}

export interface OutboxOptions {
  readonly reader: Reader
  readonly performers: Readonly<Record<string, Performer>>
  /** Takes a performed effect off the record; resolves when that is durable. */
  readonly settle: (key: Owed['key']) => Promise<void>
  /** Whether effects may go out at this very moment. */
  readonly mayPerform: () => boolean
  readonly clock: Clock
  readonly log: Log
}

interface Lane {
  readonly name: string
  readonly perform: Performer
  readonly waiting: Owed[]
  /** The last effect taken from the record, and whether the record may have more of this lane after it. */
  taken?: Owed['key']
  more: boolean
  running: number
  /** Of those running, how many are with the destination just now. */
  inside: number
  /** Of those running, how many have no more to do with it. */
  aside: number
  /** Of those running, how many wait: to try again, or for somebody else. */
  pausing: number
  /** It can do nothing until one of them has waited, so it takes no place from others. */
  rests: boolean
  queued: boolean
}

interface Retry {
  readonly lane: Lane
  readonly go: () => void
}

const backoff = { firstMs: limits.effectRetryMs, mostMs: limits.effectRetryMaxMs }

export function openOutbox({ reader, performers, settle, mayPerform, clock, log }: OutboxOptions): Outbox {
  const lanes = new Map<string, Lane>()
  /** Lanes with something to start, in turn. */
  const ready: Lane[] = []
  const underWay = new Map<Promise<void>, Owed>()
  /** Effects that have waited long enough after a failure. */
  const retries: Retry[] = []
  /** Ends the waits of those that failed. */
  const stopping = new AbortController()
  const end = new AbortController()
  setMaxListeners(0, stopping.signal, end.signal)
  const unknown = new Set<string>()
  let performing = 0
  let resting = 0
  /** Effects at hand, of all lanes. */
  let held = 0
  /** There may be lanes on the record that are not held; the search for them goes on after this one. */
  let unseen = false
  let searchedTo: string | undefined
  let stopped = false
  /** Effects up to this commit were on record when this outbox began. */
  let resumedAtCommit = -1

  /** Undefined when nobody here performs the kind, or as many lanes are held as may be. */
  function laneFor(name: string): Lane | undefined {
    const known = lanes.get(name)
    if (known) return known
    const kind = name.slice(0, name.indexOf(' '))
    const perform = performers[kind]
    if (!perform) {
      if (!unknown.has(kind)) log.error('shard.effect.unknown', { kind })
      unknown.add(kind)
      return undefined
    }
    if (lanes.size - resting >= limits.lanesHeld || lanes.size >= limits.lanesKnown) {
      unseen = true
      return undefined
    }
    // While lanes are unseen this may be one of them, with effects on the record that came before.
    const counts = { running: 0, inside: 0, aside: 0, pausing: 0 }
    const lane = { name, perform, waiting: [], more: unseen, ...counts, rests: false, queued: false }
    lanes.set(name, lane)
    return lane
  }

  function queue(lane: Lane): void {
    if (lane.queued) return
    lane.queued = true
    ready.push(lane)
  }

  function hold(lane: Lane, owed: Owed): void {
    lane.waiting.push(owed)
    held++
  }

  /** Whether the lane has an effect to start, read from the record when none is at hand. */
  function hasNext(lane: Lane): boolean {
    if (lane.waiting.length === 0 && lane.more) {
      const rows = [
        ...reader.range(outboxTable, { prefix: [lane.name], after: lane.taken, limit: limits.effectsHeldPerLane }),
      ]
      for (const { key, value } of rows) hold(lane, { key, effect: value })
      lane.taken = rows.at(-1)?.key ?? lane.taken
      lane.more = rows.length === limits.effectsHeldPerLane
    }
    return lane.waiting.length > 0
  }

  function hasRoom(lane: Lane): boolean {
    return lane.waiting.length < limits.effectsHeldPerLane || held < limits.effectsHeld
  }

  /** Fills the places that are free: first with those who had one and try again, then lane by lane. */
  function pump(): void {
    while (!stopped && performing < limits.effectsInFlight) {
      const retry = nextRetry()
      const lane = retry ? undefined : ready.shift()
      if (retry) {
        enter(retry.lane)
        retry.go()
      } else if (!lane) return
      else {
        lane.queued = false
        if (isFull(lane) || !hasNext(lane)) continue
        held--
        start(lane, lane.waiting.shift()!)
        queue(lane)
      }
    }
  }

  /** One that stood aside has lost its place with the destination, and waits until there is another. */
  function nextRetry(): Retry | undefined {
    const at = retries.findIndex(({ lane }) => lane.inside < limits.effectsPerDestination)
    return at < 0 ? undefined : retries.splice(at, 1)[0]
  }

  /** Takes a place here and with the destination, at once: whoever looks next must not find it free. */
  function enter(lane: Lane): void {
    performing++
    lane.inside++
  }

  function start(lane: Lane, owed: Owed): void {
    lane.running++
    enter(lane)
    const run = performUntilDone(lane, owed).finally(() => {
      underWay.delete(run)
      lane.running--
      if (lane.running === 0 && !hasNext(lane)) forget(lane)
      else queue(lane)
      pump()
    })
    underWay.set(run, owed)
  }

  function reckon(lane: Lane): void {
    const hasNone = !lane.more && lane.waiting.length === 0
    const rests = lane.running > 0 && lane.pausing === lane.running && (isFull(lane) || hasNone)
    if (rests === lane.rests) return
    lane.rests = rests
    resting += rests ? 1 : -1
    if (rests && unseen && !stopped) search()
  }

  function forget(lane: Lane): void {
    reckon(lane)
    lanes.delete(lane.name)
    if (unseen) search()
  }

  /** Begins with a place of its own, gives it up while it waits to try again, and before it settles. */
  async function performUntilDone(lane: Lane, { key, effect }: Owed): Promise<void> {
    for (let tries = 1; ; tries++) {
      const isOurs = mayPerform()
      const standing = standIn(lane)
      const settles: Settling = { owner: effect.owner, key, isSettled: false }
      const failure = isOurs
        ? await failureOf(lane, effect, {
            isRepeat: tries > 1 || key[1] <= resumedAtCommit,
            settles,
            aside: standing.aside,
          })
        : undefined
      if (isOurs && (failure === undefined || settles.isSettled)) {
        standing.aside()
        if (!settles.isSettled) await settleUntilDone(key, effect.kind)
        return standing.end()
      }
      standing.end()
      if (!isOurs) {
        // It will not be ours again in this life of the outbox, so nothing more is started.
        stopped = true
        return
      }
      if (stopped) return
      log.warn('shard.effect.failed', { kind: effect.kind, tries, error: failure })
      lane.pausing++
      reckon(lane)
      pump()
      await sleep(clock, backoffMs(tries, backoff), stopping.signal)
      lane.pausing--
      reckon(lane)
      if (stopped) return
      await new Promise<void>((retry) => {
        retries.push({ lane, go: retry })
        pump()
      })
      if (stopped) return
    }
  }

  /** The places of one that is being performed, here and in its lane, given up at its end or as soon as it stands aside. */
  function standIn(lane: Lane): { aside(): void; end(): void } {
    let state: 'in' | 'aside' | 'over' = 'in'
    return {
      aside() {
        if (state !== 'in') return
        state = 'aside'
        performing--
        lane.inside--
        lane.aside++
        lane.pausing++
        reckon(lane)
        queue(lane)
        pump()
      },
      end() {
        if (state === 'in') {
          performing--
          lane.inside--
        }
        if (state === 'aside') {
          lane.aside--
          lane.pausing--
        }
        state = 'over'
        reckon(lane)
      },
    }
  }

  /** It was performed; only its row is still there, because nothing can be written just now. */
  async function settleUntilDone(key: Owed['key'], kind: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await settle(key)
      } catch (error) {
        if (stopped) return
        log.warn('shard.effect.unsettled', { kind, tries, error })
      }
      await sleep(clock, backoffMs(tries, backoff), stopping.signal)
      if (stopped) return
    }
  }

  const isOurs = () => !end.signal.aborted && mayPerform()

  async function failureOf(
    lane: Lane,
    { id, owner, payload }: Owed['effect'],
    about: Pick<Performing, 'isRepeat' | 'settles' | 'aside'>,
  ): Promise<unknown> {
    try {
      await lane.perform(payload as never, { id, owner, reader, signal: end.signal, isOurs, ...about })
      return undefined
    } catch (error) {
      return error ?? new Error('it gave no reason')
    }
  }

  async function allDone(): Promise<void> {
    while (underWay.size > 0) await Promise.allSettled(underWay.keys())
  }

  /** Finds lanes on the record by leaping from one to the next, from where the last search ended and once around. */
  function search(): void {
    unseen = false
    for (const from of searchedTo === undefined ? [undefined] : [searchedTo, undefined]) {
      searchedTo = from
      for (;;) {
        const after = searchedTo === undefined ? undefined : ([searchedTo, Number.POSITIVE_INFINITY] as const)
        const [first] = reader.range(outboxTable, { after, limit: 1 })
        if (!first) break
        const [name] = first.key
        if (!lanes.has(name)) take(name)
        if (unseen) return
        searchedTo = name
      }
    }
    searchedTo = undefined
  }

  function take(name: string): void {
    const lane = laneFor(name)
    if (!lane) return
    lane.more = true
    queue(lane)
  }

  return {
    owe(effects) {
      for (const owed of effects) {
        const [name] = owed.key
        const lane = laneFor(name)
        if (!lane) continue
        // A commit can be read a moment before it is told here.
        if (lane.taken && !isBeyond(owed.key, lane.taken)) continue
        if (lane.more || !hasRoom(lane)) lane.more = true
        else {
          hold(lane, owed)
          lane.taken = owed.key
        }
        queue(lane)
      }
      pump()
    },
    resume() {
      resumedAtCommit = reader.get(commitTable, []) ?? resumedAtCommit
      search()
      pump()
    },
    owedSince() {
      const oldest = [...underWay.values(), ...[...lanes.values()].flatMap(({ waiting }) => waiting[0] ?? [])]
      return oldest.length === 0 ? undefined : Math.min(...oldest.map(({ effect }) => effect.at))
    },
    async stop(graceMs) {
      stopped = true
      stopping.abort()
      for (const { go } of retries.splice(0)) go()
      if (graceMs > 0) await withTimeout(clock, graceMs, allDone(), undefined)
      end.abort()
      await withTimeout(clock, limits.effectCutMs, allDone(), undefined)
    },
  }
}

/** As many as its destination may have at a time are with it, or as many as may be held wait for something else. */
function isFull({ running, aside }: Lane): boolean {
  return running - aside >= limits.effectsPerDestination || aside >= limits.effectsAsidePerLane
}

function isBeyond([, commit, place]: Owed['key'], [, otherCommit, otherPlace]: Owed['key']): boolean {
  return commit > otherCommit || (commit === otherCommit && place > otherPlace)
}
