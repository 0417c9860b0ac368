/** The words of a text as search knows them: the same for whoever writes a passage and whoever looks for it. */
import { knowledge as limits } from '../limits.js'

/** Scripts that put no space between words; of these every two neighbours count as a word. */
const run = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+/u
const word =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}])[\p{L}\p{N}\p{M}])+/gu
/** Accents of Latin, Greek and Cyrillic letters, which people leave out; marks of other scripts are vowels. */
const accents = /[\u0300-\u036f]/g

/** In their order, each as often as it stands there. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(accents, '').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
  return (plain.match(word) ?? []).flatMap((found) => (run.test(found) ? neighbours(found) : [beginning(found)]))
}

function neighbours(found: string): string[] {
  const letters = [...found]
  return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => letters[at]! + letter)
}

/** What is longer than any word is told apart by its beginning. */
function beginning(found: string): string {
  return found.length <= limits.wordChars ? found : [...found].slice(0, limits.wordChars).join('')
}
