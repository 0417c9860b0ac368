/** Lints one flow, step by step and slot by slot. */

import { agentLimits } from '../../limits/index.js'
import type { Item } from '../document.js'
import { isStale } from '../flows/bodyhash.js'
import { readPredicate } from '../flows/predicates.js'
import {
  type AnyFlow,
  type AnyStep,
  capabilityTools,
  collectedSlots,
  handoffPlaybookId,
  indexesById,
  kindOf,
  readAction,
  stepText,
  suggestionsOf,
} from '../flows/steps.js'
import { type StepKind, stepKindNames, stepKinds } from '../resources/flow.js'
import { customFieldIn, isReadable } from '../templates/slots.js'
import { chipLabelsIn, lintLabels } from './chips.js'
import { addFinding, type LintContext, lookUp } from './findings.js'
import { analyzeFlow } from './graph.js'
import { namesIn, slotNamesIn } from './slotnames.js'

type Playbook = Item<'playbooks'>

export function lintFlow(context: LintContext, playbook: Playbook, at: string): void {
  const { flow } = playbook
  if (!flow) return
  const flowPath = `${at}.flow`
  if (flow.steps.length === 0) addFinding(context, 'flow.empty', `${flowPath}.steps`, 'The flow has no steps.')
  if (isStale(playbook)) {
    addFinding(context, 'flow.body.stale', flowPath, 'The body was changed after the flow was made from it.')
  }
  lintSlots(context, flow, flowPath)
  lintSteps(context, playbook, flow, flowPath)
  const { unreachable, endless, idle } = analyzeFlow(flow.steps)
  const step = (index: number) => `${flowPath}.steps[${index}]`
  for (const index of unreachable)
    addFinding(context, 'flow.step.unreachable', step(index), 'Nothing leads to this step.')
  for (const index of endless)
    addFinding(context, 'flow.loop.endless', step(index), 'From this step on the flow can never end.')
  for (const index of idle) {
    addFinding(
      context,
      'flow.loop.idle',
      step(index),
      'The flow comes back to this step with nothing asked or done on the way.',
    )
  }
}

function lintSlots(context: LintContext, flow: AnyFlow, flowPath: string): void {
  const used = new Set(flow.steps.flatMap(collectedSlots))
  const seen = new Set<string>()
  for (const [index, slot] of (flow.slots ?? []).entries()) {
    const at = `${flowPath}.slots[${index}]`
    if (seen.has(slot.name))
      addFinding(context, 'flow.slot.duplicate', `${at}.name`, `There are two slots ${slot.name}.`)
    seen.add(slot.name)
    if (!used.has(slot.name)) addFinding(context, 'flow.slot.unused', at, `No step collects ${slot.name}.`)
    if (slot.type === 'enum' && !slot.options && slot.source === undefined) {
      addFinding(context, 'flow.slot.options', at, `${slot.name} is a choice without choices.`)
    }
    if (slot.bind !== undefined && customFieldIn(slot.bind) === undefined && !isPersonField(slot.bind)) {
      addFinding(context, 'flow.bind.unknown', `${at}.bind`, `${slot.bind} is no field of a Person.`)
    }
    if (slot.validate !== undefined) {
      const predicate = readPredicate(slot.validate)
      if ('problem' in predicate)
        addFinding(context, 'flow.slot.validate', `${at}.validate`, `The expression ${predicate.problem}.`)
      else if ('unknown' in predicate)
        addFinding(
          context,
          'flow.slot.predicate',
          `${at}.validate`,
          `${predicate.unknown} is not known as a predicate.`,
        )
    }
    lintLabels(context, 'flow.chip.keyword', `${at}.options`, slot.options ?? [])
  }
}

function isPersonField(bind: string): boolean {
  return bind.startsWith('person.') && isReadable(bind)
}

function lintSteps(context: LintContext, playbook: Playbook, flow: AnyFlow, flowPath: string): void {
  const slots = new Set((flow.slots ?? []).map(({ name }) => name))
  const indexById = indexesById(flow.steps)
  for (const [index, step] of flow.steps.entries()) {
    const at = `${flowPath}.steps[${index}]`
    lintKind(context, step, at)
    for (const name of collectedSlots(step)) {
      if (!slots.has(name)) addFinding(context, 'flow.slot.unknown', `${at}.collect`, `The flow has no slot ${name}.`)
    }
    lintTargets(context, step, at, indexById)
    lintTextSlots(context, step, at, slots)
    lintStepContext(context, playbook, step, at)
    const labels = [...suggestionsOf(step), ...chipLabelsIn(stepText(step))]
    lintLabels(context, 'flow.chip.keyword', `${at}.say`, labels)
    for (const label of suggestionsOf(step)) {
      const isLong = [...label].length > agentLimits.flow.suggestionShownChars
      if (isLong)
        addFinding(context, 'flow.chip.long', `${at}.say`, `The chip "${label}" is longer than some channels show.`)
    }
  }
}

/** The checks that depend on the playbook or the rest of the agent; all other findings follow from the flow alone. */
export function lintFlowContext(context: LintContext, playbook: Playbook, at: string): void {
  const { flow } = playbook
  if (!flow) return
  for (const [index, step] of flow.steps.entries()) {
    lintStepContext(context, playbook, step, `${at}.flow.steps[${index}]`)
  }
}

function lintStepContext(context: LintContext, playbook: Playbook, step: AnyStep, at: string): void {
  if (step.action !== undefined) lintAction(context, playbook, step.action, `${at}.action`)
  lintHandover(context, playbook, step, at)
}

/** For each kind of step, the members that belong to another kind. */
const foreignMembers = Object.fromEntries(
  stepKindNames.map((kind) => [
    kind,
    stepKindNames.flatMap((each) => (each === kind ? [] : (stepKinds[each] as readonly (keyof AnyStep)[]))),
  ]),
) as unknown as Readonly<Record<StepKind, readonly (keyof AnyStep)[]>>

function lintKind(context: LintContext, step: AnyStep, at: string): void {
  const kind = kindOf(step)
  if (!kind) {
    const presentKinds = stepKindNames.filter((each) => step[each] !== undefined)
    const message =
      presentKinds.length === 0 ? 'The step has no kind.' : `The step is ${presentKinds.join(' and ')} at once.`
    addFinding(context, 'flow.step.kind', at, message)
    return
  }
  const foreign = foreignMembers[kind].filter((member) => step[member] !== undefined)
  for (const member of foreign) {
    addFinding(context, 'flow.step.kind', `${at}.${member}`, `A step of kind ${kind} has no ${member}.`)
  }
}

function lintTargets(context: LintContext, step: AnyStep, at: string, indexById: ReadonlyMap<string, number>): void {
  const missing = (target: string, path: string) =>
    indexById.has(target) || addFinding(context, 'flow.goto.unknown', path, `There is no step ${target}.`)
  for (const [branch, { goto }] of (step.branch ?? []).entries()) missing(goto, `${at}.branch[${branch}].goto`)
  if (step.else !== undefined) missing(step.else, `${at}.else`)
}

function lintTextSlots(context: LintContext, step: AnyStep, at: string, slots: ReadonlySet<string>): void {
  const isKnown = (name: string) => slots.has(name) || isReadable(name) || slots.has(name.replace(/^slots?\./, ''))
  const texts: [string, unknown][] = [
    ['say', stepText(step)],
    ['confirm', step.confirm],
    ['with', step.with],
  ]
  for (const [member, value] of texts) {
    for (const name of slotNamesIn(value)) {
      if (!isKnown(name))
        addFinding(context, 'flow.text.slot.unknown', `${at}.${member}`, `{${name}} is no slot of this flow.`)
    }
  }
  for (const [branch, { if: condition }] of (step.branch ?? []).entries()) {
    for (const name of namesIn(condition)) {
      if (isKnown(name)) continue
      addFinding(
        context,
        'flow.condition.slot.unknown',
        `${at}.branch[${branch}].if`,
        `${name} is no slot of this flow.`,
      )
    }
  }
}

function lintAction(context: LintContext, playbook: Playbook, action: string, at: string): void {
  const parsed = readAction(action)
  if ('unknown' in parsed)
    return addFinding(context, 'flow.action.unknown', at, `There is no capability ${parsed.unknown}.`)
  const capability = 'integration' in parsed ? `integration:${parsed.integration}` : parsed.capability
  if (capability !== 'knowledge' && !playbook.uses.includes(capability)) {
    addFinding(context, 'flow.action.capability.missing', at, `The playbook does not use ${capability}.`)
  }
  if ('integration' in parsed) return
  const tools: readonly string[] = capabilityTools[parsed.capability]
  if (!tools.includes(parsed.tool)) {
    addFinding(
      context,
      'flow.action.tool.unknown',
      at,
      `${parsed.capability} has ${tools.join(', ')}, not "${parsed.tool}".`,
    )
  }
  const { scheduling, notifications } = context.document
  const isUnset =
    (parsed.capability === 'scheduling' && !scheduling) || (parsed.capability === 'notify' && !notifications?.operator)
  if (isUnset)
    addFinding(context, 'flow.action.unconfigured', at, `${parsed.capability} is not configured on this agent.`)
}

function lintHandover(context: LintContext, playbook: Playbook, step: AnyStep, at: string): void {
  const handoff = step.handoff ?? step.end?.handoff
  const path = step.call !== undefined ? 'call' : step.handoff !== undefined ? 'handoff' : 'end.handoff'
  const id = step.call ?? (handoff === undefined ? undefined : handoffPlaybookId(handoff))
  const target = id === undefined ? undefined : (lookUp(context, 'playbooks', id) as Playbook | undefined)
  if (!target) return
  if (target.outreachId !== undefined && target.outreachId !== playbook.outreachId) {
    addFinding(context, 'flow.playbook.owned', `${at}.${path}`, `The playbook ${target.id} belongs to an outreach.`)
  }
  if (step.call !== undefined && !target.flow) {
    addFinding(context, 'flow.call.flowless', `${at}.call`, `The playbook ${target.id} has no flow to run.`)
  }
}
