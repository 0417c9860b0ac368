/** Virtual time: events in order, each followed by everything that it set in motion. */

export interface Timeline {
  /** Milliseconds since the world began. */
  now(): number
  /** Calls back after that long; the returned function cancels it. */
  after(ms: number, call: () => void): () => void
  sleep(ms: number): Promise<void>
  /** Runs event after event until `done` holds after one, or that long has passed; returns whether it held. */
  run(ms: number, done?: () => boolean): Promise<boolean>
  events(): number
}

interface Event {
  readonly at: number
  readonly order: number
  call: (() => void) | undefined
}

export function openTimeline(): Timeline {
  const heap: Event[] = []
  let now = 0
  let made = 0
  let ran = 0

  function after(ms: number, call: () => void): () => void {
    const event: Event = { at: now + Math.max(0, ms), order: made++, call }
    push(heap, event)
    return () => {
      event.call = undefined
    }
  }

  return {
    now: () => now,
    after,
    sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
    async run(ms, done = () => false) {
      const end = now + ms
      await drainMicrotasks()
      while (!done()) {
        const next = heap[0]
        if (!next || next.at > end) {
          now = end
          return done()
        }
        pop(heap)
        if (!next.call) continue
        now = next.at
        ran++
        next.call()
        await drainMicrotasks()
      }
      return true
    },
    events: () => ran,
  }
}

/** A turn of the real event loop comes only when no promise is pending. */
function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1
  while (at > 0) {
    const above = (at - 1) >> 1
    if (!isBefore(event, heap[above]!)) break
    heap[at] = heap[above]!
    at = above
  }
  heap[at] = event
}

function pop(heap: Event[]): void {
  const moved = heap.pop()!
  if (heap.length === 0) return
  let at = 0
  for (;;) {
    let below = at * 2 + 1
    if (below >= heap.length) break
    if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++
    if (!isBefore(heap[below]!, moved)) break
    heap[at] = heap[below]!
    at = below
  }
  heap[at] = moved
}
