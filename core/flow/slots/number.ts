/** Finds numbers in a text, in digits or as words. */
import type { Mention } from './mention.js'

const digits = /[-+]?\d(?:[\d.,]*\d)?/g
const plain = /^\d{1,15}$/
const grouped = /^\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,6})?$/
const decimal = /^\d{1,15}\.\d{1,6}$/
const decimalComma = /^\d{1,15},\d{1,6}$/
const letter = /[\p{L}\p{N}_]/u
/** These make a number a rank or a time of day. */
const foreignSuffix = /^(?:st|nd|rd|th|am|pm|:)/i
const words = /(?<![\p{L}\p{N}'-])\p{L}{2,9}(?![\p{L}\p{N}'-])/gu
const numberWords: ReadonlyMap<string, number> = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'
    .split(' ')
    .map((word, value) => [word, value]),
)

/**
 * `isAnswer`: the text answers a question about a number, so a unit may follow it (`20kg`) and `one` counts. A number
 * in an unknown form is left out.
 */
export function numbersIn(text: string, isAnswer: boolean): Mention<number>[] {
  const mentions: Mention<number>[] = []
  for (const { 0: found, index } of text.matchAll(digits)) {
    const before = text[index - 1] ?? ' '
    const isSigned = !/\d/.test(found[0]!)
    // A sign stands at the start of a word; elsewhere it is a hyphen, as in 3-4.
    const hasSign = isSigned && /[\s(]/.test(before)
    const from = isSigned && !hasSign ? index + 1 : index
    const to = index + found.length
    const rest = text.slice(to, to + 2)
    const isWhole = isAnswer ? !foreignSuffix.test(rest) : !letter.test(rest[0] ?? ' ') && rest[0] !== ':'
    if (letter.test(text[from - 1] ?? ' ') || text[from - 1] === ':' || !isWhole) continue
    const value = parseNumber(isSigned ? found.slice(1) : found)
    if (value !== undefined) mentions.push({ value: hasSign && found[0] === '-' ? 0 - value : value, from, to })
  }
  for (const { 0: found, index } of text.matchAll(words)) {
    const value = numberWords.get(found.toLowerCase())
    if (value === undefined || (value === 1 && !isAnswer)) continue
    mentions.push({ value, from: index, to: index + found.length })
  }
  return mentions
}

function parseNumber(text: string): number | undefined {
  if (plain.test(text) || decimal.test(text)) return Number(text)
  if (grouped.test(text)) return Number(text.replaceAll(',', ''))
  return decimalComma.test(text) ? Number(text.replace(',', '.')) : undefined
}
