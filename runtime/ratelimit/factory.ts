/** Chooses the backend of the buckets: this process, or Redis when several nodes share the limits. */
import { readFileSync } from 'node:fs'
import { parseUrl } from '../config/url.js'
import type { Buckets } from './contract.js'
import { type BucketClock, BucketTable, createLocalBuckets, monotonicClock } from './local.js'
import type { LimitsLog } from './redis.js'

export interface OpenBucketsOptions {
  readonly redisUrl?: string
  /** The CA certificate of the server of a rediss:// URL; absent: the CAs that Node trusts. */
  readonly redisTlsCaFile?: string
  /** How many nodes share the budgets. */
  readonly nodes?: () => number
  readonly clock?: BucketClock
  readonly log?: LimitsLog
}

/** Does not wait for Redis: until it answers, the node counts alone and `degraded` reports it. */
export async function openBuckets(options: OpenBucketsOptions): Promise<Buckets> {
  const { redisUrl: url, redisTlsCaFile, nodes, clock = monotonicClock, log } = options
  if (url === undefined) return createLocalBuckets(new BucketTable(clock))
  const scheme = parseUrl(url)?.protocol
  if (scheme !== 'redis:' && scheme !== 'rediss:') throw new Error('the Redis URL has to be redis:// or rediss://')
  // A node without Redis does not load its client.
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
