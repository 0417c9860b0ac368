/** What is valid and will not look everywhere as it was written: each warning names the channel that has least room. */
import { charactersOf } from '../amf/characters.js'
import type { ContentMessage, Part } from '../amf/message.js'
import { traitsOf } from '../channel/table.js'
import type { Traits } from '../channel/traits.js'
import { channelNames } from '../channelnames.js'
import { type Draft, originOf, warn } from './draft.js'

interface Least {
  readonly channel: string
  readonly most: number
}

const least = {
  chipLabel: leastOf(({ chips }) => chips?.labelMax),
  chips: leastOf(({ chips }) => chips?.max),
  cardTitle: leastOf(({ card }) => card?.titleMax),
  cardChipLabel: leastOf(({ card }) => card?.chipLabelMax),
  cardChips: leastOf(({ card }) => card?.chipsMax),
}

/** Zero means that the channel has no such thing, which is nothing a writer could keep to. */
function leastOf(pick: (traits: Traits) => number | undefined): Least {
  const all = channelNames.map((channel) => ({ channel, most: pick(traitsOf(channel)) || Number.POSITIVE_INFINITY }))
  return all.reduce((one, other) => (other.most < one.most ? other : one))
}

export function warnOf(draft: Draft, { parts, chips = [] }: ContentMessage): void {
  for (const [place, part] of parts.entries()) warnOfPart(draft, part, `parts[${place}]`)
  warnOfChips(draft, chips, 'chips', { label: least.chipLabel, count: least.chips })
}

function warnOfPart(draft: Draft, part: Part, path: string): void {
  switch (part.type) {
    case 'ask.choice':
      for (const [place, { label }] of part.options.entries()) {
        warnOfLabel(draft, label, `${path}.options[${place}]`, least.chipLabel)
      }
      break
    case 'ask.time':
      for (const [place, { label, start }] of part.slots.entries()) {
        const slot = `${path}.slots[${place}]`
        if (label !== undefined) warnOfLabel(draft, label, slot, least.chipLabel)
        const { now } = draft.options
        if (now !== undefined && Date.parse(start.iso) < now) {
          warn(draft, originOf(draft, slot).at, 'pastSlot', `${start.iso} is past`)
        }
      }
      break
    case 'showcase':
      for (const [place, { title }] of part.items.entries()) {
        warnOfLabel(draft, title, `${path}.items[${place}]`, least.cardTitle)
      }
      break
    case 'card':
      warnOfCard(draft, part.card, `${path}.card`)
      break
    case 'carousel':
      for (const [place, card] of part.cards.entries()) warnOfCard(draft, card, `${path}.cards[${place}]`)
      break
  }
}

type CardPart = Extract<Part, { type: 'card' }>['card']

function warnOfCard(draft: Draft, { title, chips = [] }: CardPart, path: string): void {
  if (title !== undefined) warnOfLabel(draft, title, `${path}.title`, least.cardTitle)
  warnOfChips(draft, chips, `${path}.chips`, { label: least.cardChipLabel, count: least.cardChips })
}

function warnOfChips(
  draft: Draft,
  chips: readonly { readonly label: string }[],
  path: string,
  { label, count }: { label: Least; count: Least },
): void {
  for (const [place, chip] of chips.entries()) warnOfLabel(draft, chip.label, `${path}[${place}]`, label)
  if (chips.length <= count.most) return
  const shown = `${count.channel} shows at most ${count.most}, and numbers or writes out the others`
  warn(draft, originOf(draft, path).at, 'tooManyChips', `Here are ${chips.length} chips; ${shown}`)
}

function warnOfLabel(draft: Draft, label: string, path: string, { channel, most }: Least): void {
  const characters = charactersOf(label)
  if (characters <= most) return
  const cut = `${channel} shows ${most} characters of it and this has ${characters}`
  warn(draft, originOf(draft, path).at, 'longLabel', `${JSON.stringify(label.slice(0, 60))} will be cut: ${cut}`)
}
