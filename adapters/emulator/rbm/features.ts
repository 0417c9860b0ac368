/** Device features of RCS Business Messaging, and which of them a message needs. */
import { isRecord } from '../../../core/json.js'
import type { JsonObject } from '../shape.js'

export const features = [
  'REVOCATION',
  'RICHCARD_STANDALONE',
  'RICHCARD_CAROUSEL',
  'ACTION_CREATE_CALENDAR_EVENT',
  'ACTION_DIAL',
  'ACTION_OPEN_URL',
  'ACTION_SHARE_LOCATION',
  'ACTION_VIEW_LOCATION',
]

/** The feature that each suggestion or content needs of a phone. */
const requiredFeature: Readonly<Record<string, string>> = {
  standaloneCard: 'RICHCARD_STANDALONE',
  carouselCard: 'RICHCARD_CAROUSEL',
  createCalendarEventAction: 'ACTION_CREATE_CALENDAR_EVENT',
  dialAction: 'ACTION_DIAL',
  openUrlAction: 'ACTION_OPEN_URL',
  shareLocationAction: 'ACTION_SHARE_LOCATION',
  viewLocationAction: 'ACTION_VIEW_LOCATION',
}

/** The features that a message needs of the phone that shows it. */
export function featuresIn(body: unknown): readonly string[] {
  const content = isRecord(body) && isRecord(body.contentMessage) ? body.contentMessage : {}
  const actions = suggestionsIn(content).map(({ action }) => action)
  const kinds = [content.richCard, ...actions].flatMap((each) => (isRecord(each) ? Object.keys(each) : []))
  return kinds.flatMap((kind) => requiredFeature[kind] ?? [])
}

/** In the order on the screen: suggestions of cards, then those below the message. */
export function suggestionsIn(content: unknown): JsonObject[] {
  if (!isRecord(content)) return []
  const { richCard, suggestions } = content
  const { standaloneCard, carouselCard } = isRecord(richCard) ? richCard : {}
  const cards = [
    ...(isRecord(standaloneCard) ? [standaloneCard.cardContent] : []),
    ...(isRecord(carouselCard) ? (carouselCard.cardContents as unknown[]) : []),
  ]
  const inCards = cards.flatMap((card) => (isRecord(card) ? ((card.suggestions ?? []) as JsonObject[]) : []))
  return [...inCards, ...((suggestions ?? []) as JsonObject[])]
}
