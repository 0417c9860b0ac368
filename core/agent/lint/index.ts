/** Lint: all findings about an agent for its operator, in time linear in its document. */
import { type Refusal, refuseFields } from '../../errors.js'
import { createStepBudget, runToEnd, type Steps } from '../../steps.js'
import { type AgentDocument, type Item, itemIndexOf } from '../document.js'
import { hasVoice, noVoice } from '../voice.js'
import { addFinding, createLintContext, type Finding, type Findings } from './findings.js'
import { lintFlow, lintFlowContext } from './flow.js'
import { lintFactsInSteps, lintGoals, lintObjectives, lintRules, lintSettings, lintThingsInSteps } from './knowledge.js'
import { lintCalls, lintDefaults, lintPlaybook } from './playbooks.js'
import { lintDanglingInSteps, lintItem } from './references.js'
import { lintOutreach, lintTemplateCycles, lintTemplatesInSteps } from './templates.js'

export { type LintCode, lintCodes } from './codes.js'
export type { Finding, Findings } from './findings.js'

export interface LintOptions {
  /** The agent has no webhook, so it has to answer by itself. */
  readonly isManaged?: boolean
}

export function lint(document: AgentDocument, options: LintOptions = {}): Findings {
  return runToEnd(lintInSteps(document, options))
}

export function* lintInSteps(document: AgentDocument, { isManaged = false }: LintOptions = {}): Steps<Findings> {
  const context = createLintContext(document)
  const isStepOver = createStepBudget()
  yield* lintDanglingInSteps(context, isStepOver)
  for (const [index, playbook] of document.playbooks.entries()) {
    yield
    lintPlaybook(context, playbook, `playbooks[${index}]`)
    lintFlow(context, playbook, `playbooks[${index}]`)
  }
  for (const lintSection of [lintDefaults, lintCalls]) lintSection(context)
  yield* lintTemplatesInSteps(context, isStepOver)
  yield
  lintTemplateCycles(context)
  yield
  lintOutreach(context)
  yield* lintFactsInSteps(context, isStepOver)
  yield* lintThingsInSteps(context, isStepOver)
  for (const lintSection of [lintRules, lintGoals, lintObjectives, lintSettings]) lintSection(context)
  if (isManaged && !hasVoice(document)) addFinding(context, 'agent.voice.missing', 'playbooks', noVoice)
  return context.findings
}

/** The findings of one playbook: checked at every write of it. */
export function lintOnePlaybook(document: AgentDocument, playbookId: string): Findings {
  const context = createLintContext(document)
  const index = document.playbooks.findIndex(({ id }) => id === playbookId)
  const playbook = document.playbooks[index]
  if (!playbook) return context.findings
  const at = `playbooks[${index}]`
  lintItem(context, 'playbooks', playbook, at)
  lintPlaybook(context, playbook, at)
  lintFlow(context, playbook, at)
  return context.findings
}

/**
 * Flows without errors of their own. Flows are immutable, so a cached result stays valid: after any other change of the
 * playbook or the agent only the references of the flow are checked.
 */
const validFlows = new WeakSet<object>()

/**
 * The errors that keep a flow of these playbooks from running, one step for each flow; other references are not
 * checked.
 */
export function* findFlowErrorsInSteps(
  document: AgentDocument,
  playbooks: Iterable<[place: number, playbook: Item<'playbooks'>]>,
): Steps<Finding[]> {
  const context = createLintContext(document)
  for (const [index, playbook] of playbooks) {
    const { flow } = playbook
    if (!flow) continue
    yield
    const at = `playbooks[${index}]`
    const before = context.findings.errors.length
    lintItem(context, 'playbooks', { flow }, at)
    if (validFlows.has(flow)) lintFlowContext(context, playbook, at)
    else {
      lintFlow(context, playbook, at)
      if (context.findings.errors.length === before) validFlows.add(flow)
    }
  }
  return context.findings.errors.filter(({ code }) => code.startsWith('flow.'))
}

/** The refusal of a playbook whose flow cannot run; undefined when it can. Warnings never refuse. */
export function flowRefusal(document: AgentDocument, playbookId: string): Refusal | undefined {
  const index = itemIndexOf(document.playbooks, playbookId)
  const playbook = document.playbooks[index]
  return playbook && refusalOf(runToEnd(findFlowErrorsInSteps(document, [[index, playbook]])))
}

export function refusalOf(findings: readonly Finding[]): Refusal | undefined {
  const [first] = findings
  if (!first) return undefined
  const errors = findings.map(({ code, path, message }) => ({ field: path, code, message }))
  return refuseFields('agent.playbook.flow_invalid', errors, `${first.path}: ${first.message}`)
}
