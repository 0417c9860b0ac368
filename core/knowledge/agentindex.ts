/** The index of what an agent's document knows, its facts and things: built once for a document, in steps. */
import type { AgentDocument } from '../agent/document.js'
import { createStepBudget, type Steps } from '../steps.js'
import { type ConfidentFact, createFactIndex, type Fact, type FactHit } from './facts.js'
import { createThingIndex, type Thing, type ThingHit } from './things.js'
import { indexingCost } from './wordindex.js'

/** Each answer takes time linear in the text, and for facts the rules of `FactIndex` hold. */
export interface KnowledgeIndex {
  exactFact(text: string, playbookId: string | undefined): Fact | undefined
  facts(query: string, playbookId: string | undefined, limit: number): readonly FactHit[]
  things(query: string, limit: number): readonly ThingHit[]
  confidentFact(query: string, playbookId: string | undefined): ConfidentFact | undefined
}

export function* indexKnowledgeInSteps(document: Pick<AgentDocument, 'facts' | 'things'>): Steps<KnowledgeIndex> {
  const isStepOver = createStepBudget()
  const factIndex = createFactIndex()
  for (const fact of document.facts) {
    if (isStepOver(indexingCost(charsOfFact(fact)))) yield
    factIndex.add(fact)
  }
  const thingIndex = createThingIndex()
  for (const thing of document.things) {
    if (isStepOver(indexingCost(charsOfThing(thing)))) yield
    thingIndex.add(thing)
  }
  return {
    exactFact: factIndex.exact,
    facts: factIndex.rank,
    things: thingIndex.rank,
    confidentFact: factIndex.confident,
  }
}

function charsOfFact({ question, alternates = [], answer }: Fact): number {
  return question.length + alternates.reduce((sum, each) => sum + each.length, 0) + answer.length
}

function charsOfThing({ name, description = '', metadata = {} }: Thing): number {
  return name.length + description.length + Object.values(metadata).reduce((sum, each) => sum + each.length, 0)
}
