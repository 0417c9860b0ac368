/**
 * The visitor's unrecorded frames, sent one at a time so that their order holds. Saved in the browser's storage where
 * allowed, so that closing the page loses none; frame ids make a repeated send idempotent.
 */
import type { ServerFrame } from '../frames.js'
import type { ChatStorage } from './storage.js'
import type { OutgoingFrame } from './transcript.js'

export interface SavedFrame {
  readonly frame: OutgoingFrame
  /** ISO 8601. */
  readonly at: string
  /** The text of a tap. */
  readonly shown?: string
}

export interface OutboxDeps {
  readonly storage: ChatStorage
  /** In the order of submission. */
  unsent(): readonly OutgoingFrame[]
  send(frame: OutgoingFrame): boolean
  /** No answer within the time limit: the connection is dead even if the socket looks open. */
  onTimeout(): void
}

export interface Outbox {
  save(saved: SavedFrame): void
  /** Frames that an earlier page did not get recorded, oldest first. */
  restore(now: number): SavedFrame[]
  /** Sends the next frame, unless one is in flight. */
  flush(): void
  /** The connection is lost: the frame in flight will be sent again. */
  onDisconnect(): void
  onFrame(frame: ServerFrame): void
}

const prefix = 'said:'
const answerMs = 10_000
const retryMs = 2_000
/** The gateway remembers ids for eight days; an older frame might be recorded twice. */
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
