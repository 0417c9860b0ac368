/** Signed words: a text and the mark that only this installation could have put behind it. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface SignedWords {
  /** `text` must have no characters but those of a token: letters, digits, `_`, `-` and `.`. */
  sign(text: string): string
  /** The text, or undefined for any word but the one that `sign` made of it, to the character. */
  read(word: string): string | undefined
}

export function openSignedWords(key: Uint8Array): SignedWords {
  const sign = (text: string) => `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
  return {
    sign,
    read(word) {
      const text = word.slice(0, Math.max(0, word.lastIndexOf('.')))
      // Compared as they are written: a last character of base64url has bits that no byte has, so others read the same.
      const given = Buffer.from(word)
      const right = Buffer.from(sign(text))
      return given.length === right.length && timingSafeEqual(given, right) ? text : undefined
    },
  }
}
