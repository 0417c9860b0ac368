/** Chooses where the buckets live: in this process, or in Redis when a node is given one to share with others. */
import type { Buckets } from './contract.js'
import { type BucketClock, Ledger, monotonicClock, openLocalBuckets } from './local.js'
import { type LimitsLog, RedisBuckets } from './redis.js'

export interface OpenBucketsOptions {
  readonly redisUrl?: string
  readonly clock?: BucketClock
  readonly log?: LimitsLog
}

/** Does not wait for Redis: until it answers, the node counts by itself and `degraded` says so. */
export async function openBuckets({ redisUrl, clock = monotonicClock, log }: OpenBucketsOptions): Promise<Buckets> {
  if (redisUrl === undefined) return openLocalBuckets(new Ledger(clock))
  const scheme = URL.canParse(redisUrl) ? new URL(redisUrl).protocol : ''
  if (scheme !== 'redis:' && scheme !== 'rediss:') throw new Error('the Redis URL has to be redis:// or rediss://')
  return new RedisBuckets({ url: redisUrl, clock, log })
}
