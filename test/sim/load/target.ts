/** A process as a client sees it: it takes commands, may end, and caches lists that it watches. */
import { isRefusal, type Refusal } from '../../../core/errors.js'
import type { Engine } from '../../../runtime/shard/contract.js'
import type { Incarnation } from '../world/life.js'
import type { Timeline } from '../world/timeline.js'
import { list, lists } from './commands.js'
import type { History } from './history.js'

export interface ClientTarget {
  readonly incarnation: Incarnation
  readonly engine: Engine
  /** Reads an owner's list from memory if this process may, and from the owner otherwise. */
  readLocal(owner: string): Promise<void>
}

/** A client's knowledge after one attempt. */
export type Outcome<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** The process ended, or the client's timeout passed. */
  | { readonly kind: 'silent' }

/** One attempt at one process. An answer after the timeout goes to `late`. */
export function attempt<T>(
  { incarnation }: ClientTarget,
  timeline: Timeline,
  patienceMs: number,
  call: () => Promise<T | Refusal>,
  late?: (answer: T) => void,
): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    let timedOut = false
    const rejectLate = () => {
      timedOut = true
      resolve({ kind: 'silent' })
    }
    const cancel = timeline.after(patienceMs, rejectLate)
    incarnation.ended(rejectLate)
    const answered = (answer: T | Refusal) => {
      cancel()
      if (!incarnation.alive()) return
      if (!timedOut) resolve(isRefusal(answer) ? { kind: 'refused', refusal: answer } : { kind: 'answered', answer })
      else if (!isRefusal(answer)) late?.(answer)
    }
    const threw = (error: unknown) => {
      cancel()
      resolve({ kind: 'threw', error })
    }
    incarnation.enter(() => void call().then(answered, threw))
  })
}

interface TargetState {
  readonly tenure: number
  readonly values: readonly string[]
}

export function createTarget(incarnation: Incarnation, engine: Engine, history: History): ClientTarget {
  const states = new Map<string, TargetState>()
  /** Counts the changes seen of each owner, to know whether one came during a read. */
  const changeCounts = new Map<string, number>()

  engine.watch(lists, ([owner], values = []) => {
    changeCounts.set(owner, (changeCounts.get(owner) ?? 0) + 1)
    const tenure = engine.ownershipEpoch(owner)
    if (tenure === undefined) states.delete(owner)
    else states.set(owner, { tenure, values })
  })

  function check(owner: string, values: readonly string[], floor: number): void {
    const count = values.length
    history.read(owner, floor, { values, count, marks: count }, `the memory of ${incarnation.name}`)
  }

  return {
    incarnation,
    engine,
    async readLocal(owner) {
      const tenure = engine.ownershipEpoch(owner)
      const state = states.get(owner)
      if (tenure === undefined) return
      if (state?.tenure === tenure) return check(owner, state.values, history.acknowledgedFloor(owner))
      const before = changeCounts.get(owner)
      const seen = await engine.query(owner, list, { owner })
      if (isRefusal(seen) || changeCounts.get(owner) !== before || engine.ownershipEpoch(owner) !== tenure) return
      states.set(owner, { tenure, values: seen.values })
    },
  }
}
