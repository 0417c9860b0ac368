/** Lint: everything an operator would want to be told about an agent, in time linear in its document. */
import { type Refusal, refuseFields } from '../../errors.js'
import { finish, paceOf, type Steps } from '../../steps.js'
import { type AgentDocument, type Item, placeOf } from '../document.js'
import { lintDanglingInSteps, lintItem } from './dangling.js'
import { deskOf, type Finding, type Findings } from './findings.js'
import { lintAround, lintFlow } from './flow.js'
import { lintFactsInSteps, lintGoals, lintObjectives, lintRules, lintSettings, lintThingsInSteps } from './knowledge.js'
import { lintCalls, lintDefaults, lintPlaybook } from './playbooks.js'
import { lintOutreach, lintTemplateCircles, lintTemplatesInSteps } from './templates.js'

export { type LintCode, lintCodes } from './codes.js'
export type { Finding, Findings } from './findings.js'

export function lint(document: AgentDocument): Findings {
  return finish(lintInSteps(document))
}

export function* lintInSteps(document: AgentDocument): Steps<Findings> {
  const desk = deskOf(document)
  const isStepOver = paceOf()
  yield* lintDanglingInSteps(desk, isStepOver)
  for (const [place, playbook] of document.playbooks.entries()) {
    yield
    lintPlaybook(desk, playbook, `playbooks[${place}]`)
    lintFlow(desk, playbook, `playbooks[${place}]`)
  }
  for (const part of [lintDefaults, lintCalls]) part(desk)
  yield* lintTemplatesInSteps(desk, isStepOver)
  yield
  lintTemplateCircles(desk)
  yield
  lintOutreach(desk)
  yield* lintFactsInSteps(desk, isStepOver)
  yield* lintThingsInSteps(desk, isStepOver)
  for (const part of [lintRules, lintGoals, lintObjectives, lintSettings]) part(desk)
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

/**
 * Flows that would run but for what is around them. Flows are values, so what was found out of one stays true: a change of
 * anything else in a playbook, or of the agent, judges only what the flow names.
 */
const sound = new WeakSet<object>()

/** What keeps any flow of these playbooks from running, a flow a step; what else they name is not looked for. */
export function* findFlowErrorsInSteps(
  document: AgentDocument,
  playbooks: Iterable<[place: number, playbook: Item<'playbooks'>]>,
): Steps<Finding[]> {
  const desk = deskOf(document)
  for (const [place, playbook] of playbooks) {
    const { flow } = playbook
    if (!flow) continue
    yield
    const at = `playbooks[${place}]`
    const before = desk.findings.errors.length
    lintItem(desk, 'playbooks', { flow }, at)
    if (sound.has(flow)) lintAround(desk, playbook, at)
    else {
      lintFlow(desk, playbook, at)
      if (desk.findings.errors.length === before) sound.add(flow)
    }
  }
  return desk.findings.errors.filter(({ code }) => code.startsWith('flow.'))
}

/** The refusal of a playbook whose flow cannot run; undefined when it can. Warnings never refuse. */
export function flowRefusal(document: AgentDocument, playbookId: string): Refusal | undefined {
  const place = placeOf(document.playbooks, playbookId)
  const playbook = document.playbooks[place]
  return playbook && refusalOf(finish(findFlowErrorsInSteps(document, [[place, playbook]])))
}

export function refusalOf(findings: readonly Finding[]): Refusal | undefined {
  const [first] = findings
  if (!first) return undefined
  const errors = findings.map(({ code, path, message }) => ({ field: path, code, message }))
  return refuseFields('agent.playbook.flow_invalid', errors, `${first.path}: ${first.message}`)
}
