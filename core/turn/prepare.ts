/** An agent prepared for turns: its document with the indexes that turns search, built once for a version of it. */
import type { AgentDocument } from '../agent/index.js'
import { indexKnowledgeInSteps, type KnowledgeIndex } from '../knowledge/agentindex.js'
import { indexPlaybooksInSteps, type PlaybookIndex } from '../knowledge/playbookindex.js'
import { createStepBudget, type Steps } from '../steps.js'
import { addHardValues, type HardValues } from './grounding.js'

export interface PreparedAgent {
  readonly document: AgentDocument
  readonly digest: string
  readonly knowledge: KnowledgeIndex
  readonly playbooks: PlaybookIndex
  /** Addresses and numbers that stand anywhere in the document. */
  readonly hardValues: HardValues
}

/** In steps, since a document may hold thousands of facts. */
export function* prepareAgentInSteps(document: AgentDocument, digest: string): Steps<PreparedAgent> {
  const knowledge = yield* indexKnowledgeInSteps(document)
  const playbooks = yield* indexPlaybooksInSteps(document)
  const hardValues = new Set<string>()
  const isStepOver = createStepBudget()
  for (const text of textsIn(document)) {
    addHardValues(hardValues, text)
    if (isStepOver(text.length)) yield
  }
  return { document, digest, knowledge, playbooks, hardValues }
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* textsIn(each)
}
