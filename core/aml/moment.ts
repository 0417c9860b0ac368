/** Moments in AML: an ISO date with its offset, and the zone in which people read it. */
import type { Moment } from '../amf/index.js'
import { parseMoment } from '../amf/moments.js'
import type { Position } from './contract.js'
import { addWarning, type Draft } from './draft.js'
import { zoneOf } from './zone.js'

/** An invalid date stays as it is: the validation of the message reports it with its position. */
export function momentOf(draft: Draft, iso: string, at: Position): Moment {
  const { zone = 'UTC' } = draft.options
  const read = parseMoment(iso)
  if (typeof read === 'string') return { iso, tz: 'UTC' }
  const tz = zoneOf(read, zone)
  if (tz === undefined)
    addWarning(draft, at, 'unknownOffset', `No time zone has the offset of ${iso}; it is shown in UTC`)
  return { iso, tz: tz ?? 'UTC' }
}
