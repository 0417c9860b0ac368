/** Steps that act: the gate, the confirmation, the call, and what follows from its outcome. */
import { type AnyStep, collectedSlots, readAction, toolNameOf } from '../agent/flows/steps.js'
import { isRecord } from '../json.js'
import { isDone, type ToolCall, type ToolOutcome } from '../tools/contract.js'
import { argumentsOf } from './arguments.js'
import { gate, isRead, keepOutcome, mayRetry, readOutcome, startCall } from './calls.js'
import { refuseAnswer, requestSlot } from './collect.js'
import type { FlowNext, FlowWait } from './contract.js'
import { keyOfCall } from './key.js'
import { askActionConfirm } from './questions.js'
import type { Slot } from './slots/reader.js'
import { isTimeslot } from './slots/timeslot.js'
import { literalAml } from './texts.js'
import {
  advance,
  changeTop,
  clearSlot,
  flowOf,
  keepResult,
  leaveToHuman,
  resultOf,
  slotOf,
  stepKey,
  topOf,
  type Walk,
  warn,
} from './walk.js'

const declined: ToolOutcome = { state: 'cancelled', reason: 'The person declined.' }

/** Undefined: the walk goes on. An action whose arguments are unchanged is not repeated: its outcome is used again. */
export function runAction(walk: Walk, step: AnyStep): FlowNext | undefined {
  const call = callOf(walk, step)
  if (!call) {
    warn(walk, 'flow.missing', `There is no tool ${step.action}.`)
    return afterFailure(walk, step, `There is no tool ${step.action}.`)
  }
  const key = keyOfCall(call)
  const known = resultOf(walk, key)
  if (known) {
    keepResult(walk, known)
    return settle(walk, step, known.outcome)
  }
  const refused = gate(walk, call)
  if (refused) return settleNew(walk, step, call, refused)
  if (step.confirm !== undefined && walk.approvedKey !== key) return askActionConfirm(walk, step.confirm, key)
  if (!isRead(call)) return startCall(walk, movedBooking(walk, call) ?? call, 1)
  const read = readOutcome(walk, call)
  return 'next' in read ? read.next : settleNew(walk, step, call, read.outcome)
}

/** Undefined: there is no such tool. */
function callOf(walk: Walk, step: AnyStep): ToolCall | undefined {
  const name = toolNameOf(readAction(step.action ?? ''))
  return name === undefined ? undefined : { name, arguments: argumentsOf(walk, step, name) }
}

/** The person answered the confirmation of the action at which the frame stands. */
export function decideAction(walk: Walk, step: AnyStep, key: string, isApproved: boolean): void {
  changeTop(walk, { waiting: undefined, digressions: 0 })
  const name = toolNameOf(readAction(step.action ?? ''))
  if (isApproved) walk.approvedKey = key
  else if (name !== undefined) keepResult(walk, { key, name, outcome: declined })
}

/** The outcome of the call that the frame waits for: of an action, or of the source of a slot. */
export function receiveOutcome(
  walk: Walk,
  { call, attempt }: Extract<FlowWait, { kind: 'call' }>,
  outcome: ToolOutcome,
): FlowNext | undefined {
  const frame = topOf(walk)
  const step = flowOf(walk, frame)?.steps[frame.step]
  const action = step?.action === undefined ? undefined : callOf(walk, step)
  const isOfAction = action && (action.name === call.name || isMove(action, call))
  changeTop(walk, { waiting: undefined })
  const onError = isOfAction ? step?.on_error : undefined
  if ((onError ?? 'retry') === 'retry' && mayRetry(outcome, attempt)) {
    warn(walk, 'tool.failed', `${call.name}: ${'reason' in outcome ? outcome.reason : ''}`)
    return startCall(walk, call, attempt + 1)
  }
  if (!step || !isOfAction) {
    // The step that collects finds the result.
    keepOutcome(walk, call, outcome)
    return undefined
  }
  const time = outcome.state === 'refused' ? refusedTime(walk, call) : undefined
  if (time && outcome.state === 'refused') return askTimeAgain(walk, call, time, outcome.reason)
  return settleNew(walk, step, action, outcome)
}

function settleNew(walk: Walk, step: AnyStep, call: ToolCall, outcome: ToolOutcome): FlowNext | undefined {
  keepOutcome(walk, call, outcome)
  return settle(walk, step, outcome)
}

function settle(walk: Walk, step: AnyStep, outcome: ToolOutcome): FlowNext | undefined {
  if (isDone(outcome)) {
    changeTop(walk, { error: undefined })
    advance(walk)
    return undefined
  }
  if (outcome.state === declined.state && outcome.reason === declined.reason) {
    changeTop(walk, { error: outcome.reason })
    advance(walk)
    return undefined
  }
  return afterFailure(walk, step, outcome.reason)
}

/** Whether to retry was decided before: what remains is the next step, which sees the error, or a human. */
function afterFailure(walk: Walk, { on_error }: AnyStep, reason: string): FlowNext | undefined {
  if (on_error !== 'branch') return leaveToHuman(walk, 'handoff')
  changeTop(walk, { error: reason })
  advance(walk)
  return undefined
}

const booking = 'scheduling.book'
const move = 'scheduling.reschedule'
const bookings = new Set([booking, move])

/** A step that has booked and books at another time since a correction moves its appointment, so there are not two. */
function movedBooking(walk: Walk, { name, arguments: { start, representativeId } }: ToolCall): ToolCall | undefined {
  if (name !== booking) return undefined
  const here = stepKey(topOf(walk))
  const made = topOf(walk).results?.findLast(({ step, outcome }) => step === here && isDone(outcome))?.outcome
  if (!made || !isDone(made)) return undefined
  const appointmentId = isRecord(made.result) ? made.result.appointmentId : undefined
  const given = { appointmentId, start, representativeId }
  return { name: move, arguments: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}

function isMove(action: ToolCall, call: ToolCall): boolean {
  return action.name === booking && call.name === move
}

interface RefusedTime {
  readonly slot: Slot
  /** The index of the nearest earlier step that collects it. */
  readonly step: number
}

/** The slot whose time the call would have taken. */
function refusedTime(walk: Walk, { name, arguments: { start } }: ToolCall): RefusedTime | undefined {
  if (!bookings.has(name) || typeof start !== 'string') return undefined
  const frame = topOf(walk)
  const flow = flowOf(walk, frame)
  const isRefused = (value: unknown) => isTimeslot(value) && value.start === start
  const slotName = Object.keys(frame.slots).findLast((each) => isRefused(frame.slots[each]))
  const slot = slotName === undefined || !flow ? undefined : slotOf(flow, slotName)
  const step = flow?.steps.findLastIndex((each, at) => at < frame.step && collectedSlots(each).includes(slotName ?? ''))
  return slot && step !== undefined && step >= 0 ? { slot, step } : undefined
}

/** Nothing was booked: the person chooses among the times that are free now. The refusal is not kept. */
function askTimeAgain(walk: Walk, call: ToolCall, { slot, step }: RefusedTime, reason: string): FlowNext | undefined {
  warn(walk, 'tool.refused', `${call.name}: ${reason}`)
  clearSlot(walk, slot.name)
  changeTop(walk, { step })
  return refuseAnswer(walk, slot, literalAml(reason), () => requestSlot(walk, slot))
}
