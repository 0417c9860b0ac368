/**
 * Texts carry no id of their own. A message center that did not hear that one was taken brings it again, and then it must
 * have the id it had; a person who writes the same twice must be heard twice. So a text is taken for a repetition only
 * when its acknowledgement failed, or went out so shortly before the line was lost that it may not have arrived.
 */
import { LRUCache } from 'lru-cache'

export interface DedupeLimits {
  readonly unconfirmedMs: number
  readonly repeatMs: number
  readonly repeatsKept: number
}

export interface Deduplicator {
  /** The id of a text of this content: that of the one it repeats, or a new one. */
  idFor(content: string, now: number): string
  /** It was acknowledged, or could not be. */
  recordAcknowledgement(content: string, id: string, wasAcknowledged: boolean, now: number): void
  connectionLost(now: number): void
}

interface Acknowledged {
  readonly content: string
  readonly id: string
  readonly at: number
}

export function createDeduplicator(
  { unconfirmedMs: doubtMs, repeatMs, repeatsKept }: DedupeLimits,
  newId: () => string,
): Deduplicator {
  /** Acknowledged a moment ago, oldest first. */
  let recentAcks: Acknowledged[] = []
  const doubtful = new LRUCache<string, Acknowledged>({ maxSize: repeatsKept, sizeCalculation: () => 1 })

  function markDoubtful(entry: Acknowledged, now: number): void {
    doubtful.set(entry.content, { ...entry, at: now })
  }

  return {
    idFor(content, now) {
      const previous = doubtful.get(content)
      doubtful.delete(content)
      return previous && now - previous.at < repeatMs ? previous.id : newId()
    },
    recordAcknowledgement(content, id, wasAcknowledged, now) {
      if (!wasAcknowledged) return markDoubtful({ content, id, at: now }, now)
      recentAcks.push({ content, id, at: now })
      if (recentAcks.length > repeatsKept || now - recentAcks[0]!.at > 2 * doubtMs) {
        recentAcks = recentAcks.filter(({ at }) => now - at <= doubtMs).slice(-repeatsKept)
      }
    },
    connectionLost(now) {
      for (const each of recentAcks) if (now - each.at <= doubtMs) markDoubtful(each, now)
      recentAcks = []
    },
  }
}
