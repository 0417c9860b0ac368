/** `Media` of the gateway: returns stored media, and shares one fetch among all callers that wait for the same URL. */
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { media as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import { parseUrl } from '../config/url.js'
import { type GetterOptions, openGetter } from '../egress/get.js'
import { checkUrl } from '../egress/guard.js'
import type { Log } from '../observe/log.js'
import { createSemaphore } from '../semaphore.js'
import type { Shards } from '../shard/contract.js'
import { unavailable } from '../shard/refusals.js'
import type { Media, MediaRequirements, MediaStore, Unreachable } from './contract.js'
import { createFetcher, type FetchMedia, type FetchRequest, requirementsError } from './fetcher.js'
import { hashOf, type MediaCommands, type MediaRecord, mediaQueries, ownerOf, touchEveryMs } from './record.js'
import { everyType } from './types.js'

export interface MediaOptions extends Omit<GetterOptions, 'limits'> {
  readonly shards: Shards
  readonly commands: MediaCommands
  readonly store: MediaStore
  /** The base URL of the gateway without its version prefix; a function, since it may become known late. */
  readonly publicUrl: () => string
  readonly timeScale: number
  readonly clock: Clock
  readonly log: Log
  readonly randomBytes: (count: number) => Uint8Array
  readonly limits?: GetterOptions['limits']
}

/** The media to get, and the fetcher that gets it. */
type MediaRequest = Omit<FetchRequest, 'signal'> & { readonly fetchMedia: FetchMedia }

type Outcome = MediaRecord | Unreachable | Refusal

/** A fetch of one URL, and the number of its waiting callers. */
interface Job {
  readonly outcome: Promise<Outcome>
  readonly requirements: MediaRequirements
  waiting: number
  stop(): void
}

export function openMedia(options: MediaOptions): Media {
  const { shards, commands, store, clock, log } = options
  const { ownOrigins: own, ...policy } = { ...options, limits: options.limits ?? limits }
  // Media named by messages is never fetched from emulated providers of this node.
  const getter = openGetter(policy)
  const ownGetter = openGetter({ ...policy, ownOrigins: own })
  const slots = createSemaphore({ max: limits.fetchesInFlight, maxPerKey: limits.fetchesPerHost })
  const newName = () => idFromBytes('', options.randomBytes(nameBytes)).slice(1)
  const context = { store, shards, commands, slots, clock, log, newName }
  const fetchPublic = createFetcher({ ...context, getter, checkUrl: (url) => checkUrl(url, options) })
  const fetchFromProvider = createFetcher({ ...context, getter: ownGetter, checkUrl: checkOwnUrl })
  const jobs = new Map<string, Job>()

  function checkOwnUrl(url: string): string | undefined {
    const isOwn = own?.().has(parseUrl(url)?.origin ?? '') ?? false
    return checkUrl(url, isOwn ? { allowPrivate: true } : options)
  }

  function startJob({ fetchMedia, ...fetchRequest }: MediaRequest): Job {
    const { hash } = fetchRequest
    const controller = new AbortController()
    const forgetJob = () => void (jobs.get(hash) === job && jobs.delete(hash))
    const outcome = runJob({ ...fetchRequest, signal: controller.signal }, fetchMedia).finally(forgetJob)
    const job: Job = {
      outcome,
      requirements: fetchRequest.requirements,
      waiting: 0,
      stop() {
        forgetJob()
        controller.abort()
      },
    }
    jobs.set(hash, job)
    return job
  }

  async function runJob(fetchRequest: FetchRequest, fetchMedia: FetchMedia): Promise<Outcome> {
    return (await findStored(fetchRequest.hash)) ?? fetchMedia(fetchRequest)
  }

  async function findStored(hash: string): Promise<MediaRecord | Refusal | undefined> {
    const existing = await shards.query(ownerOf(hash), mediaQueries.find, { hash })
    if (existing === null || isRefusal(existing)) return existing ?? undefined
    const isPresent = await hasObject(existing.name)
    if (isPresent === undefined) return unavailable
    if (!isPresent) {
      log.warn('media.missing', { media: hash, advice: 'the record outlived the bytes; they are fetched again' })
      const dropped = await shards.execute(ownerOf(hash), commands.drop, { hash, name: existing.name })
      return isRefusal(dropped) ? dropped : undefined
    }
    if (clock.now() - existing.touchedAt < touchEveryMs(options.timeScale)) return existing
    return (await shards.execute(ownerOf(hash), commands.touch, { hash })) ?? undefined
  }

  /** Undefined when the store cannot tell. */
  async function hasObject(name: string): Promise<boolean | undefined> {
    try {
      return (await store.get(name)) !== undefined
    } catch (error) {
      log.error('media.unreadable', { error })
      return undefined
    }
  }

  /**
   * A fetch that failed the requirements of the caller who began it may meet those of another, who then begins a new
   * one.
   */
  async function outcomeFor(mediaRequest: MediaRequest, signal?: AbortSignal): Promise<Outcome> {
    for (;;) {
      signal?.throwIfAborted()
      const current = jobs.get(mediaRequest.hash)
      const outcome = await joinJob(current ?? startJob(mediaRequest), signal)
      const dependsOnRequirements = 'why' in outcome && (outcome.why === 'type' || outcome.why === 'size')
      if (!current || !dependsOnRequirements || isSame(current.requirements, mediaRequest.requirements)) return outcome
    }
  }

  return {
    async rehost(url, requirements: MediaRequirements, signal) {
      const outcome = await outcomeFor(
        { find: () => ({ url }), hash: hashOf(url), requirements, fetchMedia: fetchPublic },
        signal,
      )
      if (isRefusal(outcome) || 'why' in outcome) return outcome
      const { name, type, bytes } = outcome
      return requirementsError(outcome, requirements) ?? { url: `${options.publicUrl()}/v4/media/${name}`, type, bytes }
    },
    // No URL begins with this prefix, so inbound media never collides with media that a message names.
    fetchInbound: (token, find) =>
      outcomeFor({ find, hash: hashOf(`received ${token}`), requirements: anyMedia, fetchMedia: fetchFromProvider }),
    async close() {
      await Promise.all([getter.close(), ownGetter.close()])
    },
  }
}

function isSame(one: MediaRequirements, other: MediaRequirements): boolean {
  return one.types.join() === other.types.join() && one.maxBytes === other.maxBytes
}

const anyMedia: MediaRequirements = { types: everyType, maxBytes: limits.maxBytes, allowsUnknown: true }

/** The bytes for 26 characters. */
const nameBytes = 17

/** The last caller that stops waiting ends the job. */
function joinJob(job: Job, signal: AbortSignal | undefined): Promise<Outcome> {
  job.waiting++
  return new Promise((resolve, reject) => {
    const abandon = () => {
      reject(signal?.reason)
      job.waiting--
      if (job.waiting === 0) job.stop()
    }
    signal?.addEventListener('abort', abandon, { once: true })
    const stopListening = () => signal?.removeEventListener('abort', abandon)
    job.outcome.then(resolve, reject).finally(stopListening)
  })
}
