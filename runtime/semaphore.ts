/**
 * A keyed semaphore: bounds concurrent work in total and per key, such as a host or an org. Requests beyond the bounds
 * wait, first come first served within a key; keys take turns, and a key that just got a slot goes behind all others.
 */
import type { Clock } from './clock.js'
import { sleep } from './time.js'

export interface SemaphoreLimits {
  readonly max: number
  readonly maxPerKey: number
}

/** A wait for a slot. */
export interface QueuedSlot {
  readonly granted: Promise<void>
  /** Stops waiting; releases a slot that was granted meanwhile. */
  cancel(): void
}

export interface Semaphore {
  /** Takes a slot at once, or returns the wait for one. Each slot that was taken or granted must be released once. */
  acquire(key: string): QueuedSlot | undefined
  release(key: string): void
  /** The number of waits, in total or for one key. */
  waiting(key?: string): number
}

export function createSemaphore({ max, maxPerKey }: SemaphoreLimits): Semaphore {
  const slotsInUse = new Map<string, number>()
  /** Keys with waits, in the order of their turns. */
  const queues = new Map<string, Set<() => void>>()
  let total = 0

  const slotsInUseOf = (key: string) => slotsInUse.get(key) ?? 0
  const isFree = (key: string) => total < max && slotsInUseOf(key) < maxPerKey

  function count(key: string, change: 1 | -1): void {
    total += change
    const now = slotsInUseOf(key) + change
    if (now > 0) slotsInUse.set(key, now)
    else slotsInUse.delete(key)
  }

  function dequeue(key: string, grant: () => void): boolean {
    const queue = queues.get(key)
    const wasQueued = queue?.delete(grant) ?? false
    if (queue?.size === 0) queues.delete(key)
    return wasQueued
  }

  function moveToBack(key: string): void {
    const queue = queues.get(key)
    queues.delete(key)
    if (queue) queues.set(key, queue)
  }

  /** One slot was released, so at most one wait can be granted. */
  function grantNext(): void {
    for (const [key, queue] of queues) {
      if (!isFree(key)) continue
      const [grant] = queue
      moveToBack(key)
      dequeue(key, grant!)
      count(key, 1)
      return grant!()
    }
  }

  function release(key: string): void {
    count(key, -1)
    moveToBack(key)
    grantNext()
  }

  return {
    acquire(key) {
      if (isFree(key)) {
        count(key, 1)
        return undefined
      }
      let grant = () => {}
      const granted = new Promise<void>((resolve) => {
        grant = resolve
      })
      queues.set(key, (queues.get(key) ?? new Set()).add(grant))
      return {
        granted,
        cancel() {
          if (!dequeue(key, grant)) release(key)
        },
      }
    },
    release,
    waiting(key) {
      if (key !== undefined) return queues.get(key)?.size ?? 0
      return [...queues.values()].reduce((sum, { size }) => sum + size, 0)
    },
  }
}

/**
 * Waits for a slot and returns the function that releases it; further calls of that function have no effect. Undefined
 * when there was no slot within `ms`. Rejects with the signal's reason when the signal fires.
 */
export async function acquireWithin(
  semaphore: Semaphore,
  key: string,
  {
    clock,
    ms,
    signal,
  }: { readonly clock: Pick<Clock, 'now' | 'setTimer'>; readonly ms: number; readonly signal: AbortSignal },
): Promise<(() => void) | undefined> {
  signal.throwIfAborted()
  const slot = semaphore.acquire(key)
  if (slot && !(await isGrantedWithin(slot, clock, ms, signal))) {
    slot.cancel()
    signal.throwIfAborted()
    return undefined
  }
  let isAcquired = true
  return () => {
    if (isAcquired) semaphore.release(key)
    isAcquired = false
  }
}

async function isGrantedWithin(
  { granted }: QueuedSlot,
  clock: Pick<Clock, 'now' | 'setTimer'>,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController()
  const end = () => over.abort()
  signal.addEventListener('abort', end, { once: true })
  const isGranted = await Promise.race([granted.then(() => true), sleep(clock, ms, over.signal).then(() => false)])
  signal.removeEventListener('abort', end)
  end()
  return isGranted
}
