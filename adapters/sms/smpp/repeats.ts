/**
 * Texts carry no id of their own. A message center that did not hear that one was taken brings it again, and then it must
 * have the id it had; a person who writes the same twice must be heard twice. So a text is taken for a repetition only
 * when its acknowledgement failed, or went out so shortly before the line was lost that it may not have arrived.
 */
import { LRUCache } from 'lru-cache'

export interface RepeatLimits {
  readonly doubtMs: number
  readonly repeatMs: number
  readonly repeatsKept: number
}

export interface Repeats {
  /** The id of a text of this content: that of the one it repeats, or a new one. */
  idFor(content: string, now: number): string
  /** It was acknowledged, or could not be. */
  answered(content: string, id: string, wasAcknowledged: boolean, now: number): void
  lineLost(now: number): void
}

interface Answered {
  readonly content: string
  readonly id: string
  readonly at: number
}

export function openRepeats({ doubtMs, repeatMs, repeatsKept }: RepeatLimits, newId: () => string): Repeats {
  /** Acknowledged a moment ago, oldest first. */
  let recent: Answered[] = []
  const doubtful = new LRUCache<string, Answered>({ maxSize: repeatsKept, sizeCalculation: () => 1 })

  function doubt(answered: Answered, now: number): void {
    doubtful.set(answered.content, { ...answered, at: now })
  }

  return {
    idFor(content, now) {
      const before = doubtful.get(content)
      doubtful.delete(content)
      return before && now - before.at < repeatMs ? before.id : newId()
    },
    answered(content, id, wasAcknowledged, now) {
      if (!wasAcknowledged) return doubt({ content, id, at: now }, now)
      recent.push({ content, id, at: now })
      if (recent.length > repeatsKept || now - recent[0]!.at > 2 * doubtMs) {
        recent = recent.filter(({ at }) => now - at <= doubtMs).slice(-repeatsKept)
      }
    },
    lineLost(now) {
      for (const each of recent) if (now - each.at <= doubtMs) doubt(each, now)
      recent = []
    },
  }
}
