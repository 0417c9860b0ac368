/** An index in memory of entries by their words, ranked by BM25. */
import { knowledge as limits } from '../limits/index.js'
import { itemCost } from '../steps.js'
import { bestHits, frequencyShare, maxFrequencyShare, rarityOf } from './ranking.js'

export interface EntryHit {
  /** The number of the entry, in the order in which entries were added, from 0. */
  readonly entry: number
  readonly score: number
}

/** Grows by one entry at a time, so that a caller may pause between them. Scores of one index are comparable. */
export interface WordIndex {
  add(words: readonly string[]): void
  /** Best first; of equal scores the earlier entry. Words beyond `knowledge.queryWords` are ignored. */
  rank(words: readonly string[], limit: number, isOffered?: (entry: number) => boolean): EntryHit[]
  /** How much a word tells: the more, the fewer entries have it. */
  weightOf(word: string): number
  /** The score that no entry can exceed. */
  bestScore(words: readonly string[]): number
}

/**
 * `leastEntries`: a smaller index is weighed as one of so many entries, since a word that all of three entries have is
 * still not a common word.
 */
export function createWordIndex(leastEntries = 0): WordIndex {
  /** By word: entry, count, entry, count and so on. */
  const postings = new Map<string, number[]>()
  const lengths: number[] = []
  let words = 0

  function weightOf(word: string): number {
    return rarityOf(Math.max(leastEntries, lengths.length), (postings.get(word)?.length ?? 0) / 2)
  }

  function scoresOf(query: readonly string[]): Float64Array {
    const scores = new Float64Array(lengths.length)
    const average = words / Math.max(1, lengths.length)
    for (const word of query) {
      const found = postings.get(word) ?? []
      const weight = weightOf(word)
      for (let at = 0; at < found.length; at += 2) {
        const entry = found[at]!
        scores[entry]! += weight * frequencyShare(found[at + 1]!, lengths[entry]!, average)
      }
    }
    return scores
  }

  return {
    add(added) {
      const entry = lengths.push(added.length) - 1
      words += added.length
      for (const word of added) {
        const found = postings.get(word)
        if (!found) postings.set(word, [entry, 1])
        else if (found.at(-2) === entry) found[found.length - 1]!++
        else found.push(entry, 1)
      }
    },
    rank(query, limit, isOffered) {
      const hits = bestHits(new Map([['', scoresOf(firstWords(query))]]), limit, isOffered)
      return hits.map(({ passageIndex, score }) => ({ entry: passageIndex, score }))
    },
    weightOf,
    bestScore: (query) => firstWords(query).reduce((sum, word) => sum + weightOf(word) * maxFrequencyShare, 0),
  }
}

function firstWords(words: readonly string[]): readonly string[] {
  return [...new Set(words)].slice(0, limits.queryWords)
}

/** What indexing a text costs a step, which is counted in characters that are only read. */
export function indexingCost(chars: number): number {
  return itemCost + chars * 8
}
