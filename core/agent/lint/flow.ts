/** What is wrong with one flow, step by step and slot by slot. */

import { agentLimits } from '../../limits.js'
import type { Item } from '../document.js'
import { readPredicate } from '../flows/predicates.js'
import { isStale } from '../flows/stale.js'
import {
  type AnyFlow,
  type AnyStep,
  capabilityTools,
  collected,
  kindOf,
  placesOf,
  playbookHandedTo,
  readAction,
  spoken,
  suggestionsOf,
} from '../flows/steps.js'
import { type StepKind, stepKindNames, stepKinds } from '../resources/flow.js'
import { customFieldIn, isReadable } from '../templates/slots.js'
import { chipLabelsIn, lintLabels } from './chips.js'
import { type Desk, lookUp, note } from './findings.js'
import { walkFlow } from './graph.js'
import { namesIn, slotsRead } from './reading.js'

type Playbook = Item<'playbooks'>

export function lintFlow(desk: Desk, playbook: Playbook, at: string): void {
  const { flow } = playbook
  if (!flow) return
  const here = `${at}.flow`
  if (flow.steps.length === 0) note(desk, 'flow.empty', `${here}.steps`, 'The flow has no steps.')
  if (isStale(playbook)) {
    note(desk, 'flow.body.stale', here, 'The body was changed after the flow was made from it.')
  }
  lintSlots(desk, flow, here)
  lintSteps(desk, playbook, flow, here)
  const { unreachable, endless, idle } = walkFlow(flow.steps)
  const step = (place: number) => `${here}.steps[${place}]`
  for (const place of unreachable) note(desk, 'flow.step.unreachable', step(place), 'Nothing leads to this step.')
  for (const place of endless) note(desk, 'flow.loop.endless', step(place), 'From this step on the flow can never end.')
  for (const place of idle) {
    note(desk, 'flow.loop.idle', step(place), 'The flow comes back to this step with nothing asked or done on the way.')
  }
}

function lintSlots(desk: Desk, flow: AnyFlow, here: string): void {
  const used = new Set(flow.steps.flatMap(collected))
  const seen = new Set<string>()
  for (const [place, slot] of (flow.slots ?? []).entries()) {
    const at = `${here}.slots[${place}]`
    if (seen.has(slot.name)) note(desk, 'flow.slot.duplicate', `${at}.name`, `There are two slots ${slot.name}.`)
    seen.add(slot.name)
    if (!used.has(slot.name)) note(desk, 'flow.slot.unused', at, `No step collects ${slot.name}.`)
    if (slot.type === 'enum' && !slot.options && slot.source === undefined) {
      note(desk, 'flow.slot.options', at, `${slot.name} is a choice without choices.`)
    }
    if (slot.bind !== undefined && customFieldIn(slot.bind) === undefined && !isPersonField(slot.bind)) {
      note(desk, 'flow.bind.unknown', `${at}.bind`, `${slot.bind} is no field of a Person.`)
    }
    if (slot.validate !== undefined) {
      const read = readPredicate(slot.validate)
      if ('problem' in read) note(desk, 'flow.slot.validate', `${at}.validate`, `The expression ${read.problem}.`)
      else if ('unknown' in read)
        note(desk, 'flow.slot.predicate', `${at}.validate`, `${read.unknown} is not known as a predicate.`)
    }
    lintLabels(desk, 'flow.chip.keyword', `${at}.options`, slot.options ?? [])
  }
}

function isPersonField(bind: string): boolean {
  return bind.startsWith('person.') && isReadable(bind)
}

function lintSteps(desk: Desk, playbook: Playbook, flow: AnyFlow, here: string): void {
  const slots = new Set((flow.slots ?? []).map(({ name }) => name))
  const places = placesOf(flow.steps)
  for (const [place, step] of flow.steps.entries()) {
    const at = `${here}.steps[${place}]`
    lintKind(desk, step, at)
    for (const name of collected(step)) {
      if (!slots.has(name)) note(desk, 'flow.slot.unknown', `${at}.collect`, `The flow has no slot ${name}.`)
    }
    lintTargets(desk, step, at, places)
    lintReads(desk, step, at, slots)
    lintStepAround(desk, playbook, step, at)
    const labels = [...suggestionsOf(step), ...chipLabelsIn(spoken(step))]
    lintLabels(desk, 'flow.chip.keyword', `${at}.say`, labels)
    for (const label of suggestionsOf(step)) {
      const isLong = [...label].length > agentLimits.flow.suggestionShownChars
      if (isLong) note(desk, 'flow.chip.long', `${at}.say`, `The chip "${label}" is longer than some channels show.`)
    }
  }
}

/** What the playbook or the rest of the agent has a say in; all else that is found of a flow follows from the flow alone. */
export function lintAround(desk: Desk, playbook: Playbook, at: string): void {
  const { flow } = playbook
  if (!flow) return
  for (const [place, step] of flow.steps.entries()) {
    lintStepAround(desk, playbook, step, `${at}.flow.steps[${place}]`)
  }
}

function lintStepAround(desk: Desk, playbook: Playbook, step: AnyStep, at: string): void {
  if (step.action !== undefined) lintAction(desk, playbook, step.action, `${at}.action`)
  lintHandover(desk, playbook, step, at)
}

/** Of each kind, the members that go with another one. */
const foreignTo = Object.fromEntries(
  stepKindNames.map((kind) => [
    kind,
    stepKindNames.flatMap((each) => (each === kind ? [] : (stepKinds[each] as readonly (keyof AnyStep)[]))),
  ]),
) as unknown as Readonly<Record<StepKind, readonly (keyof AnyStep)[]>>

function lintKind(desk: Desk, step: AnyStep, at: string): void {
  const kind = kindOf(step)
  if (!kind) {
    const given = stepKindNames.filter((each) => step[each] !== undefined)
    const message = given.length === 0 ? 'The step has no kind.' : `The step is ${given.join(' and ')} at once.`
    note(desk, 'flow.step.kind', at, message)
    return
  }
  const foreign = foreignTo[kind].filter((member) => step[member] !== undefined)
  for (const member of foreign) {
    note(desk, 'flow.step.kind', `${at}.${member}`, `A step of kind ${kind} has no ${member}.`)
  }
}

function lintTargets(desk: Desk, step: AnyStep, at: string, places: ReadonlyMap<string, number>): void {
  const missing = (target: string, path: string) =>
    places.has(target) || note(desk, 'flow.goto.unknown', path, `There is no step ${target}.`)
  for (const [way, { goto }] of (step.branch ?? []).entries()) missing(goto, `${at}.branch[${way}].goto`)
  if (step.else !== undefined) missing(step.else, `${at}.else`)
}

function lintReads(desk: Desk, step: AnyStep, at: string, slots: ReadonlySet<string>): void {
  const isKnown = (name: string) => slots.has(name) || isReadable(name) || slots.has(name.replace(/^slots?\./, ''))
  const texts: [string, unknown][] = [
    ['say', spoken(step)],
    ['confirm', step.confirm],
    ['with', step.with],
  ]
  for (const [member, value] of texts) {
    for (const name of slotsRead(value)) {
      if (!isKnown(name)) note(desk, 'flow.text.slot.unknown', `${at}.${member}`, `{${name}} is no slot of this flow.`)
    }
  }
  for (const [way, { if: condition }] of (step.branch ?? []).entries()) {
    for (const name of namesIn(condition)) {
      if (isKnown(name)) continue
      note(desk, 'flow.condition.slot.unknown', `${at}.branch[${way}].if`, `${name} is no slot of this flow.`)
    }
  }
}

function lintAction(desk: Desk, playbook: Playbook, action: string, at: string): void {
  const read = readAction(action)
  if ('unknown' in read) return note(desk, 'flow.action.unknown', at, `There is no capability ${read.unknown}.`)
  const capability = 'integration' in read ? `integration:${read.integration}` : read.capability
  if (capability !== 'knowledge' && !playbook.uses.includes(capability)) {
    note(desk, 'flow.action.capability.missing', at, `The playbook does not use ${capability}.`)
  }
  if ('integration' in read) return
  const tools: readonly string[] = capabilityTools[read.capability]
  if (!tools.includes(read.tool)) {
    note(desk, 'flow.action.tool.unknown', at, `${read.capability} has ${tools.join(', ')}, not "${read.tool}".`)
  }
  const { scheduling, notifications } = desk.document
  const isUnset =
    (read.capability === 'scheduling' && !scheduling) || (read.capability === 'notify' && !notifications?.operator)
  if (isUnset) note(desk, 'flow.action.unconfigured', at, `${read.capability} is not configured on this agent.`)
}

function lintHandover(desk: Desk, playbook: Playbook, step: AnyStep, at: string): void {
  const handoff = step.handoff ?? step.end?.handoff
  const path = step.call !== undefined ? 'call' : step.handoff !== undefined ? 'handoff' : 'end.handoff'
  const id = step.call ?? (handoff === undefined ? undefined : playbookHandedTo(handoff))
  const target = id === undefined ? undefined : (lookUp(desk, 'playbooks', id) as Playbook | undefined)
  if (!target) return
  if (target.outreachId !== undefined && target.outreachId !== playbook.outreachId) {
    note(desk, 'flow.playbook.owned', `${at}.${path}`, `The playbook ${target.id} belongs to an outreach.`)
  }
  if (step.call !== undefined && !target.flow) {
    note(desk, 'flow.call.flowless', `${at}.call`, `The playbook ${target.id} has no flow to run.`)
  }
}
