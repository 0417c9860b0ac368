/** Signs and verifies webhook calls. Each attempt is signed over the exact bytes that are sent. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { signature } from '../../core/limits/index.js'

export const signatureHeader = 'X-Svc-Signature'
export const timestampHeader = 'X-Svc-Request-Timestamp'

export function signatureOf(secret: string, timestamp: string, body: Uint8Array): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`
}

/** The signature headers of a request sent at `at`, in milliseconds; the timestamp header is in seconds. */
export function signedHeaders(secret: string, at: number, body: Uint8Array): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  return { [signatureHeader]: signatureOf(secret, timestamp, body), [timestampHeader]: timestamp }
}

/** True for a body that is signed with this secret and whose timestamp is within the accepted age of `at`. */
export function verify(
  secret: string,
  signed: { readonly signature: string; readonly timestamp: string; readonly body: Uint8Array },
  at: number,
): boolean {
  if (!/^\d{1,12}$/.test(signed.timestamp)) return false
  if (Math.abs(at - Number(signed.timestamp) * 1000) > signature.acceptedAgeMs) return false
  return equal(signed.signature, signatureOf(secret, signed.timestamp, signed.body))
}

/** Digests have one length, so the comparison takes the same time for every input. */
function equal(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
