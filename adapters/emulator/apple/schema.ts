/** Shapes of the requests that Apple Messages for Business accepts, with its limits. */
import { isRecord } from '../../../core/json.js'
import { anything, byKind, flag, link, list, number, object, oneOf, onlyOne, type Shape, text } from '../shape.js'

export const bid =
  'com.apple.messages.MSMessageExtensionBalloonPlugin:0000000000:com.apple.icloud.apps.messages.business.extension'

/** Texts in interactive messages. */
const visibleText = text({ max: 200 })
const optionalText = text({ min: 0, max: 200 })
const style = oneOf('icon', 'small', 'large', 'default')
const bubble = object({ title: visibleText }, { subtitle: optionalText, style, imageIdentifier: text() })

const pngBytes = 200 * 1024
const imagesBytes = 5 * 1024 * 1024
const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47])
const image = object({ identifier: text(), data: text() }, { description: optionalText }, ({ data }, path) => {
  const bytes = Buffer.from(data as string, 'base64')
  if (bytes.length > pngBytes) return `${path}.data is larger than 200 KB`
  return bytes.subarray(0, pngStart.length).equals(pngStart) ? undefined : `${path}.data is not a PNG`
})
const images: Shape = (value, path) =>
  list(image)(value, path) ?? (JSON.stringify(value).length > imagesBytes ? `${path} are larger than 5 MB` : undefined)

const order = number({ min: 0, whole: true })
const item = object(
  { identifier: text(), title: visibleText },
  { subtitle: optionalText, order, imageIdentifier: text(), style },
)
const listPicker = object({
  sections: list(object({ items: list(item, { min: 1 }) }, { title: optionalText, order, multipleSelection: flag }), {
    min: 1,
  }),
})
const slot = object({
  identifier: text(),
  startTime: text({ form: /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:?\d\d)$/ }),
  duration: number({ min: 0, whole: true }),
})
const event = object(
  { identifier: text(), timeslots: list(slot, { min: 1 }) },
  {
    title: optionalText,
    imageIdentifier: text(),
    timezoneOffset: number({ min: -1_440, max: 1_440, whole: true }),
    location: object({ latitude: number(), longitude: number() }, { radius: number(), title: visibleText }),
  },
)
const quickReply = object(
  { items: list(object({ identifier: text(), title: visibleText }), { min: 2, max: 5 }) },
  { summaryText: optionalText },
)

const pickers = { listPicker, event, 'quick-reply': quickReply }
const data = object(
  { version: oneOf('1.0'), requestIdentifier: text() },
  { images, mspVersion: text(), ...pickers },
  onlyOne(...Object.keys(pickers)),
)
/** A quick reply has no `receivedMessage`: it stands below the message text, without a bubble of its own. */
const interactiveData = object(
  { bid: oneOf(bid), data },
  { receivedMessage: bubble, replyMessage: bubble, sessionIdentifier: text(), useLiveLayout: flag },
  ({ data: picker, receivedMessage }, path) =>
    receivedMessage === undefined && !(isRecord(picker) && picker['quick-reply'])
      ? `${path}.receivedMessage is missing`
      : undefined,
)

const richLinkData = object(
  { url: link(), title: text() },
  {
    assets: object(
      {},
      {
        image: object({ data: text(), mimeType: text({ form: /^image\// }) }),
        video: object({ url: link(), mimeType: text({ form: /^video\// }) }),
      },
    ),
  },
)
const attachment = object(
  {
    url: link(),
    mimeType: text(),
    name: text(),
    size: anything,
    key: text({ form: /^00[0-9a-f]{64}$/i }),
    owner: text(),
  },
  { signature: text(), 'signature-base64': text() },
)

const head = {
  v: oneOf(1),
  type: anything,
  id: text(),
  sourceId: text(),
  destinationId: text(),
}
const more = { locale: text(), attachments: list(attachment), body: text({ min: 0 }), auto_reply: flag }

export const appleMessage: Shape = byKind('type', {
  text: object(head, more, ({ body, attachments }, path) =>
    body || attachments ? undefined : `${path || 'The message'} says nothing`,
  ),
  interactive: object({ ...head, interactiveData }, more),
  richLink: object({ ...head, richLinkData }, more),
  typing_start: object(head),
  typing_end: object(head),
})
