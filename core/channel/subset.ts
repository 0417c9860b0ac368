/** Whether traits are a subset of others: content that fits the narrower traits may be sent under the wider ones. */
import { isRecord } from '../json.js'
import type { Traits } from './traits.js'

type Rule = (narrow: unknown, wide: unknown) => boolean
type UnknownRecord = Readonly<Record<string, unknown>>

const same: Rule = (narrow, wide) => narrow === wide
const atMost: Rule = (narrow, wide) =>
  wide === undefined ? isAbsentOrNumber(narrow) : typeof narrow === 'number' && narrow <= (wide as number)
const atLeast: Rule = (narrow, wide) => typeof narrow === 'number' && narrow >= (wide as number)
const subsetOf: Rule = (narrow, wide) =>
  Array.isArray(narrow) && narrow.every((each) => (wide as readonly unknown[]).includes(each))
/** What the wider traits require of a sender, the narrower ones require too. */
const required: Rule = (narrow, wide) => wide !== true || narrow === true
const allRequired: Rule = (narrow, wide) => subsetOf(wide ?? [], narrow ?? [])
const allowed: Rule = (narrow, wide) => narrow === false || (narrow === true && wide === true)

const isAbsentOrNumber = (value: unknown) => value === undefined || typeof value === 'number'

const scalarRules: Readonly<Record<string, Rule>> = { channel: same, markup: same, typing: allowed, windowHours: same }

const groupRules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  text: { max: atMost, unit: same, encoding: same, besideMax: atMost },
  chips: { kinds: subsetOf, min: atLeast, max: atMost, labelMax: atMost, whileNewest: required, alone: allRequired },
  card: {
    titleMax: atMost,
    descriptionMax: atMost,
    chipsMax: atMost,
    chipKinds: subsetOf,
    chipLabelMax: atMost,
    needsMedia: required,
    needsTitle: required,
  },
  carousel: { min: atLeast, max: atMost, alike: required },
  list: { min: atLeast, max: atMost, labelMax: atMost, descriptionMax: atMost },
  timePicker: { max: atMost },
  media: {
    types: subsetOf,
    maxBytes: atMost,
    imageMaxBytes: atMost,
    videoMaxBytes: atMost,
    audioMaxBytes: atMost,
  },
  receipts: { delivered: allowed, read: allowed },
}

/** Every channel has them. */
const mandatoryGroups = ['text', 'receipts']

/**
 * The first trait that exceeds the wide ones, such as `chips.max`; undefined if there is none. The channel, its markup
 * and its messaging window must be the same in both. Accepts anything as the narrow traits, and never throws.
 */
export function findExcessTrait(narrow: unknown, wide: Traits): string | undefined {
  if (!isRecord(narrow)) return 'traits'
  const wideTraits = wide as unknown as UnknownRecord
  for (const [name, rule] of Object.entries(scalarRules)) if (!rule(narrow[name], wideTraits[name])) return name
  for (const [name, rules] of Object.entries(groupRules)) {
    const [group, wideGroup] = [narrow[name], wideTraits[name]]
    if (group === undefined && !mandatoryGroups.includes(name)) continue
    if (!isRecord(group) || !isRecord(wideGroup)) return name
    for (const [field, rule] of Object.entries(rules))
      if (!rule(group[field], wideGroup[field])) return `${name}.${field}`
  }
  return undefined
}
