/** Routing without a model: which playbook a message is for. */
import type { AgentDocument } from '../agent/document.js'
import { createStepBudget, type Steps } from '../steps.js'
import { leaderOf } from './confidence.js'
import { plainQuestion } from './phrasing.js'
import { searchWords } from './searchwords.js'
import { createWordIndex, indexingCost } from './wordindex.js'

type Playbook = AgentDocument['playbooks'][number]

export interface PlaybookHit {
  readonly playbookId: string
  /** From 0 to 1: the share of the score that a playbook could have at best. */
  readonly score: number
}

export interface PlaybookRoute {
  /** Absent when no playbook is clearly meant, or the active one is. */
  readonly entered?: PlaybookHit & { readonly second: number }
  /** The best few, for the record of the turn. */
  readonly ranking: readonly PlaybookHit[]
}

export interface RouteContext {
  /** The active playbook. */
  readonly active?: string | undefined
  /** The outreach that the conversation runs: playbooks of others are never offered. */
  readonly outreachId?: string | undefined
}

export interface PlaybookIndex {
  /** The playbooks with that name, apart from what `plainQuestion` leaves out, in their order. */
  named(text: string): readonly Playbook[]
  /** The words of one playbook's example decide, whatever else they resemble. */
  route(text: string, context: RouteContext): PlaybookRoute
}

/** A smaller agent's words are weighed as if it had so many playbooks. */
const leastPlaybooks = 50
const leastScore = 0.25
const rankedPlaybooks = 5
/** A word of the name counts as if the rest had it so many times. */
const nameFactor = 3

/** Stems that tell when something is to be, and not what. */
const timeWords = new Set(
  (
    'monday tuesday wednesday thursday friday saturday sunday today tonight tomorrow yesterday next last week weekend ' +
    'month day am pm'
  ).split(' '),
)
const number = /^[0-9]+(?:am|pm)?$/

function topicWords(text: string): string[] {
  return searchWords(text).filter((word) => !timeWords.has(word) && !number.test(word))
}

/** One step for several texts. */
export function* indexPlaybooksInSteps({ playbooks }: Pick<AgentDocument, 'playbooks'>): Steps<PlaybookIndex> {
  const isStepOver = createStepBudget()
  const index = createWordIndex(leastPlaybooks)
  const byOpening = new Map<string, Set<Playbook>>()
  const byName = new Map<string, Playbook[]>()
  for (const playbook of playbooks) {
    const name = plainQuestion(playbook.name)
    const named = byName.get(name)
    if (named) named.push(playbook)
    else byName.set(name, [playbook])
    const words: string[] = []
    for (const text of textsOf(playbook)) {
      if (isStepOver(indexingCost(text.length))) yield
      words.push(...topicWords(text))
    }
    index.add(words)
    for (const opening of openingsOf(playbook)) {
      if (isStepOver(indexingCost(opening.length))) yield
      const plain = plainQuestion(opening)
      // A single word may answer many a question.
      if (topicWords(opening).length > 1) byOpening.set(plain, (byOpening.get(plain) ?? new Set()).add(playbook))
    }
  }
  return {
    named: (text) => byName.get(plainQuestion(text)) ?? [],
    route(text, { active, outreachId }) {
      const [meant, ...others] = [...(byOpening.get(plainQuestion(text)) ?? [])].filter((each) =>
        isOfferedIn(each, outreachId),
      )
      if (meant && others.length === 0) {
        const hit = { playbookId: meant.id, score: 1 }
        return { ...(meant.id !== active && { entered: { ...hit, second: 0 } }), ranking: [hit] }
      }
      const words = topicWords(text)
      const best = index.bestScore(words)
      const isOffered = (entry: number) => isOfferedIn(playbooks[entry]!, outreachId)
      const ranking = index
        .rank(words, rankedPlaybooks, isOffered)
        .map(({ entry, score }): PlaybookHit => ({ playbookId: playbooks[entry]!.id, score: score / best }))
      const lead = leaderOf(ranking, leastScore)
      if (!lead || lead.best.playbookId === active) return { ranking }
      return { entered: { ...lead.best, second: lead.second }, ranking }
    },
  }
}

function isOfferedIn(playbook: Playbook, outreachId: string | undefined): boolean {
  return playbook.outreachId === undefined || playbook.outreachId === outreachId
}

function textsOf(playbook: Playbook): string[] {
  const { name, whenToUse = '' } = playbook
  return [...Array.from({ length: nameFactor }, () => name), whenToUse, ...openingsOf(playbook)]
}

/** Of each example the first line of the user: the lines after it answer the agent. */
function openingsOf({ examples = [] }: Playbook): string[] {
  return examples.flatMap((lines) => lines.find(({ role }) => role === 'user')?.content ?? [])
}
