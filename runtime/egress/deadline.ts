/** The deadline of an exchange of one or more requests, which also ends when its caller or the client stops it. */
import type { QueuedSlot, Semaphore } from '../semaphore.js'

export interface Deadline {
  /** Whether the time is up; false if the exchange was stopped earlier. */
  isLate(): boolean
  isStopped(): boolean
  /** Calls the listener once when the time is up or the exchange is stopped; at once if it already is. */
  onStop(listener: () => void): void
  /**
   * Takes a slot, after releasing the one held before. Returns a promise if there is none to take at once: the deadline
   * restarts after the wait, and the promise rejects once the exchange is stopped.
   */
  acquireSlot(slots: Semaphore, host: string): Promise<void> | undefined
  stop(): void
  /** Ends the exchange: nothing is stopped any more. */
  dispose(): void
}

export class ExchangeStopped extends Error {
  override readonly name = 'ExchangeStopped'
}

export function createDeadline(callerSignal: AbortSignal | undefined, totalMs: number): Deadline {
  const listeners: (() => void)[] = []
  let isTimedOut = false
  let isStopped = false
  let releaseSlot: (() => void) | undefined
  let timer = startTimer()

  function startTimer(): NodeJS.Timeout {
    return setTimeout(() => {
      isTimedOut = !isStopped
      stop()
    }, totalMs)
  }

  function stop(): void {
    if (isStopped) return
    isStopped = true
    clearTimeout(timer)
    for (const listener of listeners) listener()
  }

  function onStop(listener: () => void): void {
    if (isStopped) listener()
    else listeners.push(listener)
  }

  async function waitFor({ granted, cancel }: QueuedSlot): Promise<void> {
    try {
      await Promise.race([
        granted,
        new Promise<never>((_resolve, reject) => onStop(() => reject(new ExchangeStopped()))),
      ])
    } catch (error) {
      cancel()
      throw error
    }
    clearTimeout(timer)
    timer = startTimer()
  }

  callerSignal?.addEventListener('abort', stop, { once: true })
  if (callerSignal?.aborted) stop()
  return {
    isLate: () => isTimedOut,
    isStopped: () => isStopped,
    onStop,
    acquireSlot(slots, host) {
      const hold = () => {
        releaseSlot = () => slots.release(host)
      }
      releaseSlot?.()
      releaseSlot = undefined
      const queuedSlot = slots.acquire(host)
      if (queuedSlot) return waitFor(queuedSlot).then(hold)
      hold()
      return undefined
    },
    stop,
    dispose() {
      releaseSlot?.()
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', stop)
    },
  }
}
