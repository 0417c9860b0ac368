/** Search of facts: the one asked for word by word, the ones that fit best, and the one that fits beyond doubt. */
import type { AgentDocument } from '../agent/document.js'
import { knowledge as limits } from '../limits/index.js'
import { isStatement, leaderOf, resemblance } from './confidence.js'
import { plainQuestion } from './phrasing.js'
import { distinctSearchWords, searchWords } from './searchwords.js'
import { createWordIndex } from './wordindex.js'

export type Fact = AgentDocument['facts'][number]

export interface FactHit {
  readonly fact: Fact
  readonly score: number
}

export interface ConfidentFact extends FactHit {
  /** The score of the second best fact, 0 without one. */
  readonly second: number
}

/** In place of a playbook's id: facts are found whatever their scope, as an operator finds them. */
export const everyPlaybook = '*'

/**
 * An index that grows by one fact at a time, so that a caller may pause between them. A disabled or unconfirmed fact is
 * never found, nor is one whose scope lacks the playbook; without a playbook, none with a scope. Of several facts with
 * one question the playbook's own is found, else the first.
 */
export interface FactIndex {
  add(fact: Fact): void
  /** The fact whose question or alternate is the text, apart from case, accents, punctuation and courtesies. */
  exact(text: string, playbookId: string | undefined): Fact | undefined
  /** By question, alternates and answer; best first. */
  rank(query: string, playbookId: string | undefined, limit: number): FactHit[]
  /** The fact that answers beyond doubt, by question and alternates alone. Scores are from 0 to 1. */
  confident(query: string, playbookId: string | undefined): ConfidentFact | undefined
}

/** Words of a smaller agent are weighed as if it had so many facts. */
const leastFacts = 100
/** The least score of a question, and of a statement: a report of a problem has many words of a question about it. */
const leastForQuestion = 0.45
const leastForStatement = 0.7
/** Of the facts that share words with a question, so many of the best are compared with it. */
const comparedFacts = 50

interface IndexedFact {
  readonly fact: Fact
  /** The plain form of its question. */
  readonly question: string
  /** The distinct words of the question and of each alternate. */
  readonly wordings: readonly (readonly string[])[]
}

/** Facts by a plain form. */
type PlainWordings = Map<string, Fact[]>

export function createFactIndex(): FactIndex {
  const indexed: IndexedFact[] = []
  const byWordings = createWordIndex(leastFacts)
  const byAllWords = createWordIndex()
  const byQuestion: PlainWordings = new Map()
  const byAlternate: PlainWordings = new Map()

  /** For one search: thousands of facts may have one question, so who answers it is found once. */
  function createOffer(playbookId: string | undefined): (entry: number) => boolean {
    const answering = new Map<string, Fact | undefined>()
    return (entry) => {
      const { fact, question } = indexed[entry]!
      if (!isForPlaybook(fact, playbookId)) return false
      if (playbookId === everyPlaybook || question === '') return true
      if (!answering.has(question)) answering.set(question, factOf(byQuestion, question, playbookId))
      return answering.get(question) === fact
    }
  }

  return {
    add(fact) {
      if (fact.enabled === false || fact.confirmed === false) return
      const texts = [fact.question, ...(fact.alternates ?? [])]
      const wordings = texts.map(searchWords)
      const words = wordings.flat()
      byWordings.add(words)
      byAllWords.add([...words, ...searchWords(fact.answer)])
      const question = plainQuestion(fact.question)
      addWording(byQuestion, question, fact)
      for (const alternate of fact.alternates ?? []) addWording(byAlternate, plainQuestion(alternate), fact)
      indexed.push({ fact, question, wordings: wordings.map((each) => [...new Set(each)]) })
    },
    exact(text, playbookId) {
      const plain = plainQuestion(text)
      return factOf(byQuestion, plain, playbookId) ?? factOf(byAlternate, plain, playbookId)
    },
    rank: (query, playbookId, limit) =>
      byAllWords
        .rank(searchWords(query), limit, createOffer(playbookId))
        .map(({ entry, score }) => ({ fact: indexed[entry]!.fact, score })),
    confident(query, playbookId) {
      const question = distinctSearchWords(query)
      if (question.length > limits.queryWords) return undefined
      const hits = byWordings
        .rank(question, comparedFacts, createOffer(playbookId))
        .map(({ entry }): FactHit => {
          const { fact, wordings } = indexed[entry]!
          const scores = wordings.map((wording) => resemblance(question, wording, byWordings.weightOf))
          return { fact, score: Math.max(...scores) }
        })
        .sort((one, other) => other.score - one.score)
      const lead = leaderOf(hits, isStatement(query) ? leastForStatement : leastForQuestion)
      return lead && { ...lead.best, second: lead.second }
    },
  }
}

/** A wording without words is no question. */
function addWording(facts: PlainWordings, plain: string, fact: Fact): void {
  if (plain === '') return
  const others = facts.get(plain)
  if (others) others.push(fact)
  else facts.set(plain, [fact])
}

/** The fact of the playbook alone, else the first. */
function factOf(facts: PlainWordings, plain: string, playbookId: string | undefined): Fact | undefined {
  let first: Fact | undefined
  for (const fact of facts.get(plain) ?? []) {
    if (!isForPlaybook(fact, playbookId)) continue
    if (fact.scope !== undefined) return fact
    first ??= fact
  }
  return first
}

function isForPlaybook({ scope }: Fact, playbookId: string | undefined): boolean {
  if (scope === undefined || playbookId === everyPlaybook) return true
  return playbookId !== undefined && scope.playbooks.includes(playbookId)
}
