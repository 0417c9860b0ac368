/** Whether traits ask for no more than others: what fits the narrower ones may be sent wherever the wider ones hold. */
import { isRecord } from '../json.js'
import type { Traits } from './traits.js'

type Rule = (narrow: unknown, wide: unknown) => boolean
type Loose = Readonly<Record<string, unknown>>

const same: Rule = (narrow, wide) => narrow === wide
const atMost: Rule = (narrow, wide) =>
  wide === undefined ? isAbsentOrNumber(narrow) : typeof narrow === 'number' && narrow <= (wide as number)
const atLeast: Rule = (narrow, wide) => typeof narrow === 'number' && narrow >= (wide as number)
const among: Rule = (narrow, wide) =>
  Array.isArray(narrow) && narrow.every((each) => (wide as readonly unknown[]).includes(each))
/** What is asked of a sender is asked here, too. */
const asked: Rule = (narrow, wide) => wide !== true || narrow === true
const allAsked: Rule = (narrow, wide) => among(wide ?? [], narrow ?? [])
const granted: Rule = (narrow, wide) => narrow === false || (narrow === true && wide === true)

const isAbsentOrNumber = (value: unknown) => value === undefined || typeof value === 'number'

const wholes: Readonly<Record<string, Rule>> = { channel: same, markup: same, typing: granted, windowHours: same }

const groups: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  text: { max: atMost, unit: same, encoding: same, besideMax: atMost },
  chips: { kinds: among, min: atLeast, max: atMost, labelMax: atMost, whileNewest: asked, alone: allAsked },
  card: {
    titleMax: atMost,
    descriptionMax: atMost,
    chipsMax: atMost,
    chipKinds: among,
    chipLabelMax: atMost,
    needsMedia: asked,
    needsTitle: asked,
  },
  carousel: { min: atLeast, max: atMost, alike: asked },
  list: { min: atLeast, max: atMost, labelMax: atMost, descriptionMax: atMost },
  timePicker: { max: atMost },
  media: {
    types: among,
    maxBytes: atMost,
    imageMaxBytes: atMost,
    videoMaxBytes: atMost,
    audioMaxBytes: atMost,
  },
  receipts: { delivered: granted, read: granted },
}

/** Every channel has them. */
const never = ['text', 'receipts']

/**
 * The first trait that is more than the wide ones have, such as `chips.max`; undefined when there is none. The channel, its
 * markup and its messaging window are the same in both. Takes anything for the narrow ones, and never throws.
 */
export function widerTrait(narrow: unknown, wide: Traits): string | undefined {
  if (!isRecord(narrow)) return 'traits'
  const whole = wide as unknown as Loose
  for (const [name, rule] of Object.entries(wholes)) if (!rule(narrow[name], whole[name])) return name
  for (const [name, rules] of Object.entries(groups)) {
    const [group, room] = [narrow[name], whole[name]]
    if (group === undefined && !never.includes(name)) continue
    if (!isRecord(group) || !isRecord(room)) return name
    for (const [field, rule] of Object.entries(rules)) if (!rule(group[field], room[field])) return `${name}.${field}`
  }
  return undefined
}
