/** What adapters of every provider need to read what comes from outside, to sign, and to say what did not go out. */
import { Buffer } from 'node:buffer'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { NoResponse, SendOutcome } from '../../core/channel/adapter.js'
import { second } from '../../core/durations.js'
import { parseJson } from '../../core/json.js'
import { isWithinJsonBounds } from '../../core/jsonbounds.js'
import { ingressBounds } from '../../core/limits/index.js'

/** Whether two texts are the same, in a time that does not tell how much of them is. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const uuidNamespace = Buffer.from('5b0c41b26d9f4e53a8a3d1c64be8f2a7', 'hex')

/** The same UUID for the same id, for providers that take nothing else: version 5 of RFC 4122. */
export function uuidFrom(id: string): string {
  const bytes = createHash('sha1').update(uuidNamespace).update(id).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Undefined for whatever is not JSON in UTF-8, and for what is nested deeper or has more values than providers send. */
export function readJson(bytes: Uint8Array): unknown | undefined {
  return isWithinJsonBounds(bytes, ingressBounds.json) ? parseJson(bytes) : undefined
}

/** The text, if it is one. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The number, if it is one that can be reckoned with. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/**
 * Whether the credentials of a binding may be told to whoever is at that address: over TLS at a host of the provider (one
 * of these, or any when none is named), or where the operator said that the API is.
 */
export function isTrusted(url: string, apiUrl: string | undefined, hosts?: readonly string[]): boolean {
  const [at, api] = [urlIn(url), urlIn(apiUrl)]
  if (!at) return false
  if (at.origin === api?.origin) return true
  const isProviderHost = !hosts || hosts.some((host) => at.hostname === host || at.hostname.endsWith(`.${host}`))
  return at.protocol === 'https:' && at.port === '' && isProviderHost
}

function urlIn(text: string | undefined): URL | undefined {
  try {
    return new URL(text ?? '')
  } catch {
    return undefined
  }
}

/** How a provider that knows our id again answers for a message: it is tried again under the same id. */
export function noAnswer({ detail }: NoResponse): SendOutcome {
  return { kind: 'refused', reason: 'sendFailed', detail, retry: 'later' }
}

/** The same for a provider that takes every call for another message: unless nothing was sent, it may have this one. */
export function unknownAnswer({ detail, unsent }: NoResponse): SendOutcome {
  return { kind: 'refused', reason: 'sendFailed', detail, retry: 'later', ...(!unsent && { isUnknown: true as const }) }
}

/** What a `Retry-After` asks for, in seconds or as a date; undefined where it asks for nothing that can be read. */
export function retryAfterMsIn(text: string, now: number): number | undefined {
  const header = text.trim()
  if (/^[0-9]{1,6}$/.test(header)) return Number(header) * second
  const at = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/.test(header)
    ? Date.parse(header)
    : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/**
 * What an answer means that says nothing of the message, only that the provider cannot take it now (408, 425, 429 and
 * 5xx); undefined for any other. `retryAfter` is the header of that name, as it came.
 */
export function unavailable(status: number, retryAfter = '', now = Date.now()): SendOutcome | undefined {
  if (status !== 408 && status !== 425 && status !== 429 && !(status >= 500 && status <= 599)) return undefined
  const retryAfterMs = retryAfterMsIn(retryAfter, now)
  const wait = retryAfterMs === undefined ? '' : `, and asks to wait ${Math.ceil(retryAfterMs / second)} seconds`
  return {
    kind: 'refused',
    reason: status === 429 ? 'rateLimited' : 'sendFailed',
    detail: `The provider answered ${status}${wait}.`,
    retry: 'later',
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}
