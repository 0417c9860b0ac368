/** The words of a text as search knows them: the same for whoever writes a passage and whoever looks for it. */
import { knowledge as limits } from '../limits/index.js'

/** Scripts that put no space between words; of these every two neighbours count as a word. */
const unspacedRun = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+/u
const tokenPattern =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}])[\p{L}\p{N}\p{M}])+/gu
/** Accents of Latin, Greek and Cyrillic letters, which people leave out; marks of other scripts are vowels. */
const accents = /[\u0300-\u036f]/g

/** In their order, each as often as it stands there. */
export function tokenize(text: string): string[] {
  const plain = text.normalize('NFKD').replace(accents, '').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
  return (plain.match(tokenPattern) ?? []).flatMap((token) =>
    unspacedRun.test(token) ? bigrams(token) : [truncateWord(token)],
  )
}

function bigrams(token: string): string[] {
  const chars = [...token]
  return chars.length === 1 ? chars : chars.slice(1).map((char, at) => chars[at]! + char)
}

/** What is longer than any word is told apart by its beginning. */
function truncateWord(token: string): string {
  return token.length <= limits.wordChars ? token : [...token].slice(0, limits.wordChars).join('')
}
