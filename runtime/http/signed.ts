/** Signed words: a text with an HMAC behind it, under a key of the installation. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface SignedWords {
  /** `text` may hold only characters of a token: letters, digits, `_`, `-` and `.`. */
  sign(text: string): string
  /** The text; undefined for a word that differs in any character from what `sign` returns for it. */
  read(word: string): string | undefined
}

export function createSignedWords(key: Uint8Array): SignedWords {
  const sign = (text: string) => `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
  return {
    sign,
    read(word) {
      const text = word.slice(0, Math.max(0, word.lastIndexOf('.')))
      // Compared before decoding: the last character of base64url has unused bits, so several decode to the same bytes.
      const given = Buffer.from(word)
      const right = Buffer.from(sign(text))
      return given.length === right.length && timingSafeEqual(given, right) ? text : undefined
    },
  }
}
