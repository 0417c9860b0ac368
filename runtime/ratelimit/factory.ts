/** Chooses where the buckets live: in this process, or in Redis when a node is given one to share with others. */
import { readFileSync } from 'node:fs'
import { parseUrl } from '../config/url.js'
import type { Buckets } from './contract.js'
import { type BucketClock, BucketTable, createLocalBuckets, monotonicClock } from './local.js'
import type { LimitsLog } from './redis.js'

export interface OpenBucketsOptions {
  readonly redisUrl?: string
  /** The authority that signed the server of a rediss:// URL; absent, those that Node trusts. */
  readonly redisTlsCaFile?: string
  /** How many nodes share the budgets. */
  readonly nodes?: () => number
  readonly clock?: BucketClock
  readonly log?: LimitsLog
}

/** Does not wait for Redis: until it answers, the node counts by itself and `degraded` says so. */
export async function openBuckets(options: OpenBucketsOptions): Promise<Buckets> {
  const { redisUrl: url, redisTlsCaFile, nodes, clock = monotonicClock, log } = options
  if (url === undefined) return createLocalBuckets(new BucketTable(clock))
  const scheme = parseUrl(url)?.protocol
  if (scheme !== 'redis:' && scheme !== 'rediss:') throw new Error('the Redis URL has to be redis:// or rediss://')
  // A node that is given no Redis does not load what talks to one.
  const { RedisBuckets } = await import('./redis.js')
  return new RedisBuckets({ url, tlsCa: redisTlsCaFile && readText(redisTlsCaFile), nodes, clock, log })
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`The file ${file} of PARLEY_REDIS_TLS_CA cannot be read: ${code}.`, { cause: error })
  }
}
