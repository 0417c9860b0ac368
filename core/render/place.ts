/** The name of a place, as a reader sees it. */
import type { Place } from '../amf/index.js'

/** The name without the map link. Coordinates replace the name only if there is no other. */
export function placeText({ label, address, latitude, longitude }: Place): string {
  const name = [label, address].filter((each) => each !== undefined).join(', ')
  return name || `${latitude}, ${longitude}`
}
