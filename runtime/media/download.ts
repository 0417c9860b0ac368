/** Serves one object, whole or as a byte range, with headers that keep browsers from running it. */
import { type Refusal, refuse } from '../../core/errors.js'
import { media as limits } from '../../core/limits/index.js'
import type { AnswerBody } from '../http/exchange.js'
import type { Answer } from '../http/route.js'
import { BusUnreachable } from '../nats/contract.js'
import { unavailable } from '../shard/refusals.js'
import type { MediaStore, StoredObject } from './contract.js'
import { type MediaType, typeOfName } from './types.js'

const notFound = refuse('resource.not_found')

/** Caches may store media of agents; media that a person sent is personal and must not be cached. */
export type Caching = 'published' | 'personal'

const cacheControl: Readonly<Record<Caching, string>> = {
  published: `public, max-age=${limits.maxAgeSeconds}, immutable`,
  personal: 'private, no-store',
}

/** `range` is the raw `Range` header. */
export async function serveMedia(
  store: MediaStore,
  name: string,
  range: string,
  caching: Caching = 'published',
): Promise<Answer | Refusal> {
  const type = typeOfName(name)
  if (!type) return notFound
  try {
    const object = await store.get(name)
    return object ? await answerWith(object, type, name, range, caching) : notFound
  } catch (error) {
    if (error instanceof BusUnreachable) return unavailable
    throw error
  }
}

async function answerWith(
  object: StoredObject,
  type: MediaType,
  name: string,
  range: string,
  caching: Caching,
): Promise<Answer> {
  const headers = {
    'cache-control': cacheControl[caching],
    'content-security-policy': "sandbox; default-src 'none'",
    'content-disposition': type.isDownload ? `attachment; filename="${name}"` : 'inline',
    ...(object.bytes !== undefined && { 'accept-ranges': 'bytes' }),
  }
  const byteRange = object.bytes === undefined ? undefined : parseRange(range, object.bytes)
  const answer = { type: type.type, ...(await bodyOf(object, byteRange)), headers }
  if (!byteRange) return { ...answer, status: 200 }
  const contentRange = `bytes ${byteRange.from}-${byteRange.end - 1}/${object.bytes}`
  return { ...answer, status: 206, headers: { ...headers, 'content-range': contentRange } }
}

interface ByteRange {
  readonly from: number
  readonly end: number
}

/** A single byte range; undefined, and thus the whole object, for any other or unsatisfiable range. */
function parseRange(range: string, bytes: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  return from < end ? { from, end } : undefined
}

/** Streams the object; only an object of unknown length is read ahead. */
async function bodyOf(
  object: StoredObject,
  byteRange: ByteRange | undefined,
): Promise<Pick<Answer, 'body' | 'bodyBytes'>> {
  if (object.bytes === undefined) return { body: await bufferIfShort(sliceOf(object, 0, Number.POSITIVE_INFINITY)) }
  const { from, end } = byteRange ?? { from: 0, end: object.bytes }
  return { body: sliceOf(object, from, end), bodyBytes: end - from }
}

async function* sliceOf(object: StoredObject, from: number, end: number): AsyncGenerator<Uint8Array> {
  let remaining = end - from
  for await (const part of object.read(from)) {
    yield part.subarray(0, remaining)
    remaining -= part.length
    if (remaining <= 0) return
  }
}

/** Reads the beginning of an object of unknown length, so that a short one is sent with its length. */
async function bufferIfShort(parts: AsyncGenerator<Uint8Array>): Promise<AnswerBody> {
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
