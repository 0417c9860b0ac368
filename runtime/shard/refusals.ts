/** Refusals of a shard that is unavailable. */
import { refuse } from '../../core/errors.js'
import { http } from '../../core/limits/index.js'

const headers = { 'retry-after': String(http.retryAfterSeconds) }

/** The command was not decided. */
export const unavailable = refuse('service.unavailable', { headers })

export const outcomeUnknown = refuse('service.unavailable', {
  headers,
  detail: 'No answer came in time. The change may or may not have been made.',
})
