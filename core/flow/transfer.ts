/** Steps that leave a flow: calls of other flows and their return, handoffs, ends, and branches within a flow. */
import { evaluateCondition, parseCondition, type ReadCondition } from '../agent/flows/conditions.js'
import { type AnyStep, handoffPlaybookId, indexesById } from '../agent/flows/steps.js'
import { flow as limits } from '../limits/index.js'
import type { FlowFrame, FlowNext, SlotValue } from './contract.js'
import { keyOfCall } from './key.js'
import { dataOfValue } from './slots/reader.js'
import {
  advance,
  changeTop,
  ended,
  flowOf,
  keepResult,
  leaveStuck,
  leaveToHuman,
  type Playbook,
  playbookOf,
  readerOf,
  resultOf,
  stepKey,
  topOf,
  type Walk,
  warn,
} from './walk.js'

export function enterFlow({ id }: Pick<Playbook, 'id'>): FlowFrame {
  return { playbookId: id, step: 0, slots: {} }
}

/** The first way whose condition holds. A condition that cannot be read does not. */
export function runBranch(walk: Walk, step: AnyStep): void {
  const { steps = [] } = flowOf(walk, topOf(walk)) ?? {}
  const target = walk.branchVisits ? nextWay(walk, step) : chosenWay(walk, step)
  const index = target === undefined ? undefined : indexesById(steps).get(target)
  if (target !== undefined && index === undefined) warn(walk, 'flow.missing', `There is no step ${target}.`)
  changeTop(walk, { step: index ?? topOf(walk).step + 1 })
}

function chosenWay(walk: Walk, { branch = [], else: otherwise }: AnyStep): string | undefined {
  const read = readerOf(walk)
  const way = branch.find((each) => {
    const parsed = conditionOf(each)
    return 'condition' in parsed && evaluateCondition(parsed.condition, read)
  })
  return way ? way.goto : otherwise
}

type Way = NonNullable<AnyStep['branch']>[number]

/** Ways are immutable, and each is walked in many conversations. */
const conditionCache = new WeakMap<Way, ReadCondition>()

function conditionOf(way: Way): ReadCondition {
  const cached = conditionCache.get(way)
  if (cached) return cached
  const parsed = parseCondition(way.if)
  conditionCache.set(way, parsed)
  return parsed
}

/** Each visit takes another way. */
function nextWay({ stack, branchVisits }: Walk, { branch = [], else: otherwise }: AnyStep): string | undefined {
  const key = stepKey(stack.at(-1)!)
  const visits = branchVisits!.get(key) ?? 0
  branchVisits!.set(key, visits + 1)
  return [...branch.map(({ goto }) => goto), otherwise][visits % (branch.length + 1)]
}

/**
 * Runs the flow of another playbook. Slots of the same name and type are shared in both directions, so that nothing is
 * asked twice.
 */
export function runCall(walk: Walk, id: string): FlowNext | undefined {
  const caller = topOf(walk)
  const target = playbookOf(walk.environment, id)
  if (!target?.flow) {
    warn(walk, 'flow.missing', target ? `The playbook ${id} has no flow.` : `There is no playbook ${id}.`)
    advance(walk)
    return undefined
  }
  const key = returnKey(walk, caller, id)
  if (walk.repeats && !walk.repeats.passed.has(key) && resultOf(walk, key)) {
    walk.repeats.passed.add(key)
    advance(walk)
    return undefined
  }
  if (walk.stack.length >= limits.depth) return leaveStuck(walk, `More than ${limits.depth} flows call each other.`)
  const frame = { ...enterFlow(target), ...sharedWith(walk, caller, enterFlow(target)) }
  walk.stack.push(walk.repeats && caller.results ? { ...frame, results: caller.results } : frame)
  return undefined
}

type SharedMember = 'slots' | 'confirmed' | 'skipped'

/** The members of a frame that another frame takes over. */
function sharedWith(walk: Walk, from: FlowFrame, to: FlowFrame): Required<Pick<FlowFrame, SharedMember>> {
  const types = new Map(flowOf(walk, from)?.slots?.map(({ name, type }) => [name, type]))
  const shared = (flowOf(walk, to)?.slots ?? []).filter(({ name, type }) => types.get(name) === type)
  const names = new Set(shared.map(({ name }) => name))
  const slots = Object.entries(from.slots).filter(([name]) => names.has(name))
  const among = (members: readonly string[] = []) => members.filter((name) => names.has(name))
  return { slots: Object.fromEntries(slots), confirmed: among(from.confirmed), skipped: among(from.skipped) }
}

/** Marks a call that returned, as long as the slots that it shares are unchanged. */
function returnKey(walk: Walk, caller: FlowFrame, id: string): string {
  const { slots } = sharedWith(walk, caller, { playbookId: id, step: 0, slots: {} })
  const values = Object.entries(slots).map(([name, value]: [string, SlotValue]) => [name, dataOfValue(value)])
  return keyOfCall({ name: `call:${caller.playbookId}:${caller.step}:${id}`, arguments: Object.fromEntries(values) })
}

function returnToCaller(walk: Walk): void {
  const returned = walk.stack.pop()!
  const caller = topOf(walk)
  if (walk.repeats && walk.stack.length < walk.repeats.depth) walk.repeats = undefined
  const { slots, confirmed, skipped } = sharedWith(walk, returned, caller)
  changeTop(walk, {
    slots: { ...caller.slots, ...slots },
    confirmed: [...new Set([...(caller.confirmed ?? []), ...confirmed])],
    skipped: [...new Set([...(caller.skipped ?? []), ...skipped])],
    error: returned.error,
  })
  for (const result of returned.results ?? []) keepResult(walk, result)
  const key = returnKey(walk, topOf(walk), returned.playbookId)
  keepResult(walk, { key, name: `call:${returned.playbookId}`, outcome: { state: 'ok', result: null } })
  advance(walk)
}

/** Past the last step. Undefined: the caller's flow goes on. */
export function completeFlow(walk: Walk): FlowNext | undefined {
  if (walk.stack.length > 1) {
    returnToCaller(walk)
    return undefined
  }
  const done = finish(walk)
  if (done.then === 'end') walk.outcomes.push('completed')
  return done
}

function finish(walk: Walk): Extract<FlowNext, { kind: 'done' }> {
  return ended(flowOf(walk, topOf(walk))?.onComplete ?? 'return')
}

export function runEnd(walk: Walk, { outcome, handoff }: NonNullable<AnyStep['end']>): FlowNext | undefined {
  walk.outcomes.push(outcome)
  if (handoff !== undefined) return transferTo(walk, handoff) ?? { kind: 'human' }
  if (walk.stack.length > 1) {
    returnToCaller(walk)
    return undefined
  }
  return finish(walk)
}

export function runHandoff(walk: Walk, handoff: string): FlowNext {
  return transferTo(walk, handoff) ?? leaveToHuman(walk, 'handoff')
}

/** Undefined: a human takes over, also for a playbook that does not exist. */
function transferTo(walk: Walk, handoff: string): FlowNext | undefined {
  const playbookId = handoffPlaybookId(handoff)
  if (playbookId === undefined) return undefined
  if (playbookOf(walk.environment, playbookId)) return { kind: 'playbook', playbookId }
  warn(walk, 'flow.missing', `There is no playbook ${playbookId}.`)
  return undefined
}
