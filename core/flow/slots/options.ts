/** The options of a choice: those that the slot lists, and those that the result of a tool lists. */
import { isRecord } from '../../json.js'
import { amf } from '../../limits/index.js'
import type { Offered, SlotValue } from '../contract.js'
import type { ReadingPlace } from './date.js'
import { readAnswer, type Slot } from './reader.js'

/** An option of a number or a date is read like an answer; one that cannot be read is the value as it stands. */
export function listedOptions({ type, options = [] }: Slot, place: ReadingPlace): Offered[] {
  return distinct(
    options.map((option) => {
      const value = type === 'enum' ? option.trim() : (readAnswer(type, option, place) ?? option.trim())
      return { label: option, value }
    }),
  )
}

/** A list of texts, or of objects with a label and perhaps an id; or an object of which one member is such a list. */
export function optionsOfResult(result: unknown): Offered[] {
  const list = Array.isArray(result) ? result : isRecord(result) ? Object.values(result).find(Array.isArray) : undefined
  return distinct((list ?? []).flatMap((entry: unknown) => optionOf(entry) ?? []))
}

interface Option {
  readonly label: string
  readonly value: SlotValue
}

function optionOf(entry: unknown): Option | undefined {
  if (typeof entry === 'string') return { label: entry, value: entry.trim() }
  if (typeof entry === 'number') return { label: String(entry), value: entry }
  if (!isRecord(entry)) return undefined
  const label = textMember(entry, ['label', 'name', 'title', 'text'])
  const value = textMember(entry, ['value', 'id', 'key']) ?? label
  return value === undefined ? undefined : { label: String(label ?? value), value }
}

function textMember(entry: Readonly<Record<string, unknown>>, names: readonly string[]): string | number | undefined {
  for (const name of names) {
    const value = Object.hasOwn(entry, name) ? entry[name] : undefined
    if ((typeof value === 'string' && value.trim() !== '') || typeof value === 'number') return value
  }
  return undefined
}

/** Each with an id: its value where that can be one. */
function distinct(options: readonly Option[]): Offered[] {
  const offered = new Map<string, Offered>()
  const labels = new Set<string>()
  for (const { label: text, value } of options) {
    const label = text
      .slice(0, amf.textChars)
      .replace(/\p{Surrogate}|\0/gu, '')
      .trim()
    const id = idOf(value, offered.size)
    if (label === '' || labels.has(label) || offered.has(id) || offered.size === amf.options) continue
    labels.add(label)
    offered.set(id, { id, label, value })
  }
  return [...offered.values()]
}

function idOf(value: SlotValue, index: number): string {
  const id = String(value)
  const isId = id !== '' && id.length <= amf.idChars && !/\p{Cc}|\p{Surrogate}/u.test(id)
  return isId ? id : `option-${index + 1}`
}
