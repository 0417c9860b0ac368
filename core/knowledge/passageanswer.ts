/** Whether the best passage of a search may be quoted as the answer: strict, since a passage was not written as one. */
import { knowledge as limits } from '../limits/index.js'
import { isStatement, leaderOf } from './confidence.js'
import { distinctSearchWords } from './searchwords.js'

/** A passage must have this share of the words of the question, in two sentences one after the other. */
const leastCoverage = 0.8
/** One word is a topic, which a passage may mention by the way. */
const leastWords = 2
const sentenceEnd = /(?<=[.!?。！？])\s+|\n+/u

/** The first of the passages, best first, or none. */
export function confidentPassage<P extends { readonly text: string; readonly score: number }>(
  query: string,
  passages: readonly P[],
): P | undefined {
  const words = distinctSearchWords(query)
  if (words.length < leastWords || words.length > limits.queryWords || isStatement(query)) return undefined
  const best = leaderOf(passages, 0)?.best
  return best && coverageOf(words, best.text) >= leastCoverage ? best : undefined
}

/** The largest share of the words that two neighbouring sentences have. */
function coverageOf(words: readonly string[], text: string): number {
  const sentences = text.split(sentenceEnd).map((sentence) => new Set(distinctSearchWords(sentence)))
  const shares = sentences.map((sentence, at) => {
    const next = sentences[at + 1]
    return words.filter((word) => sentence.has(word) || next?.has(word)).length / words.length
  })
  return Math.max(...shares)
}
