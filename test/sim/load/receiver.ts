/** The receiver of effects over an unreliable connection; it drops ids that it has seen, as every receiver must. */
import type { Incarnation } from '../world/life.js'
import type { Line } from '../world/line.js'
import type { Rng } from '../world/rng.js'
import type { Timeline } from '../world/timeline.js'

export interface Receiver {
  /** Resolves when the receiver has acknowledged; a rejection leaves the outcome unknown. */
  deliver(incarnation: Incarnation, id: string, what: string, signal: AbortSignal): Promise<void>
  /** The accepted effects in order, without repeats. */
  accepted(): readonly string[]
  /** Every id that arrived, with its content. */
  ids(): ReadonlyMap<string, string>
}

const wayMs = [0.5, 30] as const
const noAnswerMs = 400

export function openReceiver(
  timeline: Timeline,
  rng: Rng,
  line: Line,
  options: { dropsRepeats: boolean; addViolation: (sentence: string) => void },
): Receiver {
  const seen = new Map<string, string>()
  const accepted: string[] = []

  function accept(id: string, what: string): void {
    const before = seen.get(id)
    if (before !== undefined && before !== what)
      options.addViolation(`the effect id ${id} stood for ${before} and then ${what}`)
    if (before === undefined || !options.dropsRepeats) accepted.push(what)
    seen.set(id, what)
  }

  return {
    deliver: (incarnation, id, what, signal) =>
      incarnation.outside<void>(({ resolve, reject }) => {
        const arrives = line.arrives()
        const answers = line.answers()
        const abort = () => reject(new Error('the delivery was broken off'))
        signal.addEventListener('abort', abort, { once: true })
        timeline.after(rng.between(...wayMs), () => {
          if (arrives) accept(id, what)
        })
        timeline.after(rng.between(...wayMs) + (arrives && answers ? wayMs[1] : noAnswerMs), () => {
          signal.removeEventListener('abort', abort)
          if (arrives && answers) resolve(undefined)
          else reject(new Error('the simulated receiver did not answer'))
        })
      }),
    accepted: () => accepted,
    ids: () => seen,
  }
}
