/** Search by words (BM25): what is kept of a text to find its passages by, and which passages answer best. */
import { knowledge as limits } from '../limits.js'
import { finish, type Steps } from '../steps.js'
import { passagesOf } from './passages.js'
import { wordsOf } from './words.js'

/** The passages a word stands in and how often: place, count, place, count and so on. */
export type Places = readonly number[]

export interface Indexed {
  readonly passages: readonly string[]
  /** How many words each passage has. */
  readonly lengths: readonly number[]
  readonly words: readonly (readonly [word: string, places: Places])[]
}

export type IndexOutcome = Indexed | { readonly problem: string }

export function indexed(text: string): IndexOutcome {
  return finish(indexing(text))
}

/** The same, passage by passage. The problem is the end of a sentence about the text. */
export function* indexing(text: string): Steps<IndexOutcome> {
  if (text.length > limits.textChars) return { problem: `has more than ${limits.textChars} characters` }
  const passages = passagesOf(text)
  const lengths: number[] = []
  const words = new Map<string, number[]>()
  for (const [place, passage] of passages.entries()) {
    const found = wordsOf(passage)
    lengths.push(found.length)
    for (const word of found) {
      const places = words.get(word)
      if (!places) words.set(word, [place, 1])
      else if (places.at(-2) === place) places[places.length - 1]!++
      else places.push(place, 1)
    }
    yield
  }
  if (words.size > limits.wordsPerSource) return { problem: `has more than ${limits.wordsPerSource} different words` }
  return { passages, lengths, words: [...words] }
}

/** All that an agent's sources say, as far as ranking has to know it. */
export interface Corpus {
  /** How many passages and words there are in all. */
  readonly passages: number
  readonly words: number
  placesOf(word: string): Iterable<{ readonly source: string; readonly places: Places }>
  lengthsOf(source: string): readonly number[]
}

export interface Hit {
  readonly source: string
  readonly place: number
  readonly score: number
}

/** How soon more of a word counts no more, and how much longer passages have to say: what everybody takes. */
const saturation = 1.2
const lengthShare = 0.75

/** The best first; of two that answer alike the one that stands first. */
export function ranked(query: string, corpus: Corpus, most: number): Hit[] {
  const scored = new Map<string, Float64Array>()
  const average = corpus.words / Math.max(1, corpus.passages)
  for (const word of new Set(wordsOf(query).slice(0, limits.queryWords))) {
    const found = [...corpus.placesOf(word)]
    const within = found.reduce((sum, { places }) => sum + places.length / 2, 0)
    const rarity = Math.log(1 + (corpus.passages - within + 0.5) / (within + 0.5))
    for (const { source, places } of found) {
      const lengths = corpus.lengthsOf(source)
      const scores = scored.get(source) ?? new Float64Array(lengths.length)
      scored.set(source, scores)
      for (let at = 0; at < places.length; at += 2) {
        const [place, count] = [places[at]!, places[at + 1]!]
        const longer = 1 - lengthShare + (lengthShare * lengths[place]!) / average
        scores[place]! += (rarity * count * (saturation + 1)) / (count + saturation * longer)
      }
    }
  }
  return bestOf(scored, most)
}

/** Most passages never come near the best, so those are not even put in order. */
function bestOf(scored: ReadonlyMap<string, Float64Array>, most: number): Hit[] {
  const best: Hit[] = []
  for (const [source, scores] of scored) {
    for (const [place, score] of scores.entries()) {
      if (score === 0 || (best.length === most && score < best[most - 1]!.score)) continue
      const hit = { source, place, score }
      const behind = best.findIndex((each) => better(hit, each) < 0)
      best.splice(behind < 0 ? best.length : behind, 0, hit)
      best.length = Math.min(best.length, most)
    }
  }
  return best
}

function better(one: Hit, other: Hit): number {
  if (one.score !== other.score) return other.score - one.score
  return one.source === other.source ? one.place - other.place : one.source < other.source ? -1 : 1
}
