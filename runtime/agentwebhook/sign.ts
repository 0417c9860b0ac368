/** The signature of outgoing webhooks: made fresh for every try over the very bytes that are sent, and how to check it. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { signature } from '../../core/limits/index.js'

export const signatureHeader = 'X-Svc-Signature'
export const timestampHeader = 'X-Svc-Request-Timestamp'

export function signatureOf(secret: string, timestamp: string, body: Uint8Array): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`
}

/** The two headers of a request that leaves at `at`, in milliseconds; the timestamp on the wire is in seconds. */
export function signedHeaders(secret: string, at: number, body: Uint8Array): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  return { [signatureHeader]: signatureOf(secret, timestamp, body), [timestampHeader]: timestamp }
}

/** True for a body signed with this secret whose timestamp is no further from `at` than the accepted age. */
export function verify(
  secret: string,
  given: { readonly signature: string; readonly timestamp: string; readonly body: Uint8Array },
  at: number,
): boolean {
  if (!/^\d{1,12}$/.test(given.timestamp)) return false
  if (Math.abs(at - Number(given.timestamp) * 1000) > signature.acceptedAgeMs) return false
  return equal(given.signature, signatureOf(secret, given.timestamp, given.body))
}

/** Digests have one length, so the comparison takes the same time whatever was given. */
function equal(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
