/** The name of a place, as a reader sees it. */
import type { Place } from '../amf/index.js'

/** What a place is called, without the link to it. Coordinates stand in for a name only where there is no other. */
export function placeText({ label, address, latitude, longitude }: Place): string {
  const name = [label, address].filter((each) => each !== undefined).join(', ')
  return name || `${latitude}, ${longitude}`
}
