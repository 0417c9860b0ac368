/** One fetch: streams a source into an object, with its type from the first bytes and its size counted on the way. */
import { createDecipheriv } from 'node:crypto'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { media as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { GetResponse, Getter } from '../egress/get.js'
import { failureMessages } from '../egress/reason.js'
import type { Log } from '../observe/log.js'
import { acquireWithin, type Semaphore } from '../semaphore.js'
import type { Shards } from '../shard/contract.js'
import { unavailable } from '../shard/refusals.js'
import { type FindSource, type MediaRequirements, type MediaStore, StorageFull, type Unreachable } from './contract.js'
import { type MediaCommands, type MediaName, type MediaRecord, ownerOf } from './record.js'
import { isAllowed, typeOf } from './types.js'

export interface FetcherOptions {
  readonly getter: Getter
  readonly store: MediaStore
  readonly shards: Shards
  readonly commands: MediaCommands
  readonly slots: Semaphore
  readonly clock: Clock
  readonly log: Log
  /** The problem with a URL, as the end of a sentence that begins with the URL; undefined for a valid one. */
  readonly checkUrl: (url: string) => string | undefined
  /** Returns random letters and digits that cannot be guessed. */
  readonly newName: () => string
}

export interface FetchRequest {
  readonly find: FindSource
  readonly hash: string
  readonly requirements: MediaRequirements
  readonly signal: AbortSignal
}

/** Rejects only when the signal of the request fires. */
export type FetchMedia = (fetchRequest: FetchRequest) => Promise<MediaRecord | Unreachable | Refusal>

const headers = { accept: '*/*', 'user-agent': 'Parley-Media/1' }

class TooLarge extends Error {}

export function createFetcher(options: FetcherOptions): FetchMedia {
  const { getter, slots, clock, log } = options
  return async (fetchRequest) => {
    const { hash, signal } = fetchRequest
    const source = await fetchRequest.find(signal)
    if (isRefusal(source) || 'why' in source) return source
    const { url, secretHeaders, aesKey } = source
    const problem = options.checkUrl(url)
    if (problem !== undefined) return unreachable('source', `The media URL ${problem}.`)
    const release = await acquireWithin(slots, new URL(url).host, { clock, ms: limits.slotWaitMs, signal })
    if (!release) return unreachable('source', failureMessages.timeout)
    try {
      const response = await getter.get({ url, headers, secretHeaders, signal }, (answer) =>
        storeResponse(
          options,
          fetchRequest,
          aesKey === undefined ? answer : { ...answer, body: decrypted(answer.body, aesKey) },
          url,
        ),
      )
      if (response.ok) return response.value
      signal.throwIfAborted()
      if (response.reason === 'stopped') return unavailable
      log.info('media.unreachable', { media: hash, reason: response.reason })
      return unreachable('source', response.message)
    } finally {
      release()
    }
  }
}

export function unreachable(why: Unreachable['why'], detail: string): Unreachable {
  return { reason: 'mediaUnreachable', why, detail }
}

/** Why media of that type and size does not meet the requirements; undefined when it does. */
export function requirementsError(
  { type, bytes }: Pick<MediaRecord, 'type' | 'bytes'>,
  requirements: MediaRequirements,
): Unreachable | undefined {
  if (!isAllowed(type, requirements)) return typeError(type)
  return bytes > maxBytesOf(requirements) ? sizeError(requirements) : undefined
}

const maxBytesOf = ({ maxBytes }: MediaRequirements) => Math.min(maxBytes, limits.maxBytes)
const sizeError = (requirements: MediaRequirements) =>
  unreachable('size', `The media has more than ${maxBytesOf(requirements)} bytes.`)
const typeError = (type: string) => unreachable('type', `The media is ${type}, which cannot be shown there.`)

async function storeResponse(
  options: FetcherOptions,
  { hash, requirements }: FetchRequest,
  answer: GetResponse,
  url: string,
) {
  const { status, contentLength: announcedBytes, body } = answer
  if (status !== 200) return unreachable('source', `The media URL answered with status ${status}.`)
  if ((announcedBytes ?? 0) > maxBytesOf(requirements)) return sizeError(requirements)
  const { head, readWhole } = await readHead(body)
  if (head.length === 0) return unreachable('source', 'The media URL answered with nothing.')
  const mediaType = typeOf(head, requirements, url)
  if (!mediaType) return unreachable('type', 'The media is of a kind that is not passed on.')
  if (!isAllowed(mediaType.type, requirements)) return typeError(mediaType.type)
  const mediaName = { hash, name: `${options.newName()}.${mediaType.extension}` }
  const started = await options.shards.execute(ownerOf(hash), options.commands.begin, mediaName)
  if (isRefusal(started)) return started
  const bytes = await putObject(options, mediaName, readWhole(), requirements)
  if (typeof bytes !== 'number') return bytes
  return (await saveRecord(options, { ...mediaName, type: mediaType.type, bytes })) ?? unavailable
}

/** Counter mode keeps the length, so limits apply to both. */
async function* decrypted(body: AsyncIterable<Uint8Array>, aesKey: string): AsyncGenerator<Uint8Array> {
  const decipher = createDecipheriv('aes-256-ctr', Buffer.from(aesKey, 'hex'), Buffer.alloc(16))
  for await (const part of body) yield decipher.update(part)
}

/** The bytes that determine the type, and the whole body including them. */
async function readHead(body: AsyncIterable<Uint8Array>) {
  const parts = body[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  for (let bytes = 0; bytes < limits.headBytes; ) {
    const next = await parts.next()
    if (next.done) break
    first.push(next.value)
    bytes += next.value.length
  }
  async function* readWhole(): AsyncGenerator<Uint8Array> {
    yield* first
    yield* { [Symbol.asyncIterator]: () => parts }
  }
  return { head: Buffer.concat(first).subarray(0, limits.headBytes), readWhole }
}

/** Stores the object and returns its length. An object that is not accepted is abandoned. */
async function putObject(
  options: FetcherOptions,
  mediaName: MediaName,
  source: AsyncIterable<Uint8Array>,
  requirements: MediaRequirements,
): Promise<number | Unreachable | Refusal> {
  const { store, log, shards, commands } = options
  const maxBytes = maxBytesOf(requirements)
  let bytes = 0
  let isSourceBroken = false
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const part of source) {
        bytes += part.length
        if (bytes > maxBytes) throw new TooLarge()
        yield part
      }
    } catch (error) {
      isSourceBroken = true
      throw error
    }
  }
  try {
    await store.put(mediaName.name, counted())
    return bytes
  } catch (error) {
    // If this command fails, the timer that `begin` scheduled does the same.
    await shards.execute(ownerOf(mediaName.hash), commands.abandon, mediaName)
    if (error instanceof TooLarge) return sizeError(requirements)
    if (isSourceBroken) throw error
    if (error instanceof StorageFull) {
      log.warn('media.storage_full', {
        advice: 'free some disk, or give the installation more; media is refused until then',
      })
      return unreachable('full', 'There is no room to keep more media just now; try again later.')
    }
    log.error('media.save_failed', { media: mediaName.hash, error })
    return unavailable
  }
}

async function saveRecord(
  { shards, commands }: FetcherOptions,
  record: MediaName & Pick<MediaRecord, 'type' | 'bytes'>,
) {
  return shards.execute(ownerOf(record.hash), commands.finish, record)
}
