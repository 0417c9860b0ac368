/** One object as an answer: whole or a span of it, in a way that no browser can take for anything but media. */
import { type Refusal, refuse } from '../../core/errors.js'
import { media as limits } from '../../core/limits.js'
import type { AnswerBody } from '../http/exchange.js'
import type { Answer } from '../http/route.js'
import { BusUnreachable } from '../nats/contract.js'
import { unavailable } from '../shard/unavailable.js'
import type { Objects, Stored } from './contract.js'
import { type MediaType, typeOfName } from './types.js'

const notFound = refuse('resource.not_found')

/** What agents publish may be kept by every cache; what a person sent is theirs, and no cache keeps it. */
export type Caching = 'published' | 'personal'

const cacheControl: Readonly<Record<Caching, string>> = {
  published: `public, max-age=${limits.maxAgeSeconds}, immutable`,
  personal: 'private, no-store',
}

/** `range` is the header of that name, as it came. */
export async function served(
  objects: Objects,
  name: string,
  range: string,
  caching: Caching = 'published',
): Promise<Answer | Refusal> {
  const type = typeOfName(name)
  if (!type) return notFound
  try {
    const stored = await objects.get(name)
    return stored ? await answered(stored, type, name, range, caching) : notFound
  } catch (error) {
    if (error instanceof BusUnreachable) return unavailable
    throw error
  }
}

async function answered(
  stored: Stored,
  type: MediaType,
  name: string,
  range: string,
  caching: Caching,
): Promise<Answer> {
  const headers = {
    'cache-control': cacheControl[caching],
    'content-security-policy': "sandbox; default-src 'none'",
    'content-disposition': type.saved ? `attachment; filename="${name}"` : 'inline',
    ...(stored.bytes !== undefined && { 'accept-ranges': 'bytes' }),
  }
  const span = stored.bytes === undefined ? undefined : spanOf(range, stored.bytes)
  const about = { type: type.type, ...(await bodyOf(stored, span)), headers }
  if (!span) return { ...about, status: 200 }
  const contentRange = `bytes ${span.from}-${span.till - 1}/${stored.bytes}`
  return { ...about, status: 206, headers: { ...headers, 'content-range': contentRange } }
}

interface Span {
  readonly from: number
  readonly till: number
}

/** One span of bytes; a range that is not one, or lies outside, is answered with the whole, as it may be. */
function spanOf(range: string, bytes: number): Span | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const till = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  return from < till ? { from, till } : undefined
}

/** Nothing is read before it is sent, except where nobody knows how long it is. */
async function bodyOf(stored: Stored, span: Span | undefined): Promise<Pick<Answer, 'body' | 'bodyBytes'>> {
  if (stored.bytes === undefined) return { body: await wholeIfShort(between(stored, 0, Number.POSITIVE_INFINITY)) }
  const { from, till } = span ?? { from: 0, till: stored.bytes }
  return { body: between(stored, from, till), bodyBytes: till - from }
}

async function* between(stored: Stored, from: number, till: number): AsyncGenerator<Uint8Array> {
  let left = till - from
  for await (const part of stored.read(from)) {
    yield part.subarray(0, left)
    left -= part.length
    if (left <= 0) return
  }
}

/** Where nobody knows how long it is, the beginning is read to find out. */
async function wholeIfShort(parts: AsyncGenerator<Uint8Array>): Promise<AnswerBody> {
  const first: Uint8Array[] = []
  for (let bytes = 0; bytes <= limits.wholeBytes; ) {
    const next = await parts.next()
    if (next.done) return Buffer.concat(first)
    first.push(next.value)
    bytes += next.value.length
  }
  return (async function* all() {
    yield* first
    yield* parts
  })()
}
