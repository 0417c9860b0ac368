/** Reads a message or a tap as an answer to what the flow waits for. */
import { type AnyFlow, collectedSlots } from '../agent/flows/steps.js'
import { tokensOf } from '../conversation/spelling.js'
import type { Result } from '../conversation/state.js'
import { judgeValue, valueOnFile } from './collect.js'
import type { FlowWait, Offered, SlotValue } from './contract.js'
import { type Correction, parseCorrection } from './corrections.js'
import type { Move } from './moves.js'
import { actionConfirmTopic, choicesOf, isFlowIntent, isIntentOf, slotConfirmTopic } from './questions.js'
import { typeReason } from './reasons.js'
import { matchChoice } from './slots/choice.js'
import { readAnswer, readableText, readMentions, type Slot } from './slots/reader.js'
import { matchTime, type OfferedTime } from './slots/timeslot.js'
import { isCancel, isSkip, readYesNo } from './slots/words.js'
import { flowOf, memberOf, placeOf, slotOf, stepOf, topOf, type Walk } from './walk.js'

type SlotWait = Extract<FlowWait, { kind: 'slot' }>
type Plain = Exclude<Move, { kind: 'digression' }>

const digression = (otherwise: Plain): Move => ({ kind: 'digression', otherwise })

/** The values that the message mentions with which the flow was entered, for slots that its steps collect. */
export function readEntry(walk: Walk, text: string): Move {
  const flow = flowOf(walk, topOf(walk))
  const names = new Set(flow?.steps.flatMap(collectedSlots))
  const values = flow ? mentionedValues(walk, flow, names, readableText(text)) : new Map()
  return { kind: 'walk', values }
}

export function readMessage(walk: Walk, source: string, isAnswerable: boolean): Move {
  const frame = topOf(walk)
  const flow = flowOf(walk, frame)
  const { waiting } = frame
  const text = readableText(source)
  if (!flow || !waiting) return readEntry(walk, text)
  const slot = 'slot' in waiting ? slotOf(flow, waiting.slot) : undefined
  switch (waiting.kind) {
    case 'slot':
      return slot ? readSlotMessage(walk, flow, waiting, slot, text, isAnswerable) : readEntry(walk, text)
    case 'slotConfirm':
      return slot ? readSlotConfirm(walk, flow, slot, text) : readEntry(walk, text)
    case 'actionConfirm':
      return readActionConfirm(walk, flow, waiting.key, text)
    case 'call':
      return interrupted
  }
}

/** The turn that waited for a call has ended without its outcome. */
const interrupted: Move = {
  kind: 'outcome',
  outcome: { state: 'cancelled', reason: 'It is not known whether it was done.' },
}

function readSlotMessage(
  walk: Walk,
  flow: AnyFlow,
  waiting: SlotWait,
  slot: Slot,
  text: string,
  isAnswerable: boolean,
): Move {
  const choices = choicesOf(walk, slot, waiting.offered)
  const chosen = matchOffered(walk, slot, choices, text)
  if (chosen) return fillWith(walk, flow, slot, chosen.value, text)
  const correction = readCorrection(walk, flow, slot, text)
  if (correction) return correction
  const place = placeOf(walk.environment)
  const typed = slot.type === 'string' ? undefined : readAnswer(slot.type, text, place)
  if (typed !== undefined) return fillWith(walk, flow, slot, typed, text)
  if (slot.required === false && isSkip(text)) return { kind: 'skip', slot: slot.name }
  if (isCancel(text)) return { kind: 'cancel' }
  const refused: Plain = { kind: 'refuse', slot: slot.name, reason: typeReason(slot.type) }
  if (slot.type === 'string' && text !== '') {
    const answer = fillWith(walk, flow, slot, text, text)
    if (answer.kind === 'refuse') return digression(answer)
    return isAnswerable ? digression(answer) : answer
  }
  const mentioned = otherValues(walk, flow, slot, text)
  return mentioned.size > 0 ? { kind: 'fill', values: mentioned } : digression(refused)
}

function matchOffered(walk: Walk, slot: Slot, choices: readonly Offered[], text: string): Offered | undefined {
  if (choices.length === 0) return undefined
  if (slot.type !== 'timeslot') return matchChoice(text, choices)
  return matchTime(text, choices as readonly OfferedTime[], placeOf(walk.environment))
}

/** The value, if its slot accepts it, and what else the text says for slots of the same step. */
function fillWith(walk: Walk, flow: AnyFlow, slot: Slot, value: SlotValue, text: string): Plain {
  const judged = judgeValue(slot, value)
  if ('reason' in judged) return { kind: 'refuse', slot: slot.name, reason: judged.reason }
  return { kind: 'fill', values: new Map([[slot.name, value], ...otherValues(walk, flow, slot, text)]) }
}

/** What a text says besides its answer, for slots of the same step that are of another type than the asked one. */
function otherValues(walk: Walk, flow: AnyFlow, asked: Slot, text: string): ReadonlyMap<string, SlotValue> {
  const step = stepOf(walk)
  const isOther = (name: string) => {
    const type = slotOf(flow, name)?.type
    return type !== asked.type && !(type === 'enum' && asked.options)
  }
  return mentionedValues(walk, flow, new Set(step ? collectedSlots(step).filter(isOther) : []), text)
}

/**
 * The values that a text mentions for open slots with these names. A value belongs to a slot when no other open slot
 * can have it. Slots that take any text take none of it.
 */
function mentionedValues(
  walk: Walk,
  flow: AnyFlow,
  names: ReadonlySet<string>,
  text: string,
): ReadonlyMap<string, SlotValue> {
  const { slots, skipped = [] } = topOf(walk)
  const isOpen = ({ name }: Slot) => names.has(name) && memberOf(slots, name) === undefined && !skipped.includes(name)
  const open = (flow.slots ?? []).filter(isOpen)
  if (open.length === 0 || text === '') return new Map()
  const words = new Set(tokensOf(text))
  const byType = readMentions(text, new Set(open.map(({ type }) => type)), placeOf(walk.environment))
  const mentioned = open.flatMap((slot) => {
    const value = slot.type === 'enum' ? mentionedOption(walk, slot, text, words) : byType.get(slot.type)
    return value === undefined ? [] : [{ slot, value }]
  })
  const isOnly = (each: (typeof mentioned)[number]) =>
    mentioned.every((other) => other === each || other.slot.type !== each.slot.type || other.value !== each.value)
  const values = mentioned.filter((each) => isOnly(each) && 'value' in judgeValue(each.slot, each.value))
  return new Map(values.map(({ slot, value }) => [slot.name, value]))
}

/** A shorter label is a word of too many sentences. */
const shortestLabel = 3

/** The option whose label stands in the text. */
function mentionedOption(walk: Walk, slot: Slot, text: string, words: ReadonlySet<string>): SlotValue | undefined {
  const choices = choicesOf(walk, slot, undefined)
  const isNamed = ({ label }: Offered) =>
    label.length >= shortestLabel && tokensOf(label).every((word) => words.has(word))
  if (!choices.some(isNamed)) return undefined
  const option = matchChoice(text, choices)
  return option && isNamed(option) ? option.value : undefined
}

/** Undefined for a text that corrects nothing. `asked`: the slot that is asked for, or read back. */
function readCorrection(walk: Walk, flow: AnyFlow, asked: Slot | undefined, text: string): Move | undefined {
  const collected = new Set(flow.steps.flatMap(collectedSlots))
  const slots = (flow.slots ?? []).filter(({ name }) => collected.has(name))
  const correction = parseCorrection(text, slots)
  if (!correction) return undefined
  const { slot } = correction
  const value = correctedValue(walk, correction)
  if (slot.name === asked?.name) return value === undefined ? undefined : fillWith(walk, flow, slot, value, text)
  // "The name is on the card" is rather what a question for any text wants to know.
  const isGuess = slot.type === 'string' && asked?.type === 'string' && !correction.isMarked && !correction.isRequest
  if (isGuess) return undefined
  const judged = value === undefined ? undefined : judgeValue(slot, value)
  if (judged && 'value' in judged) return { kind: 'correct', slot: slot.name, value: judged.value }
  const isKnown = memberOf(topOf(walk).slots, slot.name) !== undefined || valueOnFile(walk, slot) !== undefined
  // A time is chosen among those that are free, so another one is asked for.
  if (!isKnown || !(judged || correction.isRequest || slot.type === 'timeslot')) return undefined
  return { kind: 'correct', slot: slot.name, ...(judged && { reason: judged.reason }) }
}

function correctedValue(walk: Walk, { slot, text }: Correction): SlotValue | undefined {
  if (text === undefined) return undefined
  const place = placeOf(walk.environment)
  if (slot.type === 'timeslot') return undefined
  const option = slot.type === 'boolean' ? undefined : matchChoice(text, choicesOf(walk, slot, undefined))
  return option?.value ?? readAnswer(slot.type, text, place)
}

/** A text that is neither yes nor no may have the right value. */
function readSlotConfirm(walk: Walk, flow: AnyFlow, slot: Slot, text: string): Move {
  const correction = readCorrection(walk, flow, slot, text)
  if (correction) return correction
  const withoutNo = text.replace(/^(?:no|nope|nah)[\s,.:;!-]+(?:(?:it's|it is|its)\s+)?/i, '')
  const isAnyText = slot.type === 'string' && (withoutNo === text || isSkip(text))
  const value =
    isAnyText || slot.type === 'boolean'
      ? undefined
      : correctedValue(walk, { ...plainCorrection, slot, text: withoutNo })
  const isSame = value === memberOf(topOf(walk).slots, slot.name)
  if (value !== undefined && !isSame) return fillWith(walk, flow, slot, value, text)
  const isRight = readYesNo(text) ?? (isSame || undefined)
  if (isRight !== undefined) return { kind: 'confirmSlot', slot: slot.name, isRight }
  return isCancel(text)
    ? { kind: 'cancel' }
    : digression({ kind: 'refuse', slot: slot.name, reason: typeReason('boolean') })
}

const plainCorrection = { isRequest: false, isMarked: false }

/** A text is never the yes to an action: only an answer to the question itself is. */
function readActionConfirm(walk: Walk, flow: AnyFlow, key: string, text: string): Move {
  if (isCancel(text)) return { kind: 'cancel' }
  const correction = readCorrection(walk, flow, undefined, text)
  if (correction) return correction
  if (readYesNo(text) === false) return { kind: 'decide', key, isApproved: false }
  return digression({ kind: 'unconfirmed', key })
}

/** An answer to a question of the flow, or a tap on a chip, which says what its value says. */
export function readResult(walk: Walk, result: Result): Move {
  const frame = topOf(walk)
  const flow = flowOf(walk, frame)
  const { waiting } = frame
  const { intent, intentId, optionIds, labels } = result
  if (waiting?.kind === 'call') return interrupted
  if (intent === 'chips' && !isFlowIntent(intentId)) {
    return readMessage(walk, optionIds[0] ?? labels[0] ?? '', false)
  }
  if (!flow || !waiting) return { kind: 'walk', values: new Map() }
  if (waiting.kind === 'actionConfirm') {
    const answer = isIntentOf(frame, actionConfirmTopic(waiting.key), intentId) ? yesOrNo(result) : undefined
    return answer === undefined
      ? digression({ kind: 'repeat' })
      : { kind: 'decide', key: waiting.key, isApproved: answer }
  }
  const slot = slotOf(flow, waiting.slot)
  if (!slot) return { kind: 'walk', values: new Map() }
  const value = memberOf(frame.slots, slot.name)
  const isReadBack = waiting.kind === 'slotConfirm' && value !== undefined
  if (isReadBack && isIntentOf(frame, slotConfirmTopic(slot.name, value), intentId)) {
    const isRight = yesOrNo(result)
    if (isRight !== undefined) return { kind: 'confirmSlot', slot: slot.name, isRight }
  }
  if (!isIntentOf(frame, slot.name, intentId)) return digression({ kind: 'repeat' })
  const answer = resultValue(walk, slot, waiting.kind === 'slot' ? waiting.offered : undefined, result)
  if (answer === undefined) return { kind: 'refuse', slot: slot.name, reason: typeReason(slot.type) }
  return fillWith(walk, flow, slot, answer, result.via === 'text' ? readableText(result.text ?? '') : '')
}

function yesOrNo({ optionIds }: Result): boolean | undefined {
  return optionIds[0] === 'yes' ? true : optionIds[0] === 'no' ? false : undefined
}

/** By the option's id, else by its label: the option of an earlier asking may have another id now. */
function resultValue(
  walk: Walk,
  slot: Slot,
  offered: readonly Offered[] | undefined,
  result: Result,
): SlotValue | undefined {
  if (slot.type === 'boolean') return yesOrNo(result)
  const choices = choicesOf(walk, slot, offered)
  const [label = ''] = result.labels
  const byId = choices.find(({ id }) => result.optionIds.includes(id))
  return (byId ?? (label === '' ? undefined : matchOffered(walk, slot, choices, readableText(label))))?.value
}
