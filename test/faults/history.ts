/** The requests of clients and the answers they got, with the times of both. */
import type { Written } from './books.js'
import { type CallResult, isUndecided } from './call.js'

/** One entry that a client wants written, however often it asks. */
export interface Write {
  readonly book: string
  readonly value: string
  /** Absent: the client asks once, and without an answer the outcome stays unknown. */
  readonly id?: string
  readonly beganAt: number
  readonly tries: Try[]
  answer?: Written
  endedAt?: number
}

export interface Try {
  readonly node: string
  readonly how: CallResult
}

export type Outcome = 'acknowledged' | 'unknown' | 'undecided'

export function outcomeOf({ answer, tries }: Write): Outcome {
  if (answer) return 'acknowledged'
  return tries.every(({ how }) => isUndecided(how)) ? 'undecided' : 'unknown'
}

export interface History {
  readonly writes: readonly Write[]
  /** Faults that nothing excuses, each as a sentence. */
  readonly violations: string[]
  begin(book: string, value: string, id?: string): Write
  acknowledged(): readonly Write[]
  /** The longest time, from then on, until a client's write was accepted, in milliseconds. */
  longestWait(since: number): number
  /** Whether every book has accepted a write that began after then. */
  everyBookAccepted(books: readonly string[], since: number): boolean
}

export function openHistory(): History {
  const writes: Write[] = []
  const violations: string[] = []
  return {
    writes,
    violations,
    begin(book, value, id) {
      const write: Write = { book, value, id, beganAt: performance.now(), tries: [] }
      writes.push(write)
      return write
    },
    acknowledged: () => writes.filter(({ answer }) => answer),
    longestWait(since) {
      const retried = writes.filter(({ id, endedAt }) => id !== undefined && (endedAt ?? since) >= since)
      const waits = retried.map(({ beganAt, endedAt = performance.now() }) => endedAt - Math.max(beganAt, since))
      return Math.max(0, ...waits)
    },
    everyBookAccepted(books, since) {
      const took = new Set(writes.filter(({ answer, beganAt }) => answer && beganAt >= since).map(({ book }) => book))
      return books.every((book) => took.has(book))
    },
  }
}
