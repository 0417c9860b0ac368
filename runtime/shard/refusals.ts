/** Refusals of a shard that is unavailable. */
import { unavailable as refuseUnavailable } from '../../core/errors.js'

/** The command was not decided. */
export const unavailable = refuseUnavailable()

export const outcomeUnknown = refuseUnavailable('No answer came in time. The change may or may not have been made.')
