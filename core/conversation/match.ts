/**
 * What a typed reply means as an answer, in the order of confidence: its number, id or label; YES or NO; then a label that
 * the reply holds, or words that only one label has. Whatever could mean two things means none: then it is a message.
 */
import type { Tap } from '../amf/index.js'

export interface Offered {
  /** Everything that can be answered, by its place in the message. */
  readonly taps: readonly Tap[]
  /** As people read each of them: its label, or how its value was written for them. */
  readonly labels: readonly string[]
  /** Places in the order of the numbers that the person was shown; empty when none were. */
  readonly numbered: readonly number[]
}

/** The place of the one tap that the reply means. */
export function meantBy(reply: string, { taps, labels, numbered }: Offered): number | undefined {
  const said = plain(reply)
  if (said === '') return undefined
  const options = taps.flatMap((tap, place) =>
    tap.kind === 'reply' ? [{ place, tap, label: plain(labels[place] ?? '') }] : [],
  )
  const ordinal = ordinalIn(reply)
  if (ordinal !== undefined) {
    const order = numbered.length > 0 ? numbered : orderOf(options)
    if (ordinal <= order.length) return order[ordinal - 1]
  }
  const answered = yesOrNo(said, options)
  if (answered.length > 0) return only(answered)
  return (
    only(options.filter(({ tap, label }) => label === said || plain(tap.optionId) === said)) ??
    only(heldIn(said, options)) ??
    only(wordedIn(said, options))
  )
}

interface Option {
  readonly place: number
  readonly tap: Tap
  readonly label: string
}

/** Only when it is the whole reply: in "01.01.2022" and "2 of them" there is none. */
function ordinalIn(reply: string): number | undefined {
  const digits = /^\s*#?([0-9]{1,3})[.)]?\s*$/.exec(reply.normalize('NFKC'))?.[1]
  const ordinal = digits === undefined ? 0 : Number(digits)
  return ordinal > 0 ? ordinal : undefined
}

/** Where no numbers were shown, the options of a single question have the order they stand in. */
function orderOf(options: readonly Option[]): readonly number[] {
  const questions = new Set(options.map(({ tap }) => `${tap.intent} ${tap.intentId ?? ''}`))
  return questions.size === 1 ? options.map(({ place }) => place) : []
}

function only(found: readonly Option[]): number | undefined {
  return found.length === 1 ? found[0]!.place : undefined
}

/** What YES or NO could mean: the option of a confirmation, or the lone option of a question. */
function yesOrNo(said: string, options: readonly Option[]): readonly Option[] {
  if (said !== 'yes' && said !== 'no') return []
  const isLone = ({ tap }: Option) =>
    tap.intent !== 'chips' && options.filter((each) => each.tap.intentId === tap.intentId).length === 1
  return options.filter((option) => {
    const { intent, optionId } = option.tap
    return intent === 'confirm' ? optionId === said : said === 'yes' && isLone(option)
  })
}

const denials = /(^| )(not|no|never|none|neither|without|don't|dont|doesn't|won't|can't|cannot)( |$)/

/** Labels that stand in the reply as whole words. Longer ones are looked for first, and what is part of one is used up. */
function heldIn(said: string, options: readonly Option[]): readonly Option[] {
  if (denials.test(said)) return []
  const labels = [...new Set(options.map(({ label }) => label))].filter(Boolean).sort((a, b) => b.length - a.length)
  const held = new Set<string>()
  let rest = ` ${said} `
  for (const label of labels) {
    if (!rest.includes(` ${label} `)) continue
    held.add(label)
    rest = rest.replaceAll(` ${label} `, ' | ')
  }
  return options.filter(({ label }) => held.has(label))
}

/** Every word of the reply stands in that label. */
function wordedIn(said: string, options: readonly Option[]): readonly Option[] {
  const words = said.split(' ')
  return options.filter(({ label }) => {
    const known = new Set(label.split(' '))
    return words.every((word) => known.has(word))
  })
}

/** Letters and digits in one spelling, single spaces between words, apostrophes kept within them. */
export function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim()
}
