/** The grammars of ids and tokens, and the alphabet of new ones. */

import { describePattern } from './patterndescriptions.js'

const slug = /^[a-z0-9][a-z0-9-]{0,62}$/
export const slugPattern = slug.source

export function isSlug(text: string): boolean {
  return slug.test(text)
}
/** The default pattern of a path parameter. */
export const pathIdPattern = describePattern(
  '^(@svc/)?[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$',
  'must be an id: letters, digits and _ . : - only',
)
export const svcAgentPattern = /^[a-z0-9._-]{1,32}$/
export const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/

export const apiKeyPrefix = 'sk-svc-'
export const accessTokenPrefix = 'at-svc-'
export const signingSecretPrefix = 'ws-svc-'
/** Characters of a secret that reads may show. */
export const shownSecretChars = apiKeyPrefix.length + 6

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** Ten bits as two characters, which halves the steps of writing an id. */
const pairs = Array.from({ length: 1024 }, (_, bits) => alphabet[bits >> 5]! + alphabet[bits & 31]!)
const idPairs = 13

/**
 * Writes at least 17 bytes as an id: 26 characters that readers do not confuse and that need no escape in subjects or
 * paths.
 */
export function idFromBytes(prefix: string, bytes: Uint8Array): string {
  if (bytes.length * 8 < idPairs * 10) throw new Error('an id needs at least 17 bytes')
  let text = `${prefix}_`
  let buffer = 0
  let bufferBits = 0
  for (let at = 0, left = idPairs; left > 0; at++) {
    buffer = (buffer << 8) | bytes[at]!
    bufferBits += 8
    if (bufferBits < 10) continue
    bufferBits -= 10
    text += pairs[buffer >> bufferBits]
    buffer &= (1 << bufferBits) - 1
    left--
  }
  return text
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Bytes as letters and digits, of a length that depends only on the number of bytes. */
export function toBase62(bytes: Uint8Array): string {
  let remaining = 0n
  for (const byte of bytes) remaining = (remaining << 8n) | BigInt(byte)
  const chars = Math.ceil((bytes.length * 8) / Math.log2(62))
  let text = ''
  for (; text.length < chars; remaining /= 62n) text = base62[Number(remaining % 62n)]! + text
  return text
}
