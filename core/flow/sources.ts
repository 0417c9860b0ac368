/** The options of a slot that a tool lists: free times, or the result of an integration. */
import { readAction, toolNameOf } from '../agent/flows/steps.js'
import { isDone, type ToolCall } from '../tools/contract.js'
import { argumentsOf } from './arguments.js'
import { gate, isRead, keepOutcome, readOutcome, startCall } from './calls.js'
import type { FlowNext, Offered } from './contract.js'
import { keyOfCall } from './key.js'
import { optionsOfResult } from './slots/options.js'
import type { Slot } from './slots/reader.js'
import { offeredTimes } from './slots/timeslot.js'
import { flowOf, resultOf, topOf, type Walk, warn } from './walk.js'

const availability = 'scheduling.availability'

export function hasSource({ type, source }: Slot): boolean {
  return type === 'timeslot' || (source !== undefined && type !== 'boolean')
}

export type Listing =
  | { readonly offered: readonly Offered[] }
  | { readonly next: FlowNext }
  /** Why there are no options, in a sentence. */
  | { readonly problem: string }

/** A time without a source is one that the agent's scheduling offers. */
export function listOptions(walk: Walk, slot: Slot): Listing {
  const source = slot.source ?? availability
  const name = toolNameOf(readAction(source))
  if (name === undefined) {
    warn(walk, 'flow.missing', `There is no tool ${source} to list options of ${slot.name}.`)
    return { problem: `There is no tool ${source}.` }
  }
  const call = sourceCall(walk, name)
  const outcome = outcomeOf(walk, call)
  if ('next' in outcome) return outcome
  if (!isDone(outcome)) return { problem: outcome.reason }
  const { zone } = walk.environment
  const offered = slot.type === 'timeslot' ? offeredTimes(outcome.result, zone) : optionsOfResult(outcome.result)
  if (offered.length > 0) return { offered }
  return { problem: slot.type === 'timeslot' ? 'There is no free time at the moment.' : 'There is nothing to choose.' }
}

function outcomeOf(walk: Walk, call: ToolCall) {
  const refused = gate(walk, call)
  if (refused) {
    keepOutcome(walk, call, refused)
    return refused
  }
  if (isRead(call)) {
    const read = readOutcome(walk, call)
    if ('next' in read) return read
    if (!isDone(read.outcome)) keepOutcome(walk, call, read.outcome)
    return read.outcome
  }
  return resultOf(walk, keyOfCall(call))?.outcome ?? { next: startCall(walk, call, 1) }
}

/** Free times are searched with the arguments of the nearest earlier step that has searched them. */
function sourceCall(walk: Walk, name: string): ToolCall {
  const frame = topOf(walk)
  const steps = name === availability ? (flowOf(walk, frame)?.steps.slice(0, frame.step) ?? []) : []
  for (const step of steps.toReversed()) {
    if (step.action !== name) continue
    const call = { name, arguments: argumentsOf(walk, step, name) }
    if (resultOf(walk, keyOfCall(call))) return call
  }
  return { name, arguments: argumentsOf(walk, {}, name) }
}
