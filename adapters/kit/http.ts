/** HTTP helpers of all adapters: parsing untrusted bodies, constant-time comparison, and outcomes of failed calls. */
import { Buffer } from 'node:buffer'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { NoResponse, SendOutcome } from '../../core/channel/adapter.js'
import { second } from '../../core/durations.js'
import { parseJson } from '../../core/json.js'
import { isWithinJsonBounds } from '../../core/jsonbounds.js'
import { ingressBounds } from '../../core/limits/index.js'

/** Compares in constant time. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const uuidNamespace = Buffer.from('5b0c41b26d9f4e53a8a3d1c64be8f2a7', 'hex')

/** A stable UUID for an id (version 5 of RFC 4122), for providers that take only UUIDs. */
export function uuidFrom(id: string): string {
  const bytes = createHash('sha1').update(uuidNamespace).update(id).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Undefined for anything but JSON in UTF-8, and for JSON that exceeds the bounds on depth and number of values. */
export function readJson(bytes: Uint8Array): unknown | undefined {
  return isWithinJsonBounds(bytes, ingressBounds.json) ? parseJson(bytes) : undefined
}

/** The value if it is a string, else undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The value if it is a finite number, else undefined. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/**
 * Whether an adapter may send the credentials of a binding to this URL: over TLS to a host of the provider (one of
 * `hosts`, or any host when `hosts` is absent), or to the API address that the operator entered.
 */
export function isTrusted(url: string, apiUrl: string | undefined, hosts?: readonly string[]): boolean {
  const [at, api] = [urlIn(url), urlIn(apiUrl)]
  if (!at) return false
  if (at.origin === api?.origin) return true
  const isProviderHost = !hosts || hosts.some((host) => at.hostname === host || at.hostname.endsWith(`.${host}`))
  return at.protocol === 'https:' && at.port === '' && isProviderHost
}

/** An operator may enter an API address with a slash at its end or without one. */
export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

function urlIn(text: string | undefined): URL | undefined {
  try {
    return new URL(text ?? '')
  } catch {
    return undefined
  }
}

/** No answer from a provider that deduplicates by our id: retried later under the same id. */
export function noAnswer({ detail }: NoResponse): SendOutcome {
  return { kind: 'refused', reason: 'sendFailed', detail, retry: 'later' }
}

/** No answer from a provider without deduplication: the outcome is unknown, unless the request was never sent. */
export function unknownAnswer({ detail, unsent }: NoResponse): SendOutcome {
  return { kind: 'refused', reason: 'sendFailed', detail, retry: 'later', ...(!unsent && { isUnknown: true as const }) }
}

/** The delay in a `Retry-After` header, in seconds or as a date; undefined when the header is unreadable. */
export function retryAfterMsIn(text: string, now: number): number | undefined {
  const header = text.trim()
  if (/^[0-9]{1,6}$/.test(header)) return Number(header) * second
  const at = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/.test(header)
    ? Date.parse(header)
    : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/**
 * The outcome of a status that concerns the provider and not the message: it is unavailable for now (408, 425, 429 and
 * 5xx). Undefined for any other status. `retryAfter` is the raw header of that name.
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
