/** Questions of a flow: what the agent says to ask for a slot or a confirmation, and the intent of each. */
import { Temporal } from 'temporal-polyfill'
import { bodyHash } from '../agent/index.js'
import type { Part } from '../amf/index.js'
import { isMoment } from '../moment.js'
import { capitalize } from './arguments.js'
import type { FlowFrame, FlowNext, FlowSay, FlowWait, Offered, SlotValue } from './contract.js'
import { listedOptions } from './slots/options.js'
import { dataOfValue, type Slot, textOfValue } from './slots/reader.js'
import { hasOwnLabel, isTimeslot, type OfferedTime } from './slots/timeslot.js'
import { readableName } from './slots/words.js'
import { fillAml, fillPlain, shown } from './texts.js'
import { changeTop, flowOf, memberOf, placeOf, readerOf, slotOf, stepOf, topOf, type Walk } from './walk.js'

const intentPrefix = 'flow:'

export function isFlowIntent(intentId: string): boolean {
  return intentId.startsWith(intentPrefix)
}

/** Whether an intent, of this asking or an earlier one, asked about that topic of the flow. */
export function isIntentOf({ playbookId }: FlowFrame, topic: string, intentId: string): boolean {
  return intentId.startsWith(`${intentPrefix}${playbookId}:${topic}:`)
}

/** Topics of confirmations, each of exactly one value or call. No slot has such a name. */
export const slotConfirmTopic = (slot: string, value: SlotValue) => `${slot}?${bodyHash(String(dataOfValue(value)))}`
export const actionConfirmTopic = (key: string) => `=${key}`

function newIntent(walk: Walk, topic: string): string {
  const { playbookId, asked = {} } = topOf(walk)
  const count = (memberOf(asked, topic) ?? 0) + 1
  changeTop(walk, { asked: { ...asked, [topic]: count } })
  return `${intentPrefix}${playbookId}:${topic}:${count}`
}

const wait: FlowNext = { kind: 'wait' }

/** The options that a pending question has. */
export function choicesOf(walk: Walk, slot: Slot, offered: readonly Offered[] | undefined): readonly Offered[] {
  const hasOwn = slot.type !== 'boolean' && slot.type !== 'timeslot'
  return offered ?? (hasOwn ? listedOptions(slot, placeOf(walk.environment)) : [])
}

/** `offered`: options that are not the flow's own. */
export function askSlot(walk: Walk, slot: Slot, offered?: readonly Offered[]): FlowNext {
  const intentId = newIntent(walk, slot.name)
  const part = partOf(walk, slot, intentId, choicesOf(walk, slot, offered))
  walk.say.push(part ? { kind: 'part', part } : { kind: 'text', aml: promptOf(walk, slot, fillAml) })
  const waiting: FlowWait = { kind: 'slot', slot: slot.name, ...(part && { intentId }), ...(offered && { offered }) }
  changeTop(walk, { waiting })
  return wait
}

function promptOf(walk: Walk, { name, prompt = '' }: Slot, fill: typeof fillAml): string {
  return shown(fill(prompt, readerOf(walk)), `${capitalize(readableName(name))}?`)
}

function partOf(walk: Walk, slot: Slot, intentId: string, choices: readonly Offered[]): Part | undefined {
  const prompt = promptOf(walk, slot, fillPlain)
  if (slot.type === 'boolean') {
    const [yes, no, ...others] = listedOptions(slot, placeOf(walk.environment))
    const labels = yes && no && others.length === 0 ? { yesLabel: yes.label, noLabel: no.label } : {}
    return { type: 'confirm', intentId, prompt, ...labels }
  }
  if (choices.length === 0) return undefined
  if (slot.type !== 'timeslot') {
    return { type: 'ask.choice', intentId, prompt, options: choices.map(({ id, label }) => ({ id, label })) }
  }
  const slots = (choices as readonly OfferedTime[]).map((time) => ({
    id: time.id,
    start: { iso: time.value.start, tz: time.value.zone },
    ...(hasOwnLabel(time) && { label: time.label }),
  }))
  return { type: 'ask.time', intentId, prompt, slots }
}

const confirmPrompt = 'Is this right?'

/** Reads a value back. */
export function askSlotConfirm(walk: Walk, slot: Slot, value: SlotValue): FlowNext {
  const intentId = newIntent(walk, slotConfirmTopic(slot.name, value))
  const details = [{ label: shown(capitalize(readableName(slot.name)), slot.name), value: detailOf(slot, value) }]
  walk.say.push({ kind: 'part', part: { type: 'confirm', intentId, prompt: confirmPrompt, details } })
  changeTop(walk, { waiting: { kind: 'slotConfirm', slot: slot.name, intentId } })
  return wait
}

function detailOf({ type }: Slot, value: SlotValue) {
  if (isTimeslot(value)) return { iso: value.start, tz: value.zone }
  const text = textOfValue(value)
  return shown(type === 'date' && isDay(text) ? dayText(text) : text, '-')
}

const isDay = (text: string) => text.length === '2030-05-14'.length && isMoment(text)

/** With the day of the week, by which people notice a wrong date. */
function dayText(date: string): string {
  return Temporal.PlainDate.from(date).toLocaleString('en-US', { dateStyle: 'full' })
}

export function askActionConfirm(walk: Walk, text: string, key: string): FlowNext {
  const intentId = newIntent(walk, actionConfirmTopic(key))
  const prompt = shown(fillPlain(text, readerOf(walk)), confirmPrompt)
  walk.say.push({ kind: 'part', part: { type: 'confirm', intentId, prompt } })
  changeTop(walk, { waiting: { kind: 'actionConfirm', key, intentId } })
  return wait
}

/** Asks once more what the frame waits for. `isBrief`: only points back to the question, which stays open. */
export function askAgain(walk: Walk, waiting: FlowWait, isBrief = false): FlowNext {
  const frame = topOf(walk)
  const flow = flowOf(walk, frame)
  const slot = flow && 'slot' in waiting ? slotOf(flow, waiting.slot) : undefined
  if (isBrief) {
    walk.say.push(pointerTo(walk, waiting, slot))
    return wait
  }
  if (waiting.kind === 'slot' && slot) return askSlot(walk, slot, waiting.offered)
  const value = waiting.kind === 'slotConfirm' ? memberOf(frame.slots, waiting.slot) : undefined
  if (slot) return value === undefined ? askSlot(walk, slot) : askSlotConfirm(walk, slot, value)
  if (waiting.kind === 'actionConfirm') return askActionConfirm(walk, stepOf(walk)?.confirm ?? '', waiting.key)
  return wait
}

function pointerTo(walk: Walk, waiting: FlowWait, slot: Slot | undefined): FlowSay {
  const question =
    waiting.kind === 'slot' && slot
      ? promptOf(walk, slot, fillAml)
      : shown(
          waiting.kind === 'actionConfirm' ? fillAml(stepOf(walk)?.confirm ?? '', readerOf(walk)) : '',
          confirmPrompt,
        )
  return { kind: 'text', aml: `Back to my question: ${question}` }
}
