/** The attempts at one call: repeated only where nothing can have been done, or where a repeat is harmless. */

import { conclude, unknownAfter, type Verdict, waitBeforeNext } from '../../core/tools/verdict.js'
import type { OutsideCall } from '../../core/turn/port.js'
import type { Clock } from '../../runtime/clock.js'
import { sleep } from '../../runtime/time.js'

export interface AttemptRules {
  /** The tool, within a sentence. */
  readonly subject: string
  /** The tool says that a repeat under the same key is harmless. */
  readonly isIdempotent: boolean
  readonly attempt: Pick<OutsideCall, 'signal' | 'isRepeat'>
}

export type Concluded = ReturnType<typeof conclude>

export interface AttemptDeps {
  readonly clock: Pick<Clock, 'now' | 'setTimer'>
  readonly timeScale: number
}

/** `send` makes one attempt. */
export async function makeAttempts(
  send: () => Promise<Verdict>,
  { subject, isIdempotent, attempt: { signal, isRepeat } }: AttemptRules,
  { clock, timeScale }: AttemptDeps,
): Promise<Concluded> {
  if (isRepeat && !isIdempotent) return unknownAfter(subject, 'An attempt was interrupted, and is not repeated.')
  let isInDoubt = isRepeat
  for (let attempts = 1; ; attempts++) {
    const verdict = await send()
    isInDoubt ||= verdict.kind === 'unknown'
    const waitMs = waitBeforeNext(verdict, attempts, isIdempotent, timeScale)
    if (waitMs !== undefined) await sleep(clock, waitMs, signal)
    if (waitMs === undefined || signal.aborted) return conclude(subject, verdict, isInDoubt)
  }
}
