/** Renders chips as RCS Business Messaging suggestions. Each carries a postback. */
import type { Event, Place } from '../../../core/amf/index.js'
import type { RenderedChip } from '../../../core/channel/blocks.js'
import { formatPostback } from '../../../core/channel/postback.js'
import { rbm as limits } from '../../../core/limits/index.js'
import { calendarLink, mapsLink } from '../../../core/render/links.js'
import { placeText } from '../../../core/render/place.js'
import type { Action, Suggestion, ViewLocation } from './payload.js'

/** The postback of chips without a tap, such as a link that repeats the text; `receive` yields no item for it. */
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

/** The action of a phone, and a fallback page for clients without it. Undefined for a reply. */
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

/** The platform takes digits and a plus only. */
function dialable(phone: string): string {
  return phone.replace(/[^0-9+]/g, '')
}

/** A calendar entry has no member for its place, so the place leads the description. */
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

/** Cuts with an ellipsis at the platform's limits, where longer texts are errors; never splits a surrogate pair. */
function truncate(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const head = text.slice(0, maxChars - 1)
  return `${head.isWellFormed() ? head : head.slice(0, -1)}…`
}
