/** Chips as RCS Business Messaging writes them. Each carries what comes back when it is tapped. */
import type { Event, Place } from '../../../core/amf/index.js'
import type { RenderedChip } from '../../../core/channel/blocks.js'
import { formatPostback } from '../../../core/channel/postback.js'
import { rbm as limits } from '../../../core/limits/index.js'
import { calendarLink, mapsLink } from '../../../core/render/links.js'
import { placeText } from '../../../core/render/place.js'
import type { Action, Suggestion, ViewLocation } from './payload.js'

/** Comes back from a chip that is no tap of its message: the person looked at something, and there is nothing to tell. */
export const silentPostback = 'untold'

export function suggestionsOf(chips: readonly RenderedChip[] | undefined, messageId: string) {
  return chips && chips.length > 0 ? { suggestions: chips.map((chip) => suggestionOf(chip, messageId)) } : {}
}

function suggestionOf(chip: RenderedChip, messageId: string): Suggestion {
  const { label: text, tap } = chip
  const postbackData = tap === undefined ? silentPostback : formatPostback({ messageId, tapIndex: tap })
  const suggested = actionOf(chip)
  if (!suggested) return { reply: { text, postbackData } }
  const { action, fallbackUrl } = suggested
  return { action: { text, ...action, ...(fallbackUrl !== undefined && { fallbackUrl }), postbackData } }
}

/** What the phone does, and the page that clients open which cannot do it. Undefined for a reply. */
function actionOf({
  kind,
  url,
  phone,
  event,
  place,
}: RenderedChip): { readonly action: Action; readonly fallbackUrl?: string } | undefined {
  if (kind === 'url' && url !== undefined) return { action: { openUrlAction: { url } } }
  if (kind === 'dial' && phone !== undefined) return { action: { dialAction: { phoneNumber: dialable(phone) } } }
  if (kind === 'shareLocation') return { action: { shareLocationAction: {} } }
  if (kind === 'calendar' && event) return { action: calendarOf(event), fallbackUrl: calendarLink(event) }
  if (kind === 'viewLocation' && place) {
    return { action: { viewLocationAction: locationOf(place) }, fallbackUrl: mapsLink(place) }
  }
  return undefined
}

/** Numbers are written for people; the platform wants digits. */
function dialable(phone: string): string {
  return phone.replace(/[^0-9+]/g, '')
}

/** A calendar entry has no member for its place, which therefore leads its description. */
function calendarOf({ title, start, end, description, place }: Event): Action {
  const details = [place && placeText(place), description].filter((each) => each !== undefined).join('\n')
  return {
    createCalendarEventAction: {
      title: truncate(title, limits.calendarTitleChars),
      startTime: utc(start.iso),
      endTime: utc(end.iso),
      ...(details !== '' && { description: truncate(details, limits.calendarDescriptionChars) }),
    },
  }
}

function locationOf(place: Place): ViewLocation {
  const { label, address, latitude, longitude } = place
  if (latitude === undefined || longitude === undefined) return { query: placeText(place) }
  const isNamed = label !== undefined || address !== undefined
  return { latLong: { latitude, longitude }, ...(isNamed && { label: truncate(placeText(place), limits.pinChars) }) }
}

function utc(iso: string): string {
  return new Date(iso).toISOString()
}

/** What is too long for the platform is an error there, so it ends in an ellipsis here. No pair is parted. */
function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  const head = text.slice(0, most - 1)
  return `${head.isWellFormed() ? head : head.slice(0, -1)}…`
}
