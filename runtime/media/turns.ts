/** Lets so many run at a time, and so many of one kind; the others wait in the order in which they came. */

export interface Turns {
  /**
   * Resolves when it is this one's turn, with the function that ends it; with undefined when that is not within the time.
   * Rejects with the signal's reason when it fires.
   */
  take(kind: string, signal: AbortSignal, withinMs: number): Promise<(() => void) | undefined>
}

interface Waiting {
  readonly kind: string
  begin(): void
}

export function openTurns(most: { readonly total: number; readonly perKind: number }): Turns {
  const running = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let total = 0

  const ofKind = (kind: string) => running.get(kind) ?? 0

  function count(kind: string, by: 1 | -1): void {
    total += by
    if (ofKind(kind) + by === 0) running.delete(kind)
    else running.set(kind, ofKind(kind) + by)
  }

  function look(): void {
    for (const each of waiting) {
      if (total >= most.total) return
      if (ofKind(each.kind) >= most.perKind) continue
      waiting.delete(each)
      count(each.kind, 1)
      each.begin()
    }
  }

  return {
    take(kind, signal, withinMs) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        function quit(): void {
          clearTimeout(timer)
          signal.removeEventListener('abort', leave)
          waiting.delete(each)
        }
        function leave(): void {
          quit()
          reject(signal.reason)
        }
        const timer = setTimeout(() => {
          quit()
          resolve(undefined)
        }, withinMs)
        const each: Waiting = {
          kind,
          begin() {
            quit()
            let over = false
            resolve(() => {
              if (over) return
              over = true
              count(kind, -1)
              look()
            })
          },
        }
        signal.addEventListener('abort', leave, { once: true })
        waiting.add(each)
        look()
      })
    },
  }
}
