/**
 * What was said and is not on record yet, sent one at a time so that it is heard in the order in which it was said. It is
 * kept where the browser allows it, so that closing the page loses nothing; ids make sending it twice the same as once.
 */
import type { ServerFrame } from '../frames.js'
import type { ChatStorage } from './storage.js'
import type { OutgoingFrame } from './transcript.js'

export interface SavedFrame {
  readonly frame: OutgoingFrame
  /** ISO 8601. */
  readonly at: string
  /** What a tap reads as. */
  readonly shown?: string
}

export interface OutboxDeps {
  readonly storage: ChatStorage
  /** In the order in which it was said. */
  unsent(): readonly OutgoingFrame[]
  send(frame: OutgoingFrame): boolean
  /** Nobody answered: the line is dead, whatever it says of itself. */
  onTimeout(): void
}

export interface Outbox {
  save(saved: SavedFrame): void
  /** What an earlier page left behind, the oldest first. */
  restore(now: number): SavedFrame[]
  /** Sends what is next, unless something is on its way. */
  flush(): void
  /** The line was lost: what was on its way goes again. */
  onDisconnect(): void
  onFrame(frame: ServerFrame): void
}

const prefix = 'said:'
const answerMs = 10_000
const retryMs = 2_000
/** The gateway knows the ids of eight days; what is older might be taken twice. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000

export function createOutbox({ storage, unsent, send, onTimeout }: OutboxDeps): Outbox {
  let inFlight: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    const [frame] = unsent()
    if (inFlight !== undefined || !frame || !send(frame)) return
    inFlight = frame.id
    clearTimeout(timer)
    timer = setTimeout(onTimeout, answerMs)
  }

  function clearInFlight(): void {
    clearTimeout(timer)
    inFlight = undefined
  }

  return {
    flush,
    save: (saved) => storage.write(prefix + saved.frame.id, JSON.stringify(saved)),
    restore(now) {
      const names = storage.names().filter((name) => name.startsWith(prefix))
      const all = names.flatMap((name) => {
        const saved = parseSaved(storage.read(name))
        if (saved && now - Date.parse(saved.at) < maxAgeMs) return [saved]
        storage.write(name, undefined)
        return []
      })
      return all.sort((a, b) => a.at.localeCompare(b.at))
    },
    onDisconnect: clearInFlight,
    onFrame(frame) {
      if (frame.type === 'accepted' || frame.type === 'said') storage.write(prefix + frame.id, undefined)
      if (frame.type === 'error' && frame.id !== undefined && frame.code === 'invalidFrame')
        storage.write(prefix + frame.id, undefined)
      if (frame.type !== 'accepted' && frame.type !== 'error') return
      if (frame.id !== inFlight) return
      clearInFlight()
      if (frame.type === 'error' && frame.code !== 'invalidFrame') {
        inFlight = frame.id
        timer = setTimeout(() => {
          clearInFlight()
          flush()
        }, frame.retryAfterMs ?? retryMs)
      } else flush()
    },
  }
}

function parseSaved(text: string | undefined): SavedFrame | undefined {
  try {
    const saved = JSON.parse(text ?? 'null') as SavedFrame | null
    return saved?.frame?.id && saved.at ? saved : undefined
  } catch {
    return undefined
  }
}
