/** Signing and comparing for the emulated providers, independent of the adapters so that each checks the other. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseJson } from '../../core/json.js'

export function hmac(
  algorithm: 'sha1' | 'sha256' | 'sha512',
  key: string | Uint8Array,
  data: string | Uint8Array,
  as: 'hex' | 'base64' | 'base64url',
): string {
  return createHmac(algorithm, key).update(data).digest(as)
}

export function safeEqual(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The token after `Bearer `; empty without one. */
export function bearer(header: string): string {
  return /^bearer (.+)$/i.exec(header)?.[1]?.trim() ?? ''
}

/** The three parts of a JSON web token, with header and claims decoded. */
export function tokenParts(token: string) {
  const [head = '', claims = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0) return undefined
  const read = (part: string) => parseJson(Buffer.from(part, 'base64url'))
  return { signed: `${head}.${claims}`, header: read(head), claims: read(claims), signature }
}
