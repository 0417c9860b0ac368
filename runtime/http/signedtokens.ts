/** Signed tokens: a text with an HMAC behind it, under a key of the installation. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface SignedTokens {
  /** `text` may hold only characters of a token: letters, digits, `_`, `-` and `.`. */
  sign(text: string): string
  /** The text; undefined for a token that differs in any character from the one that `sign` returns for it. */
  read(token: string): string | undefined
}

export function createSignedTokens(key: Uint8Array): SignedTokens {
  const sign = (text: string) => `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
  return {
    sign,
    read(token) {
      const text = token.slice(0, Math.max(0, token.lastIndexOf('.')))
      // Compared before decoding: the last character of base64url has unused bits, so several decode to the same bytes.
      const actual = Buffer.from(token)
      const expected = Buffer.from(sign(text))
      return actual.length === expected.length && timingSafeEqual(actual, expected) ? text : undefined
    },
  }
}
