/** Search of facts by words: which of the facts that an agent may use answer a question best? */
import type { Fact } from '../agent/resources/knowledge.js'
import { type Corpus, type Postings, rankPassages } from './ranking.js'
import { tokenize } from './tokenizer.js'

export interface FactHit {
  readonly fact: Fact
  readonly score: number
}

/**
 * An index that grows by one fact at a time, so that a caller may pause between them. A fact is found by its question,
 * its alternates and its answer; a disabled or unconfirmed one is never found.
 */
export interface FactIndex {
  add(fact: Fact): void
  /** Best first. */
  rank(query: string, limit: number): FactHit[]
}

export function createFactIndex(): FactIndex {
  const facts = new Map<string, { readonly fact: Fact; readonly length: number }>()
  const postings = new Map<string, Map<string, number>>()
  let words = 0

  const corpus: Corpus = {
    get passages() {
      return facts.size
    },
    get words() {
      return words
    },
    *postingsOf(word) {
      for (const [source, count] of postings.get(word) ?? []) yield { source, postings: [0, count] satisfies Postings }
    },
    lengthsOf: (source) => [facts.get(source)?.length ?? 0],
  }

  return {
    add(fact) {
      if (fact.enabled === false || fact.confirmed === false) return
      const tokens = tokenize([fact.question, ...(fact.alternates ?? []), fact.answer].join('\n'))
      facts.set(fact.id, { fact, length: tokens.length })
      words += tokens.length
      for (const word of tokens) {
        const counts = postings.get(word) ?? new Map<string, number>()
        postings.set(word, counts.set(fact.id, (counts.get(fact.id) ?? 0) + 1))
      }
    },
    rank: (query, limit) =>
      rankPassages(query, corpus, limit).map(({ source, score }) => ({ fact: facts.get(source)!.fact, score })),
  }
}
