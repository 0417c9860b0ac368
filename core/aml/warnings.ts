/** Warnings about a valid message that some channel shows differently: each names the channel with the lowest limit. */
import { charactersOf } from '../amf/characters.js'
import type { ContentMessage, Part } from '../amf/message.js'
import { traitsOf } from '../channel/channeltraits.js'
import type { Traits } from '../channel/traits.js'
import { channelNames } from '../channelnames.js'
import { addWarning, type Draft, originOf } from './draft.js'

interface NarrowestLimit {
  readonly channel: string
  readonly max: number
}

const narrowest = {
  chipLabel: narrowestOf(({ chips }) => chips?.labelMax),
  chips: narrowestOf(({ chips }) => chips?.max),
  cardTitle: narrowestOf(({ card }) => card?.titleMax),
  cardChipLabel: narrowestOf(({ card }) => card?.chipLabelMax),
  cardChips: narrowestOf(({ card }) => card?.chipsMax),
}

/** Zero means that the channel lacks the feature, which is no limit that a writer could keep to. */
function narrowestOf(pick: (traits: Traits) => number | undefined): NarrowestLimit {
  const all = channelNames.map((channel) => ({ channel, max: pick(traitsOf(channel)) || Number.POSITIVE_INFINITY }))
  return all.reduce((one, other) => (other.max < one.max ? other : one))
}

export function addWarnings(draft: Draft, { parts, chips = [] }: ContentMessage): void {
  for (const [index, part] of parts.entries()) addPartWarnings(draft, part, `parts[${index}]`)
  addChipWarnings(draft, chips, 'chips', { label: narrowest.chipLabel, count: narrowest.chips })
}

function addPartWarnings(draft: Draft, part: Part, path: string): void {
  switch (part.type) {
    case 'ask.choice':
      for (const [index, { label }] of part.options.entries()) {
        addLabelWarning(draft, label, `${path}.options[${index}]`, narrowest.chipLabel)
      }
      break
    case 'ask.time':
      for (const [index, { label, start }] of part.slots.entries()) {
        const slot = `${path}.slots[${index}]`
        if (label !== undefined) addLabelWarning(draft, label, slot, narrowest.chipLabel)
        const { now } = draft.options
        if (now !== undefined && Date.parse(start.iso) < now) {
          addWarning(draft, originOf(draft, slot).at, 'pastSlot', `${start.iso} is past`)
        }
      }
      break
    case 'showcase':
      for (const [index, { title }] of part.items.entries()) {
        addLabelWarning(draft, title, `${path}.items[${index}]`, narrowest.cardTitle)
      }
      break
    case 'card':
      addCardWarnings(draft, part.card, `${path}.card`)
      break
    case 'carousel':
      for (const [index, card] of part.cards.entries()) addCardWarnings(draft, card, `${path}.cards[${index}]`)
      break
  }
}

type CardPart = Extract<Part, { type: 'card' }>['card']

function addCardWarnings(draft: Draft, { title, chips = [] }: CardPart, path: string): void {
  if (title !== undefined) addLabelWarning(draft, title, `${path}.title`, narrowest.cardTitle)
  addChipWarnings(draft, chips, `${path}.chips`, { label: narrowest.cardChipLabel, count: narrowest.cardChips })
}

function addChipWarnings(
  draft: Draft,
  chips: readonly { readonly label: string }[],
  path: string,
  { label, count }: { label: NarrowestLimit; count: NarrowestLimit },
): void {
  for (const [index, chip] of chips.entries()) addLabelWarning(draft, chip.label, `${path}[${index}]`, label)
  if (chips.length <= count.max) return
  const hint = `${count.channel} shows at most ${count.max}, and numbers or writes out the others`
  addWarning(draft, originOf(draft, path).at, 'tooManyChips', `Here are ${chips.length} chips; ${hint}`)
}

function addLabelWarning(draft: Draft, label: string, path: string, { channel, max }: NarrowestLimit): void {
  const characters = charactersOf(label)
  if (characters <= max) return
  const hint = `${channel} shows ${max} characters of it and this has ${characters}`
  addWarning(draft, originOf(draft, path).at, 'longLabel', `${JSON.stringify(label.slice(0, 60))} will be cut: ${hint}`)
}
