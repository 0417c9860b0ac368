/** The answers of a shard that cannot be asked just now. */
import { refuse } from '../../core/errors.js'
import { http } from '../../core/limits/index.js'

const headers = { 'retry-after': String(http.retryAfterSeconds) }

/** Nothing was decided. */
export const unavailable = refuse('service.unavailable', { headers })

export const outcomeUnknown = refuse('service.unavailable', {
  headers,
  detail: 'No answer came in time. The change may or may not have been made.',
})
