/**
 * Deduplicates incoming texts, which have no ids. A message center that missed an acknowledgement sends the text again,
 * and that text must keep its id; a person may also send the same text twice, and both must be delivered. A text
 * therefore counts as a repetition only when its acknowledgement failed, or was sent so shortly before the connection
 * was lost that it may not have arrived.
 */
import { LRUCache } from 'lru-cache'

export interface DedupeLimits {
  readonly unconfirmedMs: number
  readonly repeatMs: number
  readonly retainedRepeats: number
}

export interface Deduplicator {
  /** The id of a text with this content: the id of the text that it repeats, or a new one. */
  idFor(content: string, now: number): string
  /** The text was acknowledged, or could not be. */
  recordAcknowledgement(content: string, id: string, wasAcknowledged: boolean, now: number): void
  connectionLost(now: number): void
}

interface Acknowledged {
  readonly content: string
  readonly id: string
  readonly at: number
}

export function createDeduplicator(
  { unconfirmedMs, repeatMs, retainedRepeats }: DedupeLimits,
  newId: () => string,
): Deduplicator {
  /** Recently acknowledged, oldest first. */
  let recentAcks: Acknowledged[] = []
  const doubtful = new LRUCache<string, Acknowledged>({ maxSize: retainedRepeats, sizeCalculation: () => 1 })

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
      if (recentAcks.length > retainedRepeats || now - recentAcks[0]!.at > 2 * unconfirmedMs) {
        recentAcks = recentAcks.filter(({ at }) => now - at <= unconfirmedMs).slice(-retainedRepeats)
      }
    },
    connectionLost(now) {
      for (const each of recentAcks) if (now - each.at <= unconfirmedMs) markDoubtful(each, now)
      recentAcks = []
    },
  }
}
