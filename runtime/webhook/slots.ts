/**
 * How many requests are on their way out at a time: in all, and to one host. Those beyond wait in the order they came;
 * hosts take turns, so that one whose calls hang holds its share of the descriptors and nobody else's.
 */
export interface SlotLimits {
  readonly most: number
  readonly mostPerHost: number
}

/** A slot that is waited for. */
export interface Awaited {
  readonly granted: Promise<void>
  /** Gives up waiting; a slot that was granted meanwhile is given back. */
  cancel(): void
}

export interface Slots {
  /** Takes a slot at once, or says what to wait for. Each that was taken or granted is given back once. */
  take(host: string): Awaited | undefined
  give(host: string): void
}

interface Waiter {
  readonly grant: () => void
}

export function openSlots({ most, mostPerHost }: SlotLimits): Slots {
  const taken = new Map<string, number>()
  const waiting = new Map<string, Set<Waiter>>()
  let total = 0

  const takenOf = (host: string) => taken.get(host) ?? 0
  const isFree = (host: string) => total < most && takenOf(host) < mostPerHost

  function count(host: string, change: 1 | -1): void {
    total += change
    const now = takenOf(host) + change
    if (now > 0) taken.set(host, now)
    else taken.delete(host)
  }

  function leave(host: string, waiter: Waiter): boolean {
    const line = waiting.get(host)
    const wasThere = line?.delete(waiter) ?? false
    if (line?.size === 0) waiting.delete(host)
    return wasThere
  }

  /** The host that gets a slot goes to the end of the round. */
  function grantNext(): void {
    for (const [host, line] of waiting) {
      if (!isFree(host)) continue
      const [first] = line
      waiting.delete(host)
      waiting.set(host, line)
      leave(host, first!)
      count(host, 1)
      first!.grant()
      return
    }
  }

  function give(host: string): void {
    count(host, -1)
    grantNext()
  }

  return {
    take(host) {
      if (isFree(host)) {
        count(host, 1)
        return undefined
      }
      let grant = () => {}
      const granted = new Promise<void>((resolve) => {
        grant = resolve
      })
      const waiter = { grant }
      const line = waiting.get(host) ?? new Set()
      waiting.set(host, line.add(waiter))
      return {
        granted,
        cancel() {
          if (!leave(host, waiter)) give(host)
        },
      }
    },
    give,
  }
}
