/** Splits text into search words, in the same way for passages and queries. */
import { knowledge as limits } from '../limits/index.js'

/** Scripts without space between words: every two adjacent characters count as a word. */
const unspacedRun = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+/u
const tokenPattern =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}])[\p{L}\p{N}\p{M}])+/gu
/** Accents of Latin, Greek and Cyrillic letters, which people leave out; marks of other scripts are vowels. */
const accents = /[\u0300-\u036f]/g

/** Most texts are ASCII, and take several times less this way, with the same result. */
const asciiText = /^\p{ASCII}*$/u
const asciiToken = /[a-z0-9]+/g

/** The text without differences of case, accents and width. */
export function foldText(text: string): string {
  if (asciiText.test(text)) return text.toLowerCase()
  return text.normalize('NFKD').replace(accents, '').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}

/** In the order of the text, with repeats. */
export function tokenize(text: string): string[] {
  if (asciiText.test(text)) return (text.toLowerCase().match(asciiToken) ?? []).map(truncateWord)
  return (foldText(text).match(tokenPattern) ?? []).flatMap((token) =>
    unspacedRun.test(token) ? bigrams(token) : [truncateWord(token)],
  )
}

function bigrams(token: string): string[] {
  const chars = [...token]
  return chars.length === 1 ? chars : chars.slice(1).map((char, at) => chars[at]! + char)
}

/** Truncates a token that is longer than any word. */
function truncateWord(token: string): string {
  return token.length <= limits.wordChars ? token : [...token].slice(0, limits.wordChars).join('')
}
