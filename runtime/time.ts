/** Sleep and timeout on an injected clock. */
import type { Clock } from './clock.js'

type Timer = Pick<Clock, 'now' | 'setTimer'>

/** Resolves after `ms`, or as soon as the signal fires. */
export function sleep(clock: Timer, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const cancel = clock.setTimer(clock.now() + ms, done)
    function done(): void {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
  })
}

/**
 * Settles like the work, or resolves with `late` after `ms`. The work is not cancelled; its later result is ignored.
 */
export function withTimeout<T, const L>(clock: Timer, ms: number, work: PromiseLike<T>, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimer(clock.now() + ms, () => resolve(late))
    work.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error: unknown) => {
        cancel()
        reject(error)
      },
    )
  })
}
