/** Links that stand in for what a channel cannot do itself: a map for a place, a calendar entry for an event. */
import type { Event, Place } from '../amf/index.js'
import { rendering } from '../limits/index.js'
import { placeText } from './place.js'

/** Coordinates are exact and need no geocoder, so they win over an address. */
export function mapsLink(place: Place): string {
  const { label, address, latitude, longitude } = place
  const hasCoordinates = latitude !== undefined && longitude !== undefined
  const query = hasCoordinates ? `${latitude},${longitude}` : encodeMember(address ?? label ?? '')
  return `https://www.google.com/maps/search/?api=1&query=${query}`
}

/**
 * Both ends in UTC: the same instants as in the text, whatever zone the calendar is kept in. The description stays in the
 * text beside it, since a link is paid for by its length.
 */
export function calendarLink({ title, start, end, place }: Event): string {
  const members = [
    ['text', title],
    ['dates', `${utcStamp(start.iso)}/${utcStamp(end.iso)}`],
    ['location', place && placeText(place)],
  ] as const
  const query = members
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeMember(value!)}`)
  return `https://calendar.google.com/calendar/render?action=TEMPLATE&${query.join('&')}`
}

/** These mean themselves in a query. */
const literalChars: Readonly<Record<string, string>> = { ' ': '+', '/': '/', ',': ',' }

/** Everything in a link also stands beside it, so what would make the link too long to send is left out of the link. */
function encodeMember(text: string): string {
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
