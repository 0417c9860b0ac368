/**
 * What was said and is not on record yet, sent one at a time so that it is heard in the order in which it was said. It is
 * kept where the browser allows it, so that closing the page loses nothing; ids make sending it twice the same as once.
 */
import type { ServerFrame } from '../frames.js'
import type { Memory } from './memory.js'
import type { SaidByPage } from './transcript.js'

export interface Kept {
  readonly frame: SaidByPage
  /** ISO 8601. */
  readonly at: string
  /** What a tap reads as. */
  readonly shown?: string
}

export interface OutboxEnds {
  readonly memory: Memory
  /** In the order in which it was said. */
  unsent(): readonly SaidByPage[]
  send(frame: SaidByPage): boolean
  /** Nobody answered: the line is dead, whatever it says of itself. */
  unanswered(): void
}

export interface Outbox {
  keep(kept: Kept): void
  /** What an earlier page left behind, the oldest first. */
  left(now: number): Kept[]
  /** Sends what is next, unless something is on its way. */
  flush(): void
  /** The line was lost: what was on its way goes again. */
  broken(): void
  told(frame: ServerFrame): void
}

const prefix = 'said:'
const answerMs = 10_000
const againMs = 2_000
/** The gateway knows the ids of eight days; what is older might be taken twice. */
const keptMs = 7 * 24 * 60 * 60 * 1000

export function openOutbox({ memory, unsent, send, unanswered }: OutboxEnds): Outbox {
  let onItsWay: string | undefined
  let wait: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    const [frame] = unsent()
    if (onItsWay !== undefined || !frame || !send(frame)) return
    onItsWay = frame.id
    clearTimeout(wait)
    wait = setTimeout(unanswered, answerMs)
  }

  function settle(): void {
    clearTimeout(wait)
    onItsWay = undefined
  }

  return {
    flush,
    keep: (kept) => memory.write(prefix + kept.frame.id, JSON.stringify(kept)),
    left(now) {
      const found = memory.names().filter((name) => name.startsWith(prefix))
      const all = found.flatMap((name) => {
        const kept = readKept(memory.read(name))
        if (kept && now - Date.parse(kept.at) < keptMs) return [kept]
        memory.write(name, undefined)
        return []
      })
      return all.sort((a, b) => a.at.localeCompare(b.at))
    },
    broken: settle,
    told(frame) {
      if (frame.type === 'accepted' || frame.type === 'said') memory.write(prefix + frame.id, undefined)
      if (frame.type === 'error' && frame.id !== undefined && frame.code === 'invalidFrame')
        memory.write(prefix + frame.id, undefined)
      if (frame.type !== 'accepted' && frame.type !== 'error') return
      if (frame.id !== onItsWay) return
      settle()
      if (frame.type === 'error' && frame.code !== 'invalidFrame') {
        onItsWay = frame.id
        wait = setTimeout(() => {
          settle()
          flush()
        }, frame.retryAfterMs ?? againMs)
      } else flush()
    },
  }
}

function readKept(text: string | undefined): Kept | undefined {
  try {
    const kept = JSON.parse(text ?? 'null') as Kept | null
    return kept?.frame?.id && kept.at ? kept : undefined
  } catch {
    return undefined
  }
}
