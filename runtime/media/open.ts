/** Media as the gateway asks for it: what is kept is used again, what is not is fetched once for all who wait for it. */
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { media as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'
import { createSemaphore } from '../semaphore.js'
import type { Shards } from '../shard/contract.js'
import { unavailable } from '../shard/unavailable.js'
import { parsedUrl } from '../url.js'
import { type GetterOptions, openGetter } from '../webhook/get.js'
import { checkUrl } from '../webhook/guard.js'
import type { Media, Objects, Unreachable, Wanted } from './contract.js'
import { type Errand, type Fetch, fetcherOf, unwanted } from './fetch.js'
import { hashOf, type Kept, type MediaCommands, mediaQueries, ownerOf, usedEveryMs } from './record.js'
import { everyType } from './types.js'

export interface MediaOptions extends Omit<GetterOptions, 'limits'> {
  readonly shards: Shards
  readonly commands: MediaCommands
  readonly objects: Objects
  /** Where the gateway is reached, without its version prefix; asked for each time, for it may be known late. */
  readonly publicUrl: () => string
  readonly timeScale: number
  readonly clock: Clock
  readonly log: Log
  readonly randomBytes: (count: number) => Uint8Array
  readonly limits?: GetterOptions['limits']
}

/** What is to be had, and by whom it is brought. */
type Order = Omit<Errand, 'signal'> & { readonly bring: Fetch }

type Outcome = Kept | Unreachable | Refusal

/** Work on one URL, and how many wait for it. */
interface Job {
  readonly outcome: Promise<Outcome>
  readonly wanted: Wanted
  waiting: number
  stop(): void
}

export function openMedia(options: MediaOptions): Media {
  const { shards, commands, objects, clock, log } = options
  const { own, ...policy } = { ...options, limits: options.limits ?? limits }
  // What messages name never comes from what this node runs itself.
  const getter = openGetter(policy)
  const ownGetter = openGetter({ ...policy, own })
  const slots = createSemaphore({ most: limits.fetchesInFlight, mostPerKey: limits.fetchesPerHost })
  const newName = () => idFromBytes('', options.randomBytes(nameBytes)).slice(1)
  const around = { objects, shards, commands, slots, clock, log, newName }
  const bringNamed = fetcherOf({ ...around, getter, checkUrl: (url) => checkUrl(url, options) })
  const bringReceived = fetcherOf({ ...around, getter: ownGetter, checkUrl: wrongWithOwn })
  const jobs = new Map<string, Job>()

  function wrongWithOwn(url: string): string | undefined {
    const isOwn = own?.().has(parsedUrl(url)?.origin ?? '') ?? false
    return checkUrl(url, isOwn ? { allowPrivate: true } : options)
  }

  function begin({ bring, ...errand }: Order): Job {
    const { hash } = errand
    const controller = new AbortController()
    const leave = () => void (jobs.get(hash) === job && jobs.delete(hash))
    const outcome = work({ ...errand, signal: controller.signal }, bring).finally(leave)
    const job: Job = {
      outcome,
      wanted: errand.wanted,
      waiting: 0,
      stop() {
        leave()
        controller.abort()
      },
    }
    jobs.set(hash, job)
    return job
  }

  async function work(errand: Errand, bring: Fetch): Promise<Outcome> {
    return (await foundAgain(errand.hash)) ?? bring(errand)
  }

  async function foundAgain(hash: string): Promise<Kept | Refusal | undefined> {
    const found = await shards.read(ownerOf(hash), mediaQueries.find, { hash })
    if (found === null || isRefusal(found)) return found ?? undefined
    const there = await isThere(found.name)
    if (there === undefined) return unavailable
    if (!there) {
      log.warn('media.lost', { media: hash, advice: 'the record outlived the bytes; they are fetched again' })
      const forgotten = await shards.ask(ownerOf(hash), commands.forget, { hash, name: found.name })
      return isRefusal(forgotten) ? forgotten : undefined
    }
    if (clock.now() - found.usedAt < usedEveryMs(options.timeScale)) return found
    return (await shards.ask(ownerOf(hash), commands.use, { hash })) ?? undefined
  }

  /** Undefined when it cannot be found out. */
  async function isThere(name: string): Promise<boolean | undefined> {
    try {
      return (await objects.get(name)) !== undefined
    } catch (error) {
      log.error('media.unreadable', { error })
      return undefined
    }
  }

  /** What was not wanted by whoever began a job may be just what another wants, who then begins one. */
  async function outcomeFor(order: Order, signal?: AbortSignal): Promise<Outcome> {
    for (;;) {
      signal?.throwIfAborted()
      const running = jobs.get(order.hash)
      const outcome = await join(running ?? begin(order), signal)
      const dependsOnWanted = 'why' in outcome && (outcome.why === 'type' || outcome.why === 'size')
      if (!running || !dependsOnWanted || isAlike(running.wanted, order.wanted)) return outcome
    }
  }

  return {
    async hosted(url, wanted: Wanted, signal) {
      const outcome = await outcomeFor({ find: () => ({ url }), hash: hashOf(url), wanted, bring: bringNamed }, signal)
      if (isRefusal(outcome) || 'why' in outcome) return outcome
      const { name, type, bytes } = outcome
      return unwanted(outcome, wanted) ?? { url: `${options.publicUrl()}/v4/media/${name}`, type, bytes }
    },
    // No URL begins like this, so what people sent is never taken for what a message names.
    received: (word, find) =>
      outcomeFor({ find, hash: hashOf(`received ${word}`), wanted: anything, bring: bringReceived }),
    async close() {
      await Promise.all([getter.close(), ownGetter.close()])
    },
  }
}

function isAlike(one: Wanted, other: Wanted): boolean {
  return one.types.join() === other.types.join() && one.maxBytes === other.maxBytes
}

const anything: Wanted = { types: everyType, maxBytes: limits.maxBytes, isUnknownWanted: true }

/** As many as 26 characters take. */
const nameBytes = 17

/** The last one to leave ends the job. */
function join(job: Job, signal: AbortSignal | undefined): Promise<Outcome> {
  job.waiting++
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal?.reason)
      job.waiting--
      if (job.waiting === 0) job.stop()
    }
    signal?.addEventListener('abort', leave, { once: true })
    const stay = () => signal?.removeEventListener('abort', leave)
    job.outcome.then(resolve, reject).finally(stay)
  })
}
