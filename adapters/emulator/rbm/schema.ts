/**
 * Shapes of the requests that RCS Business Messaging accepts: messages, cards, suggestions and events, with their
 * limits.
 */
import { isRecord } from '../../../core/json.js'
import {
  flag,
  type JsonObject,
  link,
  list,
  number,
  object,
  oneOf,
  onlyOne,
  type Shape,
  someOf,
  text,
} from '../shape.js'

const ttlMaxSeconds = 15 * 24 * 3_600
const moment = text({ form: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/ })
const phone = text({ form: /^\+?[0-9*#]{1,20}$/ })
const label = text({ max: 25 })
const postbackData = text({ max: 2_048 })

const latLong = object({ latitude: number({ min: -90, max: 90 }), longitude: number({ min: -180, max: 180 }) })
const actions = {
  openUrlAction: object({ url: link(2_048) }, { application: text(), webviewViewMode: text(), description: text() }),
  dialAction: object({ phoneNumber: phone }),
  viewLocationAction: object({}, { latLong, label: text({ max: 100 }), query: text() }, onlyOne('latLong', 'query')),
  shareLocationAction: object({}),
  createCalendarEventAction: object(
    { startTime: moment, endTime: moment, title: text({ max: 100 }) },
    { description: text({ min: 0, max: 500 }) },
  ),
}
const suggestion = object(
  {},
  {
    reply: object({ text: label, postbackData }),
    action: object(
      { text: label },
      { postbackData, fallbackUrl: link(2_048), ...actions },
      onlyOne(...Object.keys(actions)),
    ),
  },
  onlyOne('reply', 'action'),
)

const contentInfo = object({ fileUrl: link() }, { thumbnailUrl: link(), forceRefresh: flag })
const uploadedRbmFile = object({ fileName: text() }, { thumbnailName: text() })
const media = object(
  {},
  { height: oneOf('SHORT', 'MEDIUM', 'TALL'), contentInfo, uploadedRbmFile },
  onlyOne('contentInfo', 'uploadedRbmFile'),
)
const cardContent = object(
  {},
  {
    title: text({ max: 200 }),
    description: text({ max: 2_000 }),
    media,
    suggestions: list(suggestion, { max: 4 }),
  },
  someOf('title', 'description', 'media'),
)
const standaloneCard = object(
  { cardOrientation: oneOf('VERTICAL', 'HORIZONTAL'), cardContent },
  { thumbnailImageAlignment: oneOf('LEFT', 'RIGHT') },
  (
    { cardOrientation, cardContent: { media: picture } = {} as JsonObject }: JsonObject & { cardContent?: JsonObject },
    path,
  ) =>
    cardOrientation === 'VERTICAL' && isRecord(picture) && picture.height === undefined
      ? `${path}.cardContent.media.height is missing`
      : undefined,
)
const carouselCard = object(
  { cardWidth: oneOf('SMALL', 'MEDIUM'), cardContents: list(cardContent, { min: 2, max: 10 }) },
  {},
  ({ cardWidth, cardContents }, path) =>
    cardWidth === 'SMALL' &&
    (cardContents as JsonObject[]).some((card) => isRecord(card.media) && card.media.height === 'TALL')
      ? `${path} is SMALL and has TALL media`
      : undefined,
)

const contentMessage = object(
  {},
  {
    text: text({ max: 3_072 }),
    richCard: object({}, { standaloneCard, carouselCard }, onlyOne('standaloneCard', 'carouselCard')),
    contentInfo,
    uploadedRbmFile,
    fileName: text(),
    suggestions: list(suggestion, { max: 11 }),
  },
  onlyOne('text', 'richCard', 'contentInfo', 'uploadedRbmFile', 'fileName'),
)

export const agentMessage: Shape = object(
  { contentMessage },
  {
    messageTrafficType: oneOf('AUTHENTICATION', 'TRANSACTION', 'PROMOTION', 'SERVICEREQUEST', 'ACKNOWLEDGEMENT'),
    ttl: text({ form: /^\d{1,9}(\.\d{1,9})?s$/ }),
    expireTime: moment,
  },
  ({ ttl, expireTime }) => {
    if (ttl !== undefined && expireTime !== undefined) return 'ttl and expireTime are both there'
    return ttl !== undefined && Number.parseFloat(ttl as string) > ttlMaxSeconds ? 'ttl is over 15 days' : undefined
  },
)

export const agentEvent: Shape = object(
  { eventType: oneOf('IS_TYPING', 'READ') },
  { messageId: text() },
  ({ eventType, messageId }) =>
    (eventType === 'READ') === (messageId === undefined) ? 'messageId goes with READ, and only with it' : undefined,
)

export const batchGet: Shape = object(
  { users: list(text({ form: /^\+[1-9]\d{6,14}$/ }), { min: 1, max: 10_000 }) },
  { agentId: text() },
)
