/** Moments in AML: an ISO date with its offset, and the zone it is to be read in. */
import type { Moment } from '../amf/index.js'
import { parseMoment } from '../amf/moments.js'
import type { Position } from './contract.js'
import { addWarning, type Draft } from './draft.js'
import { zoneOf } from './zone.js'

/** A date that is none stays as it is: the message is judged as a whole, and its place is known. */
export function momentOf(draft: Draft, iso: string, at: Position): Moment {
  const { zone = 'UTC' } = draft.options
  const read = parseMoment(iso)
  if (typeof read === 'string') return { iso, tz: 'UTC' }
  const tz = zoneOf(read, zone)
  if (tz === undefined)
    addWarning(draft, at, 'unknownOffset', `No time zone has the offset of ${iso}; it is shown in UTC`)
  return { iso, tz: tz ?? 'UTC' }
}
