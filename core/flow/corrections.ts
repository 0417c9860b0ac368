/** Recognizes corrections: "my email is a@b.c", "no, the phone is …", "change the date", "wrong email". */
import { flow as limits } from '../limits/index.js'
import type { Slot, SlotType } from './slots/reader.js'
import { readableName } from './slots/words.js'

export interface Correction {
  readonly slot: Slot
  /** What the slot is to be. */
  readonly text?: string
  /** The person asks for a change, so the slot is asked again unless the text has its value. */
  readonly isRequest: boolean
  /** The words say that something is corrected: "no, …", "actually …". */
  readonly isMarked: boolean
}

const leadIn =
  /^(?:(?:no|nope|sorry|actually|wait|oops|correction|hold on|i meant|i mean|well|oh|please|can you|could you|can i|could i|i want to|i need to|i'd like to|i would like to|let me|let's)(?:[\s,.:;!-]+|$))+/i
const correcting = /\b(?:no|nope|sorry|actually|wait|oops|correction|meant|mean)\b/i
const change = /^(?:change|correct|edit|update|fix|redo|modify)\s+/i
const wrong = /^(?:wrong|incorrect)\s+/i
const article = /^(?:my|the|our|that)\s+/i
const isValue = /^\s*(?:is|should be|was|to|into|=|:)\s*/i
const isWrong = /^\s*(?:is|was)\s+(?:wrong|incorrect|not right|not correct|false)[\s.!]*$/i

const isEnd = /^[\s,.!?]*(?:please|instead|thanks)?[\s.!?]*$/i

/** Undefined for any other text. The slot is one that the flow collects; the text is its value's, unread. */
export function parseCorrection(source: string, slots: readonly Slot[]): Correction | undefined {
  if (source.length > limits.correctionChars) return undefined
  const text = source.trim().replace(/[\u2018\u2019]/g, "'")
  const lead = leadIn.exec(text)?.[0] ?? ''
  const isMarked = correcting.test(lead)
  const rest = text.slice(lead.length)
  const verb = (change.exec(rest) ?? wrong.exec(rest))?.[0] ?? ''
  const afterVerb = rest.slice(verb.length)
  const determiner = article.exec(afterVerb)?.[0] ?? ''
  const named = findNamed(afterVerb.slice(determiner.length), slots)
  if (!named) return undefined
  const { slot, after } = named
  const isRequest = verb !== '' || isWrong.test(after)
  const joint = isWrong.test(after) ? undefined : isValue.exec(after)?.[0]
  const value = joint === undefined ? '' : after.slice(joint.length).trim()
  if (value !== '') return { slot, text: value, isRequest, isMarked }
  return isRequest && (isWrong.test(after) || isEnd.test(after)) ? { slot, isRequest, isMarked } : undefined
}

interface Named {
  readonly slot: Slot
  readonly after: string
}

/** The slot whose name, the longest of several, the text begins with; undefined when two slots have that name. */
function findNamed(text: string, slots: readonly Slot[]): Named | undefined {
  const folded = text.toLowerCase()
  let longest = ''
  let found: Slot | undefined
  for (const slot of slots) {
    for (const name of namesOf(slot, slots)) {
      const next = folded[name.length] ?? ' '
      if (name.length < longest.length || !folded.startsWith(name) || /[\p{L}\p{N}]/u.test(next)) continue
      found = name.length === longest.length && found !== slot && longest !== '' ? undefined : slot
      longest = name
    }
  }
  return found && { slot: found, after: text.slice(longest.length) }
}

/** Words for a type name its only slot. */
const typeNames: Readonly<Partial<Record<SlotType, readonly string[]>>> = {
  email: ['email address', 'e-mail address', 'e-mail', 'email', 'mail'],
  phone: ['phone number', 'mobile number', 'phone', 'mobile', 'cell', 'number'],
  date: ['date', 'day'],
  timeslot: ['time slot', 'time', 'slot', 'appointment'],
}

function namesOf({ name, type, bind }: Slot, slots: readonly Slot[]): readonly string[] {
  const isOnlyOfType = slots.filter((slot) => slot.type === type).length === 1
  const field = bind?.slice(bind.lastIndexOf('.') + 1) ?? ''
  const names = [readableName(name), readableName(field), ...(isOnlyOfType ? (typeNames[type] ?? []) : [])]
  return names.filter((each) => each !== '')
}
