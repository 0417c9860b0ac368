/**
 * Linear-time search for the words of a text in a rendered output. `steps` counts the examined characters, so that a
 * test can hold the search to linear time.
 */

/**
 * Letters, digits, marks, symbols and currency signs. Punctuation is excluded, since it may be markup or may have been
 * removed as markup.
 */
const anyWords = /[\p{L}\p{N}\p{M}\p{So}\p{Sc}]+/gu
const asciiWords = /[A-Za-z0-9$]+/g
export const plainAscii = /^[\n\x20-\x7e]*$/

/** Up to this length a word is searched with `indexOf`, which may examine each character that many times. */
const shortChars = 32

/** ASCII text, the common case, uses the faster pattern. */
function wordsIn(text: string): readonly string[] {
  return text.match(plainAscii.test(text) ? asciiWords : anyWords) ?? []
}

export interface TextSearch {
  /** The end of a text that begins at or after a position; -1 if it is not there, word by word. */
  endOf(text: string, from: number): number
  readonly steps: number
}

export function createTextSearch(searched: string): TextSearch {
  let steps = 0
  let lettersCache: Letters | undefined

  function cachedLetters(): Letters {
    if (!lettersCache) {
      lettersCache = lettersOf(searched)
      steps += searched.length
    }
    return lettersCache
  }

  /** A word that is longer than a page is found by its letters, across the break. */
  function hasLetters(letters: string, from: number): boolean {
    const { text, before } = cachedLetters()
    return find(text, letters, before(from)) >= 0
  }

  function find(text: string, word: string, from: number): number {
    const isLong = word.length > shortChars
    const index = isLong ? findLong(text, word, from) : text.indexOf(word, from)
    steps += ((index < 0 ? text.length : index) - from) * (isLong ? 2 : word.length) + 2 * word.length
    return index
  }

  return {
    get steps() {
      return steps
    },
    endOf(text, from) {
      // The text usually follows at once. An exact match further on may be a repetition of words that stand before it.
      if (searched.startsWith(text, from) || searched.startsWith(text, from + 1)) return from + text.length
      const words = wordsIn(text)
      let position = from
      for (const word of words) {
        // A word longer than any in the searched text was split: no search for it whole.
        const isMissingWord = word.length > shortChars && word.length > cachedLetters().longest
        const index = isMissingWord ? -1 : find(searched, word, position)
        if (index < 0) return hasLetters(words.join(''), from) ? from : -1
        position = index + word.length
      }
      return position
    },
  }
}

interface Letters {
  readonly text: string
  /** Characters of the longest word. */
  readonly longest: number
  /** The number of letters before a position. */
  before(position: number): number
}

function lettersOf(searched: string): Letters {
  const words = wordsIn(searched)
  const offsets: number[] = []
  const counts: number[] = []
  let offset = 0
  let count = 0
  let longest = 0
  for (const word of words) {
    longest = Math.max(longest, word.length)
    offset = searched.indexOf(word, offset)
    offsets.push(offset)
    counts.push(count)
    offset += word.length
    count += word.length
  }
  return {
    text: words.join(''),
    longest,
    before(target) {
      let low = 0
      let high = offsets.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (offsets[middle]! < target) low = middle + 1
        else high = middle
      }
      if (low === 0) return 0
      const inWord = Math.min(target - offsets[low - 1]!, words[low - 1]!.length)
      return counts[low - 1]! + inWord
    },
  }
}

/**
 * Knuth-Morris-Pratt search: it examines no character again after a partial match, where `indexOf` starts over one
 * position further on.
 */
function findLong(text: string, word: string, from: number): number {
  /** For each prefix of the word, the length of its longest border. */
  const borders = new Int32Array(word.length)
  for (let at = 1, border = 0; at < word.length; at++) {
    while (border > 0 && word.charCodeAt(at) !== word.charCodeAt(border)) border = borders[border - 1]!
    if (word.charCodeAt(at) === word.charCodeAt(border)) border++
    borders[at] = border
  }
  for (let at = from, matched = 0; at < text.length; at++) {
    while (matched > 0 && text.charCodeAt(at) !== word.charCodeAt(matched)) matched = borders[matched - 1]!
    if (text.charCodeAt(at) === word.charCodeAt(matched)) matched++
    if (matched === word.length) return at - matched + 1
  }
  return -1
}
