/** Full-text search with BM25: the index of a text, and the ranking of passages. */
import { knowledge as limits } from '../limits/index.js'
import { runToEnd, type Steps } from '../steps.js'
import { passagesOf } from './passages.js'
import { queryForms } from './queryforms.js'
import { tokenize } from './tokenizer.js'

/** The passages that contain a word, with counts: passage, count, passage, count and so on. */
export type Postings = readonly number[]

export interface IndexedText {
  readonly passages: readonly string[]
  /** The number of words of each passage. */
  readonly lengths: readonly number[]
  readonly words: readonly (readonly [word: string, places: Postings])[]
}

export type IndexOutcome = IndexedText | { readonly problem: string }

export function indexText(text: string): IndexOutcome {
  return runToEnd(indexTextInSteps(text))
}

/** The same, one passage for each step. The problem is the end of a sentence about the text. */
export function* indexTextInSteps(text: string): Steps<IndexOutcome> {
  if (text.length > limits.textChars) return { problem: `has more than ${limits.textChars} characters` }
  const passages = passagesOf(text)
  const lengths: number[] = []
  const words = new Map<string, number[]>()
  for (const [passageIndex, passage] of passages.entries()) {
    const tokens = tokenize(passage)
    lengths.push(tokens.length)
    for (const word of tokens) {
      const postings = words.get(word)
      if (!postings) words.set(word, [passageIndex, 1])
      else if (postings.at(-2) === passageIndex) postings[postings.length - 1]!++
      else postings.push(passageIndex, 1)
    }
    yield
  }
  if (words.size > limits.wordsPerSource) return { problem: `has more than ${limits.wordsPerSource} different words` }
  return { passages, lengths, words: [...words] }
}

/** The index of all sources of an agent, as ranking uses it. */
export interface Corpus {
  /** Totals of passages and words. */
  readonly passages: number
  readonly words: number
  postingsOf(word: string): Iterable<{ readonly source: string; readonly postings: Postings }>
  lengthsOf(source: string): readonly number[]
}

export interface Hit {
  readonly source: string
  readonly passageIndex: number
  readonly score: number
}

/** BM25's parameters k1 and b, with their usual values. */
const saturation = 1.2
const lengthShare = 0.75

/** BM25's weight of a word that `matching` of all `passages` have. */
export function rarityOf(passages: number, matching: number): number {
  return Math.log(1 + (passages - matching + 0.5) / (matching + 0.5))
}

/** BM25's share of a word that occurs `count` times, from 0 to `maxFrequencyShare`. */
export function frequencyShare(count: number, length: number, averageLength: number): number {
  const lengthFactor = 1 - lengthShare + (lengthShare * length) / averageLength
  return (count * maxFrequencyShare) / (count + saturation * lengthFactor)
}

export const maxFrequencyShare = saturation + 1

/** Best first; of equal scores the earlier passage. */
export function rankPassages(query: string, corpus: Corpus, limit: number): Hit[] {
  const scored = new Map<string, Float64Array>()
  const average = corpus.words / Math.max(1, corpus.passages)
  for (const forms of queryForms(query)) {
    const matches = forms.flatMap((form) => [...corpus.postingsOf(form)])
    const matchingPassages = matches.reduce((sum, { postings }) => sum + postings.length / 2, 0)
    const rarity = rarityOf(corpus.passages, matchingPassages)
    for (const { source, postings } of matches) {
      const lengths = corpus.lengthsOf(source)
      const scores = scored.get(source) ?? new Float64Array(lengths.length)
      scored.set(source, scores)
      for (let at = 0; at < postings.length; at += 2) {
        const [passageIndex, count] = [postings[at]!, postings[at + 1]!]
        scores[passageIndex]! += rarity * frequencyShare(count, lengths[passageIndex]!, average)
      }
    }
  }
  return bestHits(scored, limit)
}

/** Keeps only the best `limit` in order: most passages never come near them, and are not asked about. */
export function bestHits(
  scored: ReadonlyMap<string, Float64Array>,
  limit: number,
  isOffered: (passageIndex: number) => boolean = () => true,
): Hit[] {
  const best: Hit[] = []
  for (const [source, scores] of scored) {
    for (const [passageIndex, score] of scores.entries()) {
      const last = best[limit - 1]
      // A passage of the same source with the same score comes behind it.
      if (score === 0 || (last && (score < last.score || (score === last.score && source >= last.source)))) continue
      if (!isOffered(passageIndex)) continue
      const hit = { source, passageIndex, score }
      const insertAt = best.findIndex((each) => compareHits(hit, each) < 0)
      best.splice(insertAt < 0 ? best.length : insertAt, 0, hit)
      best.length = Math.min(best.length, limit)
    }
  }
  return best
}

function compareHits(one: Hit, other: Hit): number {
  if (one.score !== other.score) return other.score - one.score
  return one.source === other.source ? one.passageIndex - other.passageIndex : one.source < other.source ? -1 : 1
}
