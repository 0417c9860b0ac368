/** When a match is sure enough to be answered without a model: strict, since a wrong answer costs more than none. */
import { plainWords } from './phrasing.js'

/** The best match must have at least this many times the score of the second. */
const leadOverSecond = 1.5

export interface Lead<H> {
  readonly best: H
  /** The score of the second, 0 without one. */
  readonly second: number
}

/** The first of the hits, best first, if it has the least score and a clear lead. */
export function leaderOf<H extends { readonly score: number }>(hits: readonly H[], least: number): Lead<H> | undefined {
  const [best, other] = hits
  const second = other?.score ?? 0
  return best && best.score >= least && best.score >= leadOverSecond * second ? { best, second } : undefined
}

/**
 * How far two wordings ask the same, from 0 to 1: the share of the question that the wording has, times the share of
 * the wording that the question has, by weight. Unlike the score of BM25 it does not grow with the number of facts.
 */
export function resemblance(
  question: readonly string[],
  wording: readonly string[],
  weightOf: (word: string) => number,
): number {
  const weightOfAll = (words: readonly string[]) => words.reduce((sum, word) => sum + weightOf(word), 0)
  const shared = weightOfAll(wording.filter((word) => question.includes(word)))
  return shared === 0 ? 0 : (shared / weightOfAll(question)) * (shared / weightOfAll(wording))
}

const beforeStatements = new Set('hi hello hey ok okay please sorry well so and but'.split(' '))
const subjects = new Set(
  (
    'i im ive ill id my we weve our the there theres your you youre he hes she shes it its they theyre a this ' +
    'someone somebody'
  ).split(' '),
)

/** Whether a text is a statement and no question, by its first words: "My room has no towels" is no question. */
export function isStatement(text: string): boolean {
  if (text.includes('?')) return false
  const first = plainWords(text).find((word) => !beforeStatements.has(word))
  return first !== undefined && subjects.has(first)
}
