/** Limits of the connection to Redis. */
import { second } from '../../core/durations.js'

/** The shared token buckets in Redis. If Redis does not answer in time, the process decides alone. */
export const redis = Object.freeze({ commandMs: 50, connectMs: second, retryMs: 50, retryMaxMs: 2 * second } as const)
