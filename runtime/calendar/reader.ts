/** Reads busy times in worker threads: the libraries that read calendars hold an event loop too long. */
import type { BusyRequest, BusyTimes } from '../../core/calendar/busytimes.js'
import { calendar as limits } from '../../core/limits/index.js'
import { createSemaphore } from '../semaphore.js'
import type { Workers } from '../worker/contract.js'

/**
 * The reader answers undefined for an answer that cannot be read. Owners take turns. A bounded number of answers is
 * with the threads at a time, so that calendars do not fill the queue of other work.
 */
export function createCalendarReader(workers: Workers) {
  const slots = createSemaphore({ max: limits.answersBeingRead, maxPerKey: 1 })
  return async (owner: string, input: BusyRequest): Promise<BusyTimes | undefined> => {
    await slots.acquire(owner)?.granted
    try {
      let read: BusyTimes | undefined
      const onPart = (part: BusyTimes | undefined) => {
        read = part
      }
      await workers.run(owner, 'readBusyTimes', { input, onPart })
      return read
    } finally {
      slots.release(owner)
    }
  }
}
