/** The ladders of parts that ask: a choice, a time, a yes or no, a place. Each ends in the exact text of the floor. */

import type { RenderedChip, RenderedRow } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import { type At, always, type Ladder, type PartOf, type Piece, roomBelow, textDraft } from './drafts.js'
import { areUnlike, chipLabels, cutLabels } from './labels.js'
import { below, entry, type Line, literal, oneLine } from './lines.js'
import { sizeOf } from './split.js'
import { shortForms, slotLabels, valueText } from './values.js'
import { words } from './words.js'
import { write } from './writers.js'

/** Something to choose from, whichever part it comes from. */
export interface Choice {
  readonly label: string
  /** Shorter ways to write it, longest first; a label with any is written whole in one of them and never cut. */
  readonly forms?: readonly string[]
  readonly description?: string
  readonly mediaUrl?: string
  readonly tap: number
}

export interface Question {
  /** Absent where a showcase has no prompt. */
  readonly prompt?: string
  readonly choices: readonly Choice[]
}

export const takesReplies = ({ chips }: Traits) => chips?.kinds.includes('reply') === true

const about = ({ description, mediaUrl }: Choice): Line[] => [...below(description), ...below(mediaUrl)]

/**
 * The labels as they fit: where one with other forms is too long, all of its kind take the first form that fits them all
 * and tells them apart. Undefined where there is none: then they are numbered.
 */
function labelsFor(choices: readonly Choice[], max: number): readonly string[] | undefined {
  const isFormed = choices.some(({ label, forms }) => forms && oneLine(label).length > max)
  if (!isFormed) return choices.map(({ label }) => label)
  const rows = (choices.find(({ forms }) => forms)?.forms ?? []).map((_, row) =>
    choices.map(({ label, forms }) => forms?.[row] ?? label),
  )
  return rows.find((row) => areUnlike(row) && choices.every(({ forms }, at) => !forms || row[at]!.length <= max))
}

/** Where labels are cut or descriptions have no place, the choices are listed in the text as they are. */
function listed({ prompt, choices }: Question, needed: boolean): Line[] {
  const lines = prompt === undefined ? [] : literal(prompt)
  if (needed) lines.push(...choices.flatMap((choice) => [entry('- ', choice.label), ...about(choice)]))
  return lines.length > 0 ? lines : literal(words.choose)
}

export function inList(question: Question, at: At): Piece | undefined {
  const { list, text } = at.traits
  const { choices } = question
  if (!list || choices.length < Math.max(2, list.min) || choices.length > list.max) return undefined
  const labels = cutLabels(labelsFor(choices, list.labelMax), list.labelMax, text.encoding)
  if (!labels) return undefined
  const isLink = (mediaUrl: string | undefined) => mediaUrl !== undefined && at.say.links?.has(mediaUrl) === true
  const isWhole = ({ label, description = '', mediaUrl }: Choice, place: number) =>
    labels[place] === oneLine(label) && description.length <= list.descriptionMax && !isLink(mediaUrl)
  const whole = choices.every(isWhole)
  const rows: RenderedRow[] = choices.map(({ description, mediaUrl, tap }, place) => ({
    label: labels[place]!,
    ...(whole && description !== undefined && { description }),
    ...(whole && mediaUrl !== undefined && { mediaUrl }),
    tap,
  }))
  return { drafts: [{ kind: 'list', lines: listed(question, !whole), rows }], numbered: [] }
}

export function asChips(question: Question, at: At): Piece | undefined {
  const room = roomBelow(at)
  const { choices } = question
  if (!room?.kinds.includes('reply') || choices.length < room.min || choices.length > room.max) return undefined
  const labels = chipLabels(labelsFor(choices, room.labelMax), room.labelMax, at.traits.text.encoding)
  if (!labels) return undefined
  const whole = choices.every((choice, place) => labels[place] === oneLine(choice.label) && about(choice).length === 0)
  const chips = choices.map(({ tap }, place): RenderedChip => ({ label: labels[place]!, kind: 'reply', tap }))
  return { drafts: [textDraft(listed(question, !whole), chips)], numbered: [] }
}

/** A single option is no list to number: YES takes it. */
export function inWords({ prompt, choices }: Question, at: At): Piece {
  const lines = prompt === undefined ? [] : literal(prompt)
  const [first] = choices
  if (choices.length === 1 && first) {
    lines.push(...literal(oneLine(first.label)), ...about(first), ...literal(words.yesToChoose))
    return { drafts: [textDraft(lines)], numbered: [] }
  }
  for (const [place, choice] of choices.entries()) {
    lines.push(entry(`${at.firstNumber + place}. `, choice.label), ...about(choice))
  }
  return { drafts: [textDraft(lines, [], words.byNumber)], numbered: choices.map(({ tap }) => tap), prompted: true }
}

const optionsOf = ({ prompt, options }: PartOf<'ask.choice'>, { firstTap }: At): Question => ({
  prompt,
  choices: options.map((option, place) => ({ ...option, tap: firstTap + place })),
})

export const choiceLadder: Ladder<PartOf<'ask.choice'>> = [
  { name: 'list', level: 'native', has: ({ list }) => !!list, show: (part, at) => inList(optionsOf(part, at), at) },
  { name: 'chips', level: 'native', has: takesReplies, show: (part, at) => asChips(optionsOf(part, at), at) },
  { name: 'numbered', level: 'text', has: always, show: (part, at) => inWords(optionsOf(part, at), at) },
]

function slotsOf({ prompt, slots }: PartOf<'ask.time'>, { firstTap, say }: At): Question {
  const labels = slotLabels(slots, say)
  const forms = shortForms(slots, say)
  return { prompt, choices: labels.map((label, at) => ({ label, forms: forms[at], tap: firstTap + at })) }
}

function inPicker(part: PartOf<'ask.time'>, at: At): Piece | undefined {
  const { timePicker } = at.traits
  const { slots, prompt } = part
  if (!timePicker || slots.length < 2 || slots.length > timePicker.max) return undefined
  const { choices } = slotsOf(part, at)
  const rendered = choices.map(({ label, tap }, place) => ({ label: oneLine(label), start: slots[place]!.start, tap }))
  return { drafts: [{ kind: 'times', lines: literal(prompt), slots: rendered }], numbered: [] }
}

export const timeLadder: Ladder<PartOf<'ask.time'>> = [
  { name: 'picker', level: 'native', has: ({ timePicker }) => !!timePicker, show: inPicker },
  { name: 'list', level: 'degraded', has: ({ list }) => !!list, show: (part, at) => inList(slotsOf(part, at), at) },
  { name: 'chips', level: 'native', has: takesReplies, show: (part, at) => asChips(slotsOf(part, at), at) },
  { name: 'numbered', level: 'text', has: always, show: (part, at) => inWords(slotsOf(part, at), at) },
]

function detailsOf({ details = [] }: PartOf<'confirm'>, { say }: At): Line[] {
  return details.flatMap(({ label, value }) => literal(`${oneLine(label)}: ${valueText(value, say)}`))
}

function yesAndNo({ yesLabel = words.yes, noLabel = words.no }: PartOf<'confirm'>, { firstTap }: At): Choice[] {
  return [
    { label: yesLabel, tap: firstTap },
    { label: noLabel, tap: firstTap + 1 },
  ]
}

/** The receipt: what is confirmed in a card, and both answers in it. */
function asReceipt(part: PartOf<'confirm'>, at: At): Piece | undefined {
  const { card, markup, text } = at.traits
  if (!card || card.needsMedia || card.chipsMax < 2 || !part.details?.length) return undefined
  const answers = yesAndNo(part, at).map(({ label }) => oneLine(label))
  const title = oneLine(part.prompt)
  const description = write(detailsOf(part, at), markup)
  const fits = title.length <= card.titleMax && sizeOf(description, text.unit) <= card.descriptionMax
  if (!fits || !areUnlike(answers) || answers.some((label) => label.length > card.chipLabelMax)) return undefined
  const chips = answers.map((label, place): RenderedChip => ({ label, kind: 'reply', tap: at.firstTap + place }))
  return { drafts: [{ kind: 'whole', block: { kind: 'card', card: { title, description, chips } } }], numbered: [] }
}

function asTwoChips(part: PartOf<'confirm'>, at: At): Piece | undefined {
  const piece = asChips({ prompt: part.prompt, choices: yesAndNo(part, at) }, at)
  const [draft] = piece?.drafts ?? []
  if (!piece || draft?.kind !== 'text') return undefined
  const prompt = literal(part.prompt)
  const lines = [...prompt, ...detailsOf(part, at), ...draft.lines.slice(prompt.length)]
  return { ...piece, drafts: [textDraft(lines, draft.chips)] }
}

/** Labels that say no more than the closing sentence are not repeated above it. */
function yesOrNo(part: PartOf<'confirm'>, at: At): Piece {
  const named = (word: string, label?: string) =>
    label === undefined || label.trim().toUpperCase() === word ? [] : literal(`${word}: ${oneLine(label)}`)
  const answers = [...named('YES', part.yesLabel), ...named('NO', part.noLabel)]
  const lines = [...literal(part.prompt), ...detailsOf(part, at), ...answers, ...literal(words.yesOrNo)]
  return { drafts: [textDraft(lines)], numbered: [] }
}

export const confirmLadder: Ladder<PartOf<'confirm'>> = [
  { name: 'receipt', level: 'native', has: ({ card }) => card?.chipKinds.includes('reply') === true, show: asReceipt },
  { name: 'chips', level: 'native', has: takesReplies, show: asTwoChips },
  { name: 'yes or no', level: 'text', has: always, show: yesOrNo },
]

function askToShare({ prompt }: PartOf<'ask.location'>, at: At): Piece | undefined {
  const room = roomBelow(at)
  if (!room?.kinds.includes('shareLocation') || room.min > 1 || room.max < 1) return undefined
  if (words.shareLocation.length > room.labelMax) return undefined
  const chip: RenderedChip = { label: words.shareLocation, kind: 'shareLocation', tap: at.firstTap }
  return { drafts: [textDraft(literal(prompt), [chip])], numbered: [] }
}

export const locationLadder: Ladder<PartOf<'ask.location'>> = [
  {
    name: 'chip',
    level: 'native',
    has: ({ chips }) => chips?.kinds.includes('shareLocation') === true && chips.min <= 1,
    show: askToShare,
  },
  {
    name: 'address',
    level: 'text',
    has: always,
    show: ({ prompt }) => ({ drafts: [textDraft([...literal(prompt), ...literal(words.byAddress)])], numbered: [] }),
  },
]
