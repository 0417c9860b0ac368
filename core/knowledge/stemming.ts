/** Reduces English words to a stem, so that a question about dogs finds what is known about a dog. */

const plainWord = /^[a-z]{4,}$/
const vowel = /[aeiouy]/
/** A doubled consonant before an ending: `stopped`, `booking` keeps its vowels. */
const doubled = /([bdfgmnprt])\1$/

/** Numbers, short words and words with other letters than a to z stay as they are. */
export function stem(word: string): string {
  return plainWord.test(word) ? withoutFinalE(withoutTense(withoutPlural(word))) : word
}

function withoutPlural(word: string): string {
  if (!word.endsWith('s') || /(ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1)
  return /(s|x|z|ch|sh)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

function withoutTense(word: string): string {
  const ending = word.endsWith('ing') ? 3 : word.endsWith('ed') && !word.endsWith('eed') ? 2 : 0
  const rest = word.slice(0, word.length - ending)
  if (ending === 0 || rest.length < 3 || !vowel.test(rest)) return word
  return doubled.test(rest) ? rest.slice(0, -1) : rest
}

function withoutFinalE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word
}
