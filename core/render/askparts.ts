/**
 * The ladders of parts that ask: a choice, a time, a confirmation, a location. Each ends in the exact text of the
 * floor.
 */

import type { RenderedChip, RenderedRow } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import {
  chipLimits,
  type Fragment,
  isAlways,
  type Ladder,
  type PartOf,
  type RenderContext,
  textDraft,
} from './fragments.js'
import { areDistinct, chipLabels, cutLabels } from './labels.js'
import { continuationLines, entry, type Line, literal, oneLine } from './lines.js'
import { phrases } from './phrases.js'
import { sizeOf } from './split.js'
import { shortForms, slotLabels, valueText } from './values.js'
import { write } from './writers.js'

/** An option to choose from, of any part. */
export interface Choice {
  readonly label: string
  /** Shorter forms of the label, longest first; a label with forms is shown whole in one of them and never cut. */
  readonly forms?: readonly string[]
  readonly description?: string
  readonly mediaUrl?: string
  readonly tap: number
}

export interface Question {
  /** Absent if a showcase has no prompt. */
  readonly prompt?: string
  readonly choices: readonly Choice[]
}

export const hasReplyChips = ({ chips }: Traits) => chips?.kinds.includes('reply') === true

const detailLines = ({ description, mediaUrl }: Choice): Line[] => [
  ...continuationLines(description),
  ...continuationLines(mediaUrl),
]

/**
 * The labels as they fit: if a label with other forms is too long, all such labels take the first form in which all fit
 * and differ. Undefined if there is none: then they are numbered.
 */
function fittingLabels(choices: readonly Choice[], max: number): readonly string[] | undefined {
  const hasForms = choices.some(({ label, forms }) => forms && oneLine(label).length > max)
  if (!hasForms) return choices.map(({ label }) => label)
  const rows = (choices.find(({ forms }) => forms)?.forms ?? []).map((_, row) =>
    choices.map(({ label, forms }) => forms?.[row] ?? label),
  )
  return rows.find(
    (row) => areDistinct(row) && choices.every(({ forms }, index) => !forms || row[index]!.length <= max),
  )
}

/** If labels are cut or descriptions have no place, the text lists the choices in full. */
function questionLines({ prompt, choices }: Question, needed: boolean): Line[] {
  const lines = prompt === undefined ? [] : literal(prompt)
  if (needed) lines.push(...choices.flatMap((choice) => [entry('- ', choice.label), ...detailLines(choice)]))
  return lines.length > 0 ? lines : literal(phrases.choose)
}

export function asList(question: Question, context: RenderContext): Fragment | undefined {
  const { list, text } = context.traits
  const { choices } = question
  if (!list || choices.length < Math.max(2, list.min) || choices.length > list.max) return undefined
  const labels = cutLabels(fittingLabels(choices, list.labelMax), list.labelMax, text.encoding)
  if (!labels) return undefined
  const isLink = (mediaUrl: string | undefined) =>
    mediaUrl !== undefined && context.format.links?.has(mediaUrl) === true
  const isWhole = ({ label, description = '', mediaUrl }: Choice, index: number) =>
    labels[index] === oneLine(label) && description.length <= list.descriptionMax && !isLink(mediaUrl)
  const whole = choices.every(isWhole)
  const rows: RenderedRow[] = choices.map(({ description, mediaUrl, tap }, index) => ({
    label: labels[index]!,
    ...(whole && description !== undefined && { description }),
    ...(whole && mediaUrl !== undefined && { mediaUrl }),
    tap,
  }))
  return { drafts: [{ kind: 'list', lines: questionLines(question, !whole), rows }], numbered: [] }
}

export function asChips(question: Question, context: RenderContext): Fragment | undefined {
  const limits = chipLimits(context)
  const { choices } = question
  if (!limits?.kinds.includes('reply') || choices.length < limits.min || choices.length > limits.max) return undefined
  const labels = chipLabels(fittingLabels(choices, limits.labelMax), limits.labelMax, context.traits.text.encoding)
  if (!labels) return undefined
  const whole = choices.every(
    (choice, index) => labels[index] === oneLine(choice.label) && detailLines(choice).length === 0,
  )
  const chips = choices.map(({ tap }, index): RenderedChip => ({ label: labels[index]!, kind: 'reply', tap }))
  return { drafts: [textDraft(questionLines(question, !whole), chips)], numbered: [] }
}

/** A single option is not numbered: YES chooses it. */
export function asNumberedText({ prompt, choices }: Question, context: RenderContext): Fragment {
  const lines = prompt === undefined ? [] : literal(prompt)
  const [first] = choices
  if (choices.length === 1 && first) {
    lines.push(...literal(oneLine(first.label)), ...detailLines(first), ...literal(phrases.yesToChoose))
    return { drafts: [textDraft(lines)], numbered: [] }
  }
  for (const [index, choice] of choices.entries()) {
    lines.push(entry(`${context.firstNumber + index}. `, choice.label), ...detailLines(choice))
  }
  return { drafts: [textDraft(lines, [], phrases.byNumber)], numbered: choices.map(({ tap }) => tap), prompted: true }
}

const optionsOf = ({ prompt, options }: PartOf<'ask.choice'>, { firstTap }: RenderContext): Question => ({
  prompt,
  choices: options.map((option, index) => ({ ...option, tap: firstTap + index })),
})

export const choiceLadder: Ladder<PartOf<'ask.choice'>> = [
  {
    name: 'list',
    level: 'native',
    has: ({ list }) => !!list,
    show: (part, context) => asList(optionsOf(part, context), context),
  },
  {
    name: 'chips',
    level: 'native',
    has: hasReplyChips,
    show: (part, context) => asChips(optionsOf(part, context), context),
  },
  {
    name: 'numbered',
    level: 'text',
    has: isAlways,
    show: (part, context) => asNumberedText(optionsOf(part, context), context),
  },
]

function slotsOf({ prompt, slots }: PartOf<'ask.time'>, { firstTap, format }: RenderContext): Question {
  const labels = slotLabels(slots, format)
  const forms = shortForms(slots, format)
  return { prompt, choices: labels.map((label, index) => ({ label, forms: forms[index], tap: firstTap + index })) }
}

function asTimePicker(part: PartOf<'ask.time'>, context: RenderContext): Fragment | undefined {
  const { timePicker } = context.traits
  const { slots, prompt } = part
  if (!timePicker || slots.length < 2 || slots.length > timePicker.max) return undefined
  const { choices } = slotsOf(part, context)
  const rendered = choices.map(({ label, tap }, index) => ({ label: oneLine(label), start: slots[index]!.start, tap }))
  return { drafts: [{ kind: 'times', lines: literal(prompt), slots: rendered }], numbered: [] }
}

export const timeLadder: Ladder<PartOf<'ask.time'>> = [
  { name: 'picker', level: 'native', has: ({ timePicker }) => !!timePicker, show: asTimePicker },
  {
    name: 'list',
    level: 'degraded',
    has: ({ list }) => !!list,
    show: (part, context) => asList(slotsOf(part, context), context),
  },
  {
    name: 'chips',
    level: 'native',
    has: hasReplyChips,
    show: (part, context) => asChips(slotsOf(part, context), context),
  },
  {
    name: 'numbered',
    level: 'text',
    has: isAlways,
    show: (part, context) => asNumberedText(slotsOf(part, context), context),
  },
]

function confirmDetails({ details = [] }: PartOf<'confirm'>, { format }: RenderContext): Line[] {
  return details.flatMap(({ label, value }) => literal(`${oneLine(label)}: ${valueText(value, format)}`))
}

function confirmChoices(
  { yesLabel = phrases.yes, noLabel = phrases.no }: PartOf<'confirm'>,
  { firstTap }: RenderContext,
): Choice[] {
  return [
    { label: yesLabel, tap: firstTap },
    { label: noLabel, tap: firstTap + 1 },
  ]
}

/** The confirmation as a card: the details, and both answers as its chips. */
function asReceipt(part: PartOf<'confirm'>, context: RenderContext): Fragment | undefined {
  const { card, markup, text } = context.traits
  if (!card || card.needsMedia || card.chipsMax < 2 || !part.details?.length) return undefined
  const answers = confirmChoices(part, context).map(({ label }) => oneLine(label))
  const title = oneLine(part.prompt)
  const description = write(confirmDetails(part, context), markup)
  const fits = title.length <= card.titleMax && sizeOf(description, text.unit) <= card.descriptionMax
  if (!fits || !areDistinct(answers) || answers.some((label) => label.length > card.chipLabelMax)) return undefined
  const chips = answers.map((label, index): RenderedChip => ({ label, kind: 'reply', tap: context.firstTap + index }))
  return { drafts: [{ kind: 'whole', block: { kind: 'card', card: { title, description, chips } } }], numbered: [] }
}

function asTwoChips(part: PartOf<'confirm'>, context: RenderContext): Fragment | undefined {
  const fragment = asChips({ prompt: part.prompt, choices: confirmChoices(part, context) }, context)
  const [draft] = fragment?.drafts ?? []
  if (!fragment || draft?.kind !== 'text') return undefined
  const prompt = literal(part.prompt)
  const lines = [...prompt, ...confirmDetails(part, context), ...draft.lines.slice(prompt.length)]
  return { ...fragment, drafts: [textDraft(lines, draft.chips)] }
}

/** Labels that only repeat the closing sentence are left out above it. */
function asYesNoText(part: PartOf<'confirm'>, context: RenderContext): Fragment {
  const labelledAnswer = (word: string, label?: string) =>
    label === undefined || label.trim().toUpperCase() === word ? [] : literal(`${word}: ${oneLine(label)}`)
  const answers = [...labelledAnswer('YES', part.yesLabel), ...labelledAnswer('NO', part.noLabel)]
  const lines = [...literal(part.prompt), ...confirmDetails(part, context), ...answers, ...literal(phrases.yesOrNo)]
  return { drafts: [textDraft(lines)], numbered: [] }
}

export const confirmLadder: Ladder<PartOf<'confirm'>> = [
  { name: 'receipt', level: 'native', has: ({ card }) => card?.chipKinds.includes('reply') === true, show: asReceipt },
  { name: 'chips', level: 'native', has: hasReplyChips, show: asTwoChips },
  { name: 'yes or no', level: 'text', has: isAlways, show: asYesNoText },
]

function asLocationChip({ prompt }: PartOf<'ask.location'>, context: RenderContext): Fragment | undefined {
  const limits = chipLimits(context)
  if (!limits?.kinds.includes('shareLocation') || limits.min > 1 || limits.max < 1) return undefined
  if (phrases.shareLocation.length > limits.labelMax) return undefined
  const chip: RenderedChip = { label: phrases.shareLocation, kind: 'shareLocation', tap: context.firstTap }
  return { drafts: [textDraft(literal(prompt), [chip])], numbered: [] }
}

export const locationLadder: Ladder<PartOf<'ask.location'>> = [
  {
    name: 'chip',
    level: 'native',
    has: ({ chips }) => chips?.kinds.includes('shareLocation') === true && chips.min <= 1,
    show: asLocationChip,
  },
  {
    name: 'address',
    level: 'text',
    has: isAlways,
    show: ({ prompt }) => ({ drafts: [textDraft([...literal(prompt), ...literal(phrases.byAddress)])], numbered: [] }),
  },
]
