/** One walk through the flows of a stack: its frames as they change, and what the walk says, records and warns of. */

import type { AnyFlow, AnyStep } from '../agent/flows/steps.js'
import type { AgentDocument, Item } from '../agent/index.js'
import { findItem } from '../agent/index.js'
import { flow as limits, turn } from '../limits/index.js'
import { isDone } from '../tools/contract.js'
import type {
  ActionResult,
  FlowEnvironment,
  FlowFrame,
  FlowNext,
  FlowProgress,
  FlowSay,
  FlowWarning,
  SlotValue,
} from './contract.js'
import { createNameReader, type NameReader } from './names.js'
import type { ReadingPlace } from './slots/date.js'
import type { Slot } from './slots/reader.js'
import { regionOf } from './slots/region.js'

export type Playbook = Item<'playbooks'>

export interface Walk {
  readonly environment: FlowEnvironment
  readonly stack: FlowFrame[]
  readonly say: FlowSay[]
  readonly outcomes: string[]
  readonly warnings: FlowWarning[]
  readonly trace: string[]
  steps: number
  /** The step at which the walk goes on was walked before: it is not traced again. */
  isResumed: boolean
  /** The key of the call that the person has just approved. */
  approvedKey?: string
  /** What say steps have said. */
  readonly said: string[]
  saidChars: number
  repeats?: Repeats
  /** For a dry run: the visits of each branch, each of which takes another way. */
  readonly branchVisits?: Map<string, number>
}

/** What a walk after a correction does not repeat, until the corrected flow returns. */
export interface Repeats {
  /** How often each text was said before. */
  readonly said: Map<string, number>
  /** Calls of flows that were passed over. */
  readonly passed: Set<string>
  /** The number of frames with the corrected one. */
  readonly depth: number
}

export function createWalk(
  stack: readonly FlowFrame[],
  environment: FlowEnvironment,
  branchVisits?: Map<string, number>,
): Walk {
  const empty = { say: [], outcomes: [], warnings: [], trace: [], said: [] }
  return {
    environment,
    stack: [...stack],
    ...empty,
    saidChars: 0,
    steps: 0,
    isResumed: false,
    ...(branchVisits && { branchVisits }),
  }
}

/** The frame that is walked. A walk without frames has ended. */
export function topOf({ stack }: Walk): FlowFrame {
  return stack.at(-1)!
}

export function changeTop(walk: Walk, changes: Partial<FlowFrame>): void {
  walk.stack[walk.stack.length - 1] = { ...topOf(walk), ...changes }
}

export function advance(walk: Walk): void {
  changeTop(walk, { step: topOf(walk).step + 1 })
}

export function playbookOf({ document }: { readonly document: AgentDocument }, id: string): Playbook | undefined {
  return findItem(document, 'playbooks', id)
}

/** The flow of a frame; undefined when a newer document has none. */
export function flowOf({ environment }: Walk, { playbookId }: FlowFrame): AnyFlow | undefined {
  return playbookOf(environment, playbookId)?.flow
}

export function slotOf(flow: AnyFlow, name: string): Slot | undefined {
  return flow.slots?.find((slot) => slot.name === name)
}

export function stepOf(walk: Walk): AnyStep | undefined {
  const frame = topOf(walk)
  return flowOf(walk, frame)?.steps[frame.step]
}

export function readerOf(walk: Walk): NameReader {
  return createNameReader(topOf(walk), walk.environment)
}

/** The region is looked up when a text needs it: parsing a phone number takes as long as the rest of most walks. */
export function placeOf({ now, zone, person }: FlowEnvironment): ReadingPlace {
  let region: ReadingPlace['region'] | undefined
  return {
    now,
    zone,
    get region() {
      region ??= regionOf(person, zone)
      return region
    },
  }
}

export function warn(walk: Walk, code: FlowWarning['code'], message: string): void {
  if (!walk.warnings.some((each) => each.code === code && each.message === message)) {
    walk.warnings.push({ code, message })
  }
}

/** Names are the operator's, so only own members count. */
export function memberOf<Value>(members: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return members && Object.hasOwn(members, name) ? members[name] : undefined
}

/** The newest slot is the last. */
export function setSlot(walk: Walk, name: string, value: SlotValue): void {
  clearSlot(walk, name)
  changeTop(walk, { slots: { ...topOf(walk).slots, [name]: value } })
}

export function clearSlot(walk: Walk, name: string): void {
  const { slots, confirmed = [], skipped = [] } = topOf(walk)
  const { [name]: _cleared, ...rest } = slots
  const others = (names: readonly string[]) => names.filter((each) => each !== name)
  changeTop(walk, { slots: rest, confirmed: others(confirmed), skipped: others(skipped) })
}

/** The step at which the frame stands, across playbooks. */
export function stepKey({ playbookId, step }: FlowFrame): string {
  return `${playbookId}:${step}`
}

export function resultOf(walk: Walk, key: string): ActionResult | undefined {
  return topOf(walk).results?.find((result) => result.key === key)
}

/** The newest is the last. Of older ones only the state stays, so that no action is repeated. */
export function keepResult(walk: Walk, result: ActionResult): void {
  const isReplaced = ({ key, step }: ActionResult) =>
    key === result.key || (step !== undefined && step === result.step && isDone(result.outcome))
  const others = (topOf(walk).results ?? []).filter((each) => !isReplaced(each))
  const results = [...others, result]
  changeTop(walk, {
    results: results.map((each, at) => (at < results.length - limits.results ? withoutPayload(each) : each)),
  })
}

function withoutPayload({ outcome, ...rest }: ActionResult): ActionResult {
  return { ...rest, outcome: 'result' in outcome ? { state: outcome.state, result: null } : outcome }
}

/** Contact options of the business, with the outcome by which the flow is left. */
export function leaveToHuman(walk: Walk, outcome: string): FlowNext {
  walk.outcomes.push(outcome)
  return { kind: 'human' }
}

export function ended(then: 'return' | 'end'): Extract<FlowNext, { kind: 'done' }> {
  return { kind: 'done', then }
}

/** What a loop has said again and again is said once. */
export function leaveStuck(walk: Walk, message: string): FlowNext {
  const distinct = new Map(walk.say.map((say) => [JSON.stringify(say), say]))
  walk.say.splice(0, walk.say.length, ...[...distinct.values()].slice(0, turn.messages))
  warn(walk, 'flow.stuck', message)
  return leaveToHuman(walk, 'abandoned')
}

const endings: ReadonlySet<FlowNext['kind']> = new Set(['human', 'playbook', 'done'])

export function progressOf({ stack, say, outcomes, warnings, trace }: Walk, next: FlowNext): FlowProgress {
  const frames = endings.has(next.kind) ? [] : stack.map(withoutUndefined)
  return { stack: frames, say, next, outcomes, warnings, trace }
}

/** Frames are stored, and a store need not know undefined members. */
function withoutUndefined(frame: FlowFrame): FlowFrame {
  return Object.fromEntries(Object.entries(frame).filter(([, value]) => value !== undefined)) as unknown as FlowFrame
}
