/** Links that replace missing channel features: a map for a place, a calendar entry for an event. */
import type { Event, Place } from '../amf/index.js'
import { rendering } from '../limits/index.js'
import { placeText } from './place.js'

/** Coordinates are exact and need no geocoder, so they take precedence over an address. */
export function mapsLink(place: Place): string {
  const { label, address, latitude, longitude } = place
  const hasCoordinates = latitude !== undefined && longitude !== undefined
  const query = hasCoordinates ? `${latitude},${longitude}` : encodeQueryValue(address ?? label ?? '')
  return `https://www.google.com/maps/search/?api=1&query=${query}`
}

/**
 * Start and end are in UTC: the same instants as in the text, whatever the calendar's zone. The description stays in
 * the text beside it, since the price of a link depends on its length.
 */
export function calendarLink({ title, start, end, place }: Event): string {
  const members = [
    ['text', title],
    ['dates', `${utcStamp(start.iso)}/${utcStamp(end.iso)}`],
    ['location', place && placeText(place)],
  ] as const
  const query = members
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeQueryValue(value!)}`)
  return `https://calendar.google.com/calendar/render?action=TEMPLATE&${query.join('&')}`
}

/** Characters that need no percent encoding in a query. */
const literalChars: Readonly<Record<string, string>> = { ' ': '+', '/': '/', ',': ',' }

/** Cuts the member at its limit. The same content also stands beside the link, so the cut loses nothing. */
function encodeQueryValue(text: string): string {
  let result = ''
  for (const character of text) {
    const next = literalChars[character] ?? encodeURIComponent(character.isWellFormed() ? character : '\ufffd')
    if (result.length + next.length > rendering.linkMemberChars) return result
    result += next
  }
  return result
}

function utcStamp(iso: string): string {
  const instant = Date.parse(iso)
  if (Number.isNaN(instant)) return iso
  return new Date(instant).toISOString().replace(/[-:]|\.\d+/g, '')
}
