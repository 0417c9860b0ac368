/** Lint: everything an operator would want to be told about an agent, in time linear in its document. */
import { type Refusal, refuse } from '../../errors.js'
import type { AgentDocument } from '../document.js'
import { lintDangling, lintItem } from './dangling.js'
import { deskOf, type Finding, type Findings } from './findings.js'
import { lintFlow } from './flow.js'
import { lintFacts, lintGoals, lintRules, lintSettings, lintThings } from './knowledge.js'
import { lintCalls, lintDefaults, lintPlaybook } from './playbooks.js'
import { lintOutreach, lintTemplates } from './templates.js'

export { type LintCode, lintCodes } from './codes.js'
export type { Finding, Findings } from './findings.js'

export function lint(document: AgentDocument): Findings {
  const desk = deskOf(document)
  lintDangling(desk)
  for (const [place, playbook] of document.playbooks.entries()) {
    lintPlaybook(desk, playbook, `playbooks[${place}]`)
    lintFlow(desk, playbook, `playbooks[${place}]`)
  }
  for (const part of [lintDefaults, lintCalls, lintTemplates, lintOutreach]) part(desk)
  for (const part of [lintFacts, lintThings, lintRules, lintGoals, lintSettings]) part(desk)
  return desk.findings
}

/** The findings under one playbook: what is asked of every write of it. */
export function lintOnePlaybook(document: AgentDocument, playbookId: string): Findings {
  const desk = deskOf(document)
  const place = document.playbooks.findIndex(({ id }) => id === playbookId)
  const playbook = document.playbooks[place]
  if (!playbook) return desk.findings
  const at = `playbooks[${place}]`
  lintItem(desk, 'playbooks', playbook, at)
  lintPlaybook(desk, playbook, at)
  lintFlow(desk, playbook, at)
  return desk.findings
}

/** What keeps any flow of the document from running. */
export function flowErrors(document: AgentDocument): Finding[] {
  const desk = deskOf(document)
  for (const [place, playbook] of document.playbooks.entries()) {
    if (!playbook.flow) continue
    lintItem(desk, 'playbooks', playbook, `playbooks[${place}]`)
    lintFlow(desk, playbook, `playbooks[${place}]`)
  }
  return desk.findings.errors.filter(({ code }) => code.startsWith('flow.'))
}

/** The refusal of a playbook whose flow cannot run; undefined when it can. Warnings never refuse. */
export function flowRefusal(document: AgentDocument, playbookId: string): Refusal | undefined {
  return refusalOf(lintOnePlaybook(document, playbookId).errors.filter(({ code }) => code.startsWith('flow.')))
}

export function refusalOf(findings: readonly Finding[]): Refusal | undefined {
  const [first] = findings
  if (!first) return undefined
  const errors = findings.map(({ code, path, message }) => ({ field: path, code, message }))
  return refuse('agent.playbook.flow_invalid', { detail: `${first.path}: ${first.message}`, errors })
}
