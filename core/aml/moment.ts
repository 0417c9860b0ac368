/** Moments in AML: an ISO date with its offset, and the zone it is to be read in. */
import type { Moment } from '../amf/index.js'
import { readMoment } from '../amf/moments.js'
import type { Place } from './contract.js'
import { type Draft, warn } from './draft.js'
import { zoneOf } from './zone.js'

/** A date that is none stays as it is: the message is judged as a whole, and its place is known. */
export function momentOf(draft: Draft, iso: string, at: Place): Moment {
  const { zone = 'UTC' } = draft.options
  const read = readMoment(iso)
  if (typeof read === 'string') return { iso, tz: 'UTC' }
  const tz = zoneOf(read, zone)
  if (tz === undefined) warn(draft, at, 'unknownOffset', `No time zone has the offset of ${iso}; it is shown in UTC`)
  return { iso, tz: tz ?? 'UTC' }
}
