/** Steps that collect: each slot is taken from file, read back, or asked for, one after the other. */
import { readPredicate } from '../agent/flows/predicates.js'
import { type AnyStep, collectedSlots } from '../agent/flows/steps.js'
import { flow as limits } from '../limits/index.js'
import type { FlowNext, SlotValue } from './contract.js'
import { personValue } from './names.js'
import { askSlot, askSlotConfirm } from './questions.js'
import { predicateReason } from './reasons.js'
import { listedOptions } from './slots/options.js'
import { dataOfValue, readAnswer, type Slot } from './slots/reader.js'
import { timeslotAt } from './slots/timeslot.js'
import { hasSource, listOptions } from './sources.js'
import { literalAml } from './texts.js'
import {
  advance,
  changeTop,
  clearSlot,
  flowOf,
  leaveToHuman,
  memberOf,
  placeOf,
  setSlot,
  slotOf,
  topOf,
  type Walk,
  warn,
} from './walk.js'

/** Undefined: everything is collected, and the walk goes on. */
export function runCollect(walk: Walk, step: AnyStep): FlowNext | undefined {
  for (const name of collectedSlots(step)) {
    const flow = flowOf(walk, topOf(walk))
    const slot = flow && slotOf(flow, name)
    if (slot) {
      const next = collectSlot(walk, slot)
      if (next) return next
    } else warn(walk, 'flow.missing', `The flow has no slot ${name}.`)
  }
  advance(walk)
  return undefined
}

function collectSlot(walk: Walk, slot: Slot): FlowNext | undefined {
  const { slots, skipped = [], confirmed = [] } = topOf(walk)
  if (skipped.includes(slot.name)) return undefined
  const value = memberOf(slots, slot.name)
  if (value !== undefined) {
    return slot.confirm && !confirmed.includes(slot.name) ? askSlotConfirm(walk, slot, value) : undefined
  }
  const onFile = valueOnFile(walk, slot)
  if (onFile === undefined) return requestSlot(walk, slot)
  setSlot(walk, slot.name, onFile)
  confirmSlot(walk, slot.name)
  return undefined
}

export function confirmSlot(walk: Walk, name: string): void {
  changeTop(walk, { confirmed: [...(topOf(walk).confirmed ?? []), name] })
}

/** A value of another form than the slot's is taken as it stands: what is on file is never asked. */
export function valueOnFile(walk: Walk, { name, type, bind }: Slot): SlotValue | undefined {
  if (bind === undefined || memberOf(topOf(walk).asked, name) !== undefined) return undefined
  const [root, ...path] = bind.split('.')
  const value = root === 'person' ? personValue(walk.environment, bind, path) : undefined
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const text = String(value).trim()
  if (text === '') return undefined
  if (type === 'timeslot') return timeslotAt(typeof value === 'number' ? value : text, walk.environment.zone)
  return readAnswer(type, text, placeOf(walk.environment)) ?? (typeof value === 'string' ? text : value)
}

/** Asks, with the options that a source lists. A slot that cannot be asked is given up. */
export function requestSlot(walk: Walk, slot: Slot): FlowNext | undefined {
  if (!hasSource(slot)) return askSlot(walk, slot)
  const listing = listOptions(walk, slot)
  if ('next' in listing) return listing.next
  if ('offered' in listing) return askSlot(walk, slot, listing.offered)
  if (slot.type !== 'timeslot' && listedOptions(slot, placeOf(walk.environment)).length > 0) return askSlot(walk, slot)
  walk.say.push({ kind: 'text', aml: literalAml(listing.problem) })
  return giveUp(walk, slot, listing.problem)
}

/** An optional slot is skipped; without a required one the flow cannot go on. */
function giveUp(walk: Walk, slot: Slot, why: string): FlowNext | undefined {
  changeTop(walk, { waiting: undefined })
  if (slot.required === false) {
    skipSlot(walk, slot.name)
    return undefined
  }
  warn(walk, 'flow.slot.exhausted', `${slot.name} was given up: ${why}`)
  return leaveToHuman(walk, 'abandoned')
}

export function skipSlot(walk: Walk, name: string): void {
  clearSlot(walk, name)
  changeTop(walk, { skipped: [...(topOf(walk).skipped ?? []), name] })
}

/** Counts an answer that was not taken, says why, and asks again. Undefined: the slot is skipped, the walk goes on. */
export function refuseAnswer(
  walk: Walk,
  slot: Slot,
  reason: string,
  ask: () => FlowNext | undefined,
): FlowNext | undefined {
  const { invalidAnswers } = topOf(walk)
  const count = (memberOf(invalidAnswers, slot.name) ?? 0) + 1
  changeTop(walk, { invalidAnswers: { ...invalidAnswers, [slot.name]: count }, digressions: 0 })
  if (count >= limits.invalidAnswers) return giveUp(walk, slot, `${count} answers did not fit.`)
  walk.say.push({ kind: 'text', aml: reason })
  return ask()
}

export type Judged = { readonly value: SlotValue } | { readonly reason: string }

/** A predicate that cannot be read accepts everything: lint has reported it. */
export function judgeValue({ validate }: Slot, value: SlotValue): Judged {
  if (validate === undefined) return { value }
  const predicate = readPredicate(validate)
  const isAccepted = !('accepts' in predicate) || predicate.accepts(String(dataOfValue(value)))
  return isAccepted ? { value } : { reason: predicateReason(validate) }
}
