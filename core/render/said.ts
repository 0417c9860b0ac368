/**
 * Finds the words of a text in what a channel shows. Both are walked a bounded number of times, whatever stands in them:
 * `steps` counts the characters that were looked at, so that a test can hold the search to linear time.
 */

/** Letters, digits, marks, pictures and currency signs; punctuation may be markup, and markup may be gone. */
const anyWords = /[\p{L}\p{N}\p{M}\p{So}\p{Sc}]+/gu
const asciiWords = /[A-Za-z0-9$]+/g
export const plainAscii = /^[\n\x20-\x7e]*$/

/** Up to this length a word is looked for by the search of the language, which may look at each place that often. */
const shortChars = 32

/** Most text is ASCII, where the same question is answered much faster. */
function wordsIn(text: string): readonly string[] {
  return text.match(plainAscii.test(text) ? asciiWords : anyWords) ?? []
}

export interface Said {
  /** Where a text ends that begins at or after a place; -1 if it is not there, word by word. */
  endOf(text: string, from: number): number
  readonly steps: number
}

export function newSaid(said: string): Said {
  let steps = 0
  let alone: Letters | undefined

  function lettersHere(): Letters {
    if (!alone) {
      alone = lettersOf(said)
      steps += said.length
    }
    return alone
  }

  /** A word that no page could hold whole is found by its letters, across the break. */
  function hasLetters(letters: string, from: number): boolean {
    const { text, before } = lettersHere()
    return find(text, letters, before(from)) >= 0
  }

  function find(text: string, word: string, from: number): number {
    const isLong = word.length > shortChars
    const found = isLong ? findLong(text, word, from) : text.indexOf(word, from)
    steps += ((found < 0 ? text.length : found) - from) * (isLong ? 2 : word.length) + 2 * word.length
    return found
  }

  return {
    get steps() {
      return steps
    },
    endOf(text, from) {
      // Mostly it is the very next thing; further on it may be a repetition, and the words themselves stand before it.
      if (said.startsWith(text, from) || said.startsWith(text, from + 1)) return from + text.length
      const words = wordsIn(text)
      let reached = from
      for (const word of words) {
        // Of a word that was cut nobody has to look through all that is said.
        const isCut = word.length > shortChars && word.length > lettersHere().longest
        const found = isCut ? -1 : find(said, word, reached)
        if (found < 0) return hasLetters(words.join(''), from) ? from : -1
        reached = found + word.length
      }
      return reached
    },
  }
}

interface Letters {
  readonly text: string
  /** Characters of the longest word. */
  readonly longest: number
  /** How many of the letters stand before a place. */
  before(place: number): number
}

function lettersOf(said: string): Letters {
  const words = wordsIn(said)
  const places: number[] = []
  const counts: number[] = []
  let place = 0
  let count = 0
  let longest = 0
  for (const word of words) {
    longest = Math.max(longest, word.length)
    place = said.indexOf(word, place)
    places.push(place)
    counts.push(count)
    place += word.length
    count += word.length
  }
  return {
    text: words.join(''),
    longest,
    before(asked) {
      let low = 0
      let high = places.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (places[middle]! < asked) low = middle + 1
        else high = middle
      }
      if (low === 0) return 0
      const inWord = Math.min(asked - places[low - 1]!, words[low - 1]!.length)
      return counts[low - 1]! + inWord
    },
  }
}

/**
 * The search of Knuth, Morris and Pratt: no character of the text is looked at again when a beginning of the word breaks
 * off, while that of the language begins anew one place further on.
 */
function findLong(text: string, word: string, from: number): number {
  /** For each beginning of the word, how much of its end is a beginning too. */
  const borders = new Int32Array(word.length)
  for (let at = 1, border = 0; at < word.length; at++) {
    while (border > 0 && word.charCodeAt(at) !== word.charCodeAt(border)) border = borders[border - 1]!
    if (word.charCodeAt(at) === word.charCodeAt(border)) border++
    borders[at] = border
  }
  for (let at = from, held = 0; at < text.length; at++) {
    while (held > 0 && text.charCodeAt(at) !== word.charCodeAt(held)) held = borders[held - 1]!
    if (text.charCodeAt(at) === word.charCodeAt(held)) held++
    if (held === word.length) return at - held + 1
  }
  return -1
}
