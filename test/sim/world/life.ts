/**
 * One life of a process. Everything from outside enters here, so that a process can be ended (nothing enters any more
 * and its promises stay open for ever) or paused (calls enter later).
 */
import type { Rng } from './rng.js'
import type { Timeline } from './timeline.js'

export interface Answer<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

export interface Incarnation {
  readonly node: string
  /** A new name at every start. */
  readonly name: string
  alive(): boolean
  /** An event from outside: dropped after the end, held during a pause. */
  enter(call: () => void, kind?: 'message' | 'alarm'): void
  /** The process acts on the outside. False after the end: then nothing goes out. */
  reach(): boolean
  /** Sends a request to the outside; the answer enters later, or never. */
  outside<T>(begin: (answer: Answer<T>) => void): Promise<T>
  pause(): void
  resume(): void
  paused(): boolean
  /** Ends the process at once, or after that many more outside actions. */
  end(afterReaching?: number): void
  /** Calls back once at the end. */
  ended(call: () => void): void
}

interface Waiting {
  readonly kind: 'message' | 'alarm'
  readonly call: () => void
}

export interface IncarnationOptions {
  readonly node: string
  readonly name: string
  readonly timeline: Timeline
  readonly rng: Rng
  /** An uncaught exception ends the process; that is always a fault of its program. */
  readonly threw: (error: unknown) => void
}

export function startIncarnation({ node, name, timeline, rng, threw }: IncarnationOptions): Incarnation {
  let over = false
  let isPaused = false
  /** Outside actions left before the end. */
  let fuse = Number.POSITIVE_INFINITY
  let waiting: Waiting[] = []
  const onEnd: (() => void)[] = []

  function enter(call: () => void, kind: Waiting['kind'] = 'message'): void {
    if (over) return
    if (isPaused) {
      waiting.push({ kind, call })
      return
    }
    try {
      call()
    } catch (error) {
      threw(error)
    }
  }

  function reach(): boolean {
    if (over) return false
    if (fuse <= 0) {
      finish()
      return false
    }
    fuse--
    return true
  }

  function finish(): void {
    if (over) return
    over = true
    waiting = []
    for (const farewell of onEnd.splice(0)) farewell()
  }

  return {
    node,
    name,
    alive: () => !over,
    enter,
    reach,
    outside: <T>(begin: (answer: Answer<T>) => void) =>
      new Promise<T>((resolve, reject) => {
        if (!reach()) return
        begin({
          resolve: (value) => enter(() => resolve(value)),
          reject: (error) => enter(() => reject(error as Error)),
        })
      }),
    pause() {
      isPaused = true
    },
    /** Alarms and messages that arrived during a pause: each kind in order, either kind first. */
    resume() {
      if (!isPaused) return
      isPaused = false
      const first = rng.pick(['message', 'alarm'] as const)
      const delivered = waiting
      waiting = []
      const ordered = [
        ...delivered.filter(({ kind }) => kind === first),
        ...delivered.filter(({ kind }) => kind !== first),
      ]
      for (const { kind, call } of ordered) timeline.after(0, () => enter(call, kind))
    },
    paused: () => isPaused,
    end(afterReaching = 0) {
      if (afterReaching === 0) finish()
      else fuse = Math.min(fuse, afterReaching)
    },
    ended(call) {
      if (over) call()
      else onEnd.push(call)
    },
  }
}
