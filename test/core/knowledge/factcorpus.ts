/** Facts with questions that people ask about them, for measurements of search and of confident answers. */
import { type AgentDocument, emptyDocument } from '../../../core/agent/index.js'

export interface FactCorpus {
  /** Id, question, alternates. */
  readonly facts: readonly (readonly [id: string, question: string, ...alternates: string[]])[]
  /** Other wordings of their questions. */
  readonly questions: readonly (readonly [factId: string, text: string])[]
  /** What none of the facts answers. */
  readonly unrelated: readonly string[]
}

export type Fact = AgentDocument['facts'][number]
export type Thing = AgentDocument['things'][number]
export type Playbook = AgentDocument['playbooks'][number]

export function factsOf({ facts }: FactCorpus): Fact[] {
  return facts.map(([id, question, ...alternates]) => ({ id, question, alternates, answer: `About ${id}.` }))
}

export function documentOf(parts: Partial<AgentDocument>): AgentDocument {
  return { ...emptyDocument, ...parts }
}
