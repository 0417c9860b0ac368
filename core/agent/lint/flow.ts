/** Lints one flow, step by step and slot by slot. */
import { findInCatalog } from '../../catalogs/index.js'
import { agentLimits } from '../../limits/index.js'
import type { Item } from '../document.js'
import { isStale } from '../flows/bodyhash.js'
import { namesInCondition, parseCondition } from '../flows/conditions.js'
import { readPredicate } from '../flows/predicates.js'
import {
  type AnyFlow,
  type AnyStep,
  capabilityTools,
  collectedSlots,
  dottedName,
  handoffPlaybookId,
  indexesById,
  kindOf,
  readAction,
  stepText,
  suggestionsOf,
  toolNameOf,
} from '../flows/steps.js'
import { type StepKind, stepKindNames, stepKinds } from '../resources/flow.js'
import { customFieldIn, isReadableInFlow } from '../templates/slots.js'
import { chipLabelsIn, lintLabels } from './chips.js'
import { addFinding, type LintContext, lookUp } from './findings.js'
import { analyzeFlow } from './graph.js'
import { slotNamesIn } from './slotnames.js'

type Playbook = Item<'playbooks'>

export function lintFlow(context: LintContext, playbook: Playbook, at: string): void {
  const { flow } = playbook
  if (!flow) return
  const flowPath = `${at}.flow`
  if (flow.steps.length === 0) addFinding(context, 'flow.empty', `${flowPath}.steps`, 'The flow has no steps.')
  if (isStale(playbook)) {
    addFinding(context, 'flow.body.stale', flowPath, 'The body was changed after the flow was made from it.')
  }
  const isKnown = knownNames(flow)
  lintSlots(context, flow, flowPath, isKnown)
  lintSteps(context, playbook, flow, flowPath, isKnown)
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

function lintSlots(context: LintContext, flow: AnyFlow, flowPath: string, isKnown: IsKnown): void {
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
    lintText(context, slot.prompt, `${at}.prompt`, isKnown)
    lintLabels(context, 'flow.chip.keyword', `${at}.options`, slot.options ?? [])
  }
}

function isPersonField(bind: string): boolean {
  return bind.startsWith('person.') && isReadableInFlow(bind)
}

function lintSteps(context: LintContext, playbook: Playbook, flow: AnyFlow, flowPath: string, isKnown: IsKnown): void {
  const slots = new Set((flow.slots ?? []).map(({ name }) => name))
  const indexById = indexesById(flow.steps)
  for (const [index, step] of flow.steps.entries()) {
    const at = `${flowPath}.steps[${index}]`
    lintKind(context, step, at)
    for (const name of collectedSlots(step)) {
      if (!slots.has(name)) addFinding(context, 'flow.slot.unknown', `${at}.collect`, `The flow has no slot ${name}.`)
    }
    lintTargets(context, step, at, indexById)
    lintNames(context, step, at, isKnown)
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

type IsKnown = (name: string) => boolean

/** Texts and conditions read slots, fields of person and agent, results of the flow's own actions, and `error`. */
function knownNames({ steps, slots: declared = [] }: AnyFlow): IsKnown {
  const slots = new Set(declared.map(({ name }) => name))
  const results = steps.flatMap(({ action }) => {
    const toolName = action === undefined ? undefined : toolNameOf(readAction(action))
    return toolName === undefined ? [] : [`last.${dottedName(toolName)}`]
  })
  return (name) =>
    slots.has(name) ||
    isReadableInFlow(name) ||
    name === 'error' ||
    (name.startsWith('slots.') && slots.has(name.split('.')[1]!)) ||
    (name.startsWith('last.') && results.some((result) => name === result || name.startsWith(`${result}.`)))
}

function lintNames(context: LintContext, step: AnyStep, at: string, isKnown: IsKnown): void {
  lintText(context, [stepText(step), ...suggestionsOf(step)], `${at}.say`, isKnown)
  lintText(context, step.confirm, `${at}.confirm`, isKnown)
  lintText(context, step.with, `${at}.with`, isKnown)
  for (const [branch, { if: source }] of (step.branch ?? []).entries()) {
    lintCondition(context, source, `${at}.branch[${branch}].if`, isKnown)
  }
}

function lintText(context: LintContext, text: unknown, at: string, isKnown: IsKnown): void {
  for (const name of slotNamesIn(text)) {
    if (!isKnown(name)) addFinding(context, 'flow.text.slot.unknown', at, `{${name}} is no slot of this flow.`)
  }
}

function lintCondition(context: LintContext, source: string, at: string, isKnown: IsKnown): void {
  const read = parseCondition(source)
  if ('problem' in read) return addFinding(context, 'flow.condition.unreadable', at, `The condition ${read.problem}.`)
  for (const name of namesInCondition(read.condition)) {
    if (!isKnown(name)) addFinding(context, 'flow.condition.slot.unknown', at, `${name} is no slot of this flow.`)
  }
}

function lintAction(context: LintContext, playbook: Playbook, action: string, at: string): void {
  const parsed = readAction(action)
  if ('unknown' in parsed)
    return addFinding(context, 'flow.action.unknown', at, `There is no capability ${parsed.unknown}.`)
  if ('catalogTool' in parsed) return lintCatalogTool(context, playbook, parsed.catalogTool, at)
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

function lintCatalogTool(context: LintContext, playbook: Playbook, toolId: string, at: string): void {
  if (!findInCatalog('tools', toolId)) {
    addFinding(context, 'flow.action.unknown', at, `The catalog has no tool ${toolId}.`)
  } else if (!playbook.toolRefs?.includes(toolId)) {
    addFinding(context, 'flow.action.capability.missing', at, `The playbook does not refer to the tool ${toolId}.`)
  }
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
