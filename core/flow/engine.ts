/**
 * The flow engine: reads an input for the flow that waits, and walks from step to step until something is waited for.
 * Every walk is bounded, and a step that cannot be taken leads on or to a human: never to silence.
 */
import { type AnyStep, kindOf } from '../agent/flows/steps.js'
import { flow as limits } from '../limits/index.js'
import { decideAction, receiveOutcome, runAction } from './action.js'
import { readEntry, readMessage, readResult } from './answers.js'
import { confirmSlot, refuseAnswer, runCollect, skipSlot } from './collect.js'
import type { FlowEnvironment, FlowFrame, FlowInput, FlowNext, FlowProgress, SlotValue } from './contract.js'
import { traceEntry } from './coverage.js'
import type { Move } from './moves.js'
import { askAgain } from './questions.js'
import { typeReason } from './reasons.js'
import { runSay } from './say.js'
import { completeFlow, runBranch, runCall, runEnd, runHandoff } from './transfer.js'
import {
  changeTop,
  clearSlot,
  createWalk,
  ended,
  flowOf,
  leaveStuck,
  leaveToHuman,
  memberOf,
  progressOf,
  setSlot,
  slotOf,
  stepOf,
  topOf,
  type Walk,
  warn,
} from './walk.js'

/** Never throws, whatever document and input it is given. An empty stack has ended. */
export function runFlow(stack: readonly FlowFrame[], input: FlowInput, environment: FlowEnvironment): FlowProgress {
  return runWalk(createWalk(stack, environment), input)
}

/** For a walk with settings of its own. */
export function runWalk(walk: Walk, input: FlowInput): FlowProgress {
  if (walk.stack.length === 0) return progressOf(walk, ended('return'))
  const move = readInput(walk, input)
  if (move.kind !== 'digression') return moveOn(walk, move)
  const { stack, environment } = walk
  const otherwise = moveOn(createWalk(stack, environment, walk.branchVisits), move.otherwise)
  pointBack(walk)
  return progressOf(walk, { kind: 'digression', otherwise })
}

function readInput(walk: Walk, input: FlowInput): Move {
  switch (input.kind) {
    case 'enter':
      return readEntry(walk, input.text ?? '')
    case 'message':
      return readMessage(walk, input.text, input.isAnswerable)
    case 'result':
      return readResult(walk, input.result)
    case 'outcome':
      return topOf(walk).waiting?.kind === 'call'
        ? { kind: 'outcome', outcome: input.outcome }
        : { kind: 'walk', values: new Map() }
  }
}

function moveOn(walk: Walk, move: Exclude<Move, { kind: 'digression' }>): FlowProgress {
  const before = topOf(walk)
  const stop = apply(walk, move)
  const hasMoved = move.kind === 'correct' || topOf(walk).step !== before.step
  walk.isResumed = before.waiting !== undefined && !hasMoved
  const next = stop ?? walkOn(walk)
  const isLost =
    next.kind === 'done' && walk.say.length === 0 && walk.warnings.some(({ code }) => code === 'flow.missing')
  return progressOf(walk, isLost ? leaveToHuman(walk, 'abandoned') : next)
}

/** Undefined: the walk goes on from the step of the top frame. */
function apply(walk: Walk, move: Exclude<Move, { kind: 'digression' }>): FlowNext | undefined {
  const { waiting } = topOf(walk)
  switch (move.kind) {
    case 'walk':
    case 'fill':
      changeTop(walk, { waiting: undefined, digressions: 0 })
      for (const [name, value] of move.values) setSlot(walk, name, value)
      return undefined
    case 'correct':
      return correctSlot(walk, move.slot, move.value, move.reason)
    case 'refuse': {
      const slot = slotNamed(walk, move.slot)
      return slot && waiting && refuseAnswer(walk, slot, move.reason, () => askAgain(walk, waiting))
    }
    case 'skip':
      changeTop(walk, { waiting: undefined, digressions: 0 })
      skipSlot(walk, move.slot)
      return undefined
    case 'confirmSlot':
      changeTop(walk, { waiting: undefined, digressions: 0 })
      if (move.isRight) confirmSlot(walk, move.slot)
      else reopenSlot(walk, move.slot)
      return undefined
    case 'decide': {
      const step = stepOf(walk)
      if (step) decideAction(walk, step, move.key, move.isApproved)
      return undefined
    }
    case 'unconfirmed':
      return leaveUnconfirmed(walk, move.key)
    case 'outcome':
      return waiting?.kind === 'call' ? receiveOutcome(walk, waiting, move.outcome) : undefined
    case 'cancel':
      walk.say.push({ kind: 'text', aml: 'All right, I have stopped this.' })
      walk.outcomes.push('cancelled')
      return ended('end')
    case 'repeat':
      return waiting && askAgain(walk, waiting, true)
  }
}

const slotNamed = (walk: Walk, name: string) => {
  const flow = flowOf(walk, topOf(walk))
  return flow && slotOf(flow, name)
}

/** The question again, once; after a second digression in a row only a pointer to it. */
function pointBack(walk: Walk): void {
  const { waiting, digressions = 0 } = topOf(walk)
  changeTop(walk, { digressions: digressions + 1 })
  if (waiting) askAgain(walk, waiting, digressions > 0)
}

/** A confirmation that is not answered is asked again; in the end the action counts as declined. */
function leaveUnconfirmed(walk: Walk, key: string): FlowNext | undefined {
  const { waiting, invalidAnswers } = topOf(walk)
  const count = (memberOf(invalidAnswers, key) ?? 0) + 1
  changeTop(walk, { invalidAnswers: { ...invalidAnswers, [key]: count }, digressions: 0 })
  const step = stepOf(walk)
  if (waiting && count < limits.invalidAnswers) {
    walk.say.push({ kind: 'text', aml: typeReason('boolean') })
    return askAgain(walk, waiting)
  }
  if (step) decideAction(walk, step, key, false)
  return undefined
}

/** The flow is walked again from its start: filled slots are not asked for, and outcomes of actions are used again. */
function correctSlot(walk: Walk, name: string, value: SlotValue | undefined, reason: string | undefined): undefined {
  walk.repeats = { said: saidBefore(walk), passed: new Set(), depth: walk.stack.length }
  if (value === undefined) reopenSlot(walk, name)
  else setSlot(walk, name, value)
  changeTop(walk, { step: 0, waiting: undefined, error: undefined, digressions: 0 })
  if (reason !== undefined) walk.say.push({ kind: 'text', aml: reason })
}

/** The slot is asked again, also when a value is on file: that is what the person wants to change. */
function reopenSlot(walk: Walk, name: string): void {
  clearSlot(walk, name)
  const { asked } = topOf(walk)
  changeTop(walk, { asked: { ...asked, [name]: memberOf(asked, name) ?? 0 } })
}

/** What a walk from the start of the flow to where it stands says, with the values so far. */
function saidBefore(walk: Walk): Map<string, number> {
  const frame = topOf(walk)
  const start: FlowFrame = { ...frame, step: 0, waiting: undefined, error: undefined }
  const before = createWalk([...walk.stack.slice(0, -1), start], walk.environment)
  before.repeats = { said: new Map(), passed: new Set(), depth: walk.stack.length }
  walkOn(before, walk.stack.length)
  const counts = new Map<string, number>()
  for (const key of before.said) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** Until something is waited for, or the flows have ended. With `depth`, also when fewer flows are left. */
function walkOn(walk: Walk, depth = 1): FlowNext {
  for (;;) {
    const frame = topOf(walk)
    const flow = flowOf(walk, frame)
    if (!flow) return leaveMissing(walk, frame)
    if (walk.steps === limits.stepsPerTurn) return leaveStuck(walk, `The flow took ${walk.steps} steps without an end.`)
    walk.steps++
    const step = flow.steps[frame.step]
    const next = step ? runStep(walk, step) : completeFlow(walk)
    walk.isResumed = false
    if (next) return next
    if (walk.stack.length < depth) return { kind: 'wait' }
  }
}

function runStep(walk: Walk, step: AnyStep): FlowNext | undefined {
  const { playbookId, step: index } = topOf(walk)
  const kind = kindOf(step)
  if (!walk.isResumed) walk.trace.push(traceEntry(playbookId, step, index))
  switch (kind) {
    case 'collect':
      return runCollect(walk, step)
    case 'say':
      return runSay(walk, step)
    case 'action':
      return runAction(walk, step)
    case 'branch':
      runBranch(walk, step)
      return undefined
    case 'call':
      return runCall(walk, step.call!)
    case 'handoff':
      return runHandoff(walk, step.handoff!)
    case 'end':
      return runEnd(walk, step.end!)
    case undefined:
      warn(walk, 'flow.missing', `Step ${index} of ${playbookId} has no kind.`)
      changeTop(walk, { step: index + 1 })
      return undefined
  }
}

/** The playbook, or its flow, was removed while it ran. */
function leaveMissing(walk: Walk, { playbookId }: FlowFrame): FlowNext {
  warn(walk, 'flow.missing', `The playbook ${playbookId} has no flow any more.`)
  return leaveToHuman(walk, 'abandoned')
}
