/** One fetch: from where the URL leads into an object of ours, judged by its first bytes and counted while it comes. */
import { createDecipheriv } from 'node:crypto'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { media as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'
import { acquireWithin, type Semaphore } from '../semaphore.js'
import type { Shards } from '../shard/contract.js'
import { unavailable } from '../shard/unavailable.js'
import type { Getter, Gotten } from '../webhook/get.js'
import { sentences } from '../webhook/reason.js'
import { type Find, NoRoom, type Objects, type Unreachable, type Wanted } from './contract.js'
import { type Kept, type MediaCommands, type OneName, ownerOf } from './record.js'
import { isWanted, typeOf } from './types.js'

export interface FetcherOptions {
  readonly getter: Getter
  readonly objects: Objects
  readonly shards: Shards
  readonly commands: MediaCommands
  readonly slots: Semaphore
  readonly clock: Clock
  readonly log: Log
  /** What is wrong with a URL, as the end of a sentence that begins with it. */
  readonly checkUrl: (url: string) => string | undefined
  /** Random letters and digits that nobody can guess. */
  readonly newName: () => string
}

export interface Errand {
  readonly find: Find
  readonly hash: string
  readonly wanted: Wanted
  readonly signal: AbortSignal
}

/** Rejects only when its signal fires. */
export type Fetch = (errand: Errand) => Promise<Kept | Unreachable | Refusal>

const headers = { accept: '*/*', 'user-agent': 'Parley-Media/1' }

class TooLarge extends Error {}

export function fetcherOf(options: FetcherOptions): Fetch {
  const { getter, slots, clock, log } = options
  return async (errand) => {
    const { hash, signal } = errand
    const source = await errand.find(signal)
    if (isRefusal(source) || 'why' in source) return source
    const { url, secretHeaders, aesKey } = source
    const wrong = options.checkUrl(url)
    if (wrong !== undefined) return unreachable('source', `The media URL ${wrong}.`)
    const release = await acquireWithin(slots, new URL(url).host, { clock, ms: limits.turnMs, signal })
    if (!release) return unreachable('source', sentences.timeout)
    try {
      const got = await getter.get({ url, headers, secretHeaders, signal }, (answer) =>
        take(options, errand, aesKey === undefined ? answer : { ...answer, body: decrypted(answer.body, aesKey) }, url),
      )
      if (got.ok) return got.taken
      signal.throwIfAborted()
      if (got.reason === 'stopped') return unavailable
      log.info('media.unreachable', { media: hash, reason: got.reason })
      return unreachable('source', got.message)
    } finally {
      release()
    }
  }
}

export function unreachable(why: Unreachable['why'], detail: string): Unreachable {
  return { reason: 'mediaUnreachable', why, detail }
}

/** Why something of that type and size is not what was wanted; undefined when it is. */
export function unwanted({ type, bytes }: Pick<Kept, 'type' | 'bytes'>, wanted: Wanted): Unreachable | undefined {
  if (!isWanted(type, wanted)) return wrongType(type)
  return bytes > mostBytes(wanted) ? tooLarge(wanted) : undefined
}

const mostBytes = ({ maxBytes }: Wanted) => Math.min(maxBytes, limits.maxBytes)
const tooLarge = (wanted: Wanted) => unreachable('size', `The media has more than ${mostBytes(wanted)} bytes.`)
const wrongType = (type: string) => unreachable('type', `The media is ${type}, which cannot be shown there.`)

async function take(options: FetcherOptions, { hash, wanted }: Errand, answer: Gotten, url: string) {
  const { status, announcedBytes, body } = answer
  if (status !== 200) return unreachable('source', `The media URL answered with status ${status}.`)
  if ((announcedBytes ?? 0) > mostBytes(wanted)) return tooLarge(wanted)
  const { head, whole } = await behead(body)
  if (head.length === 0) return unreachable('source', 'The media URL answered with nothing.')
  const found = typeOf(head, wanted, url)
  if (!found) return unreachable('type', 'The media is of a kind that is not passed on.')
  if (!isWanted(found.type, wanted)) return wrongType(found.type)
  const which = { hash, name: `${options.newName()}.${found.extension}` }
  const begun = await options.shards.ask(ownerOf(hash), options.commands.begin, which)
  if (isRefusal(begun)) return begun
  const bytes = await put(options, which, whole(), wanted)
  if (typeof bytes !== 'number') return bytes
  return (await keep(options, { ...which, type: found.type, bytes })) ?? unavailable
}

/** Counter mode keeps the length, so limits hold for both. */
async function* decrypted(body: AsyncIterable<Uint8Array>, aesKey: string): AsyncGenerator<Uint8Array> {
  const decipher = createDecipheriv('aes-256-ctr', Buffer.from(aesKey, 'hex'), Buffer.alloc(16))
  for await (const part of body) yield decipher.update(part)
}

/** As many bytes as tell the type, and the whole with those bytes at its beginning. */
async function behead(body: AsyncIterable<Uint8Array>) {
  const parts = body[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  for (let bytes = 0; bytes < limits.headBytes; ) {
    const next = await parts.next()
    if (next.done) break
    first.push(next.value)
    bytes += next.value.length
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield* first
    yield* { [Symbol.asyncIterator]: () => parts }
  }
  return { head: Buffer.concat(first).subarray(0, limits.headBytes), whole }
}

/** Puts it, and answers how long it is; what is not kept after all is struck out again. */
async function put(
  options: FetcherOptions,
  which: OneName,
  source: AsyncIterable<Uint8Array>,
  wanted: Wanted,
): Promise<number | Unreachable | Refusal> {
  const { objects, log, shards, commands } = options
  const most = mostBytes(wanted)
  let bytes = 0
  let isSourceBroken = false
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const part of source) {
        bytes += part.length
        if (bytes > most) throw new TooLarge()
        yield part
      }
    } catch (error) {
      isSourceBroken = true
      throw error
    }
  }
  try {
    await objects.put(which.name, counted())
    return bytes
  } catch (error) {
    // If this does not reach its shard, the timer that was set when it began does the same.
    await shards.ask(ownerOf(which.hash), commands.abandon, which)
    if (error instanceof TooLarge) return tooLarge(wanted)
    if (isSourceBroken) throw error
    if (error instanceof NoRoom) {
      log.warn('media.room.none', {
        advice: 'free some disk, or give the installation more; media is refused until then',
      })
      return unreachable('room', 'There is no room to keep more media just now; try again later.')
    }
    log.error('media.not_kept', { media: which.hash, error })
    return unavailable
  }
}

async function keep({ shards, commands }: FetcherOptions, kept: OneName & Pick<Kept, 'type' | 'bytes'>) {
  return shards.ask(ownerOf(kept.hash), commands.keep, kept)
}
