/** Shapes of the requests that the WhatsApp Cloud API accepts, with its limits. */
import { isRecord } from '../../../core/json.js'
import {
  anything,
  byKind,
  flag,
  type JsonObject,
  link,
  list,
  number,
  object,
  oneOf,
  onlyOne,
  type Shape,
  text,
} from '../shape.js'

const bodyText = object({ text: text({ max: 1_024 }) })
const footer = object({ text: text({ max: 60 }) })
const reference = onlyOne('link', 'id')
const picture = object({}, { link: link(), id: text() }, reference)
const mediaWith = (more: Readonly<Record<string, Shape>>) =>
  object({}, { link: link(), id: text(), ...more }, reference)
const caption = text({ max: 1_024 })

const textHeader = object({ type: oneOf('text'), text: text({ max: 60 }) })
const header = byKind('type', {
  text: textHeader,
  image: object({ type: anything, image: picture }),
  video: object({ type: anything, video: picture }),
  document: object({ type: anything, document: mediaWith({ filename: text() }) }),
})

const replyButton = object({
  type: oneOf('reply'),
  reply: object({ id: text({ max: 256 }), title: text({ max: 20 }) }),
})
const urlAction = object({
  name: oneOf('cta_url'),
  parameters: object({ display_text: text({ max: 20 }), url: link() }),
})
const row = object({ id: text({ max: 200 }), title: text({ max: 24 }) }, { description: text({ max: 72 }) })

const maxRows = 10
function checkSections({ sections }: JsonObject, path: string): string | undefined {
  const all = sections as readonly { title?: string; rows: readonly JsonObject[] }[]
  const rows = all.flatMap((each) => each.rows)
  if (rows.length > maxRows) return `${path}.sections have more than ${maxRows} rows in all`
  if (new Set(rows.map(({ id }) => id)).size < rows.length) return `${path}.sections have an id twice`
  return all.length > 1 && all.some(({ title }) => title === undefined) ? `${path}.sections lack a title` : undefined
}

const cardText = (value: unknown, path: string) =>
  text({ max: 160 })(value, path) ??
  ((value as string).split('\n').length > 3 ? `${path} has more than two line breaks` : undefined)
const quickReplies = object({
  buttons: list(
    object({ type: oneOf('quick_reply'), quick_reply: object({ id: text({ max: 256 }), title: text({ max: 20 }) }) }),
    { min: 1, max: 2 },
  ),
})
const cardAction: Shape = (value, path) =>
  isRecord(value) && 'buttons' in value ? quickReplies(value, path) : urlAction(value, path)
const card = object(
  {
    card_index: number({ min: 0, max: 9, whole: true }),
    type: oneOf('cta_url', 'quick_reply'),
    header: byKind('type', {
      image: object({ type: anything, image: picture }),
      video: object({ type: anything, video: picture }),
    }),
    action: cardAction,
  },
  { body: object({ text: cardText }) },
)

/** All cards have the same kind and number of buttons, and `card_index` equals the position. */
function checkCards({ cards }: JsonObject, path: string): string | undefined {
  const all = cards as readonly { card_index: number; type: string; action: { buttons?: readonly unknown[] } }[]
  if (all.some(({ card_index }, index) => card_index !== index))
    return `${path}.cards are not in the order of card_index`
  const kinds = new Set(all.map(({ type, action }) => `${type} ${action.buttons?.length ?? 0}`))
  return kinds.size > 1 ? `${path}.cards have unlike buttons` : undefined
}

const interactive = byKind('type', {
  button: object(
    {
      type: anything,
      body: bodyText,
      action: object({ buttons: list(replyButton, { min: 1, max: 3 }) }, {}, uniqueReplies),
    },
    { header, footer },
  ),
  list: object(
    {
      type: anything,
      body: bodyText,
      action: object(
        {
          button: text({ max: 20 }),
          sections: list(object({ rows: list(row, { min: 1, max: 10 }) }, { title: text({ max: 24 }) }), {
            min: 1,
            max: 10,
          }),
        },
        {},
        checkSections,
      ),
    },
    { header: textHeader, footer },
  ),
  cta_url: object({ type: anything, body: bodyText, action: urlAction }, { header, footer }),
  location_request_message: object({
    type: anything,
    body: bodyText,
    action: object({ name: oneOf('send_location') }),
  }),
  carousel: object({
    type: anything,
    body: bodyText,
    action: object({ cards: list(card, { min: 2, max: 10 }) }, {}, checkCards),
  }),
})

function uniqueReplies({ buttons }: JsonObject, path: string): string | undefined {
  const all = buttons as readonly { reply: { id: string; title: string } }[]
  const hasDuplicate = (field: 'id' | 'title') => new Set(all.map(({ reply }) => reply[field])).size < all.length
  return hasDuplicate('id') || hasDuplicate('title') ? `${path}.buttons have an id or a title twice` : undefined
}

const contact = object(
  { name: object({ formatted_name: text() }, { first_name: text(), last_name: text() }) },
  {
    phones: list(object({ phone: text() }, { type: text(), wa_id: text() })),
    emails: list(object({ email: text() }, { type: text() })),
    urls: list(object({ url: text() }, { type: text() })),
    addresses: list(anything),
    org: anything,
    birthday: text(),
  },
)

const common = { messaging_product: oneOf('whatsapp'), to: text({ form: /^\+?\d{7,15}$/ }), type: anything }
const kinds: Readonly<Record<string, Shape>> = {
  text: object({ body: text({ max: 4_096 }) }, { preview_url: flag }),
  image: mediaWith({ caption }),
  video: mediaWith({ caption }),
  audio: mediaWith({}),
  document: mediaWith({ caption, filename: text() }),
  sticker: mediaWith({}),
  location: object(
    { latitude: number({ min: -90, max: 90 }), longitude: number({ min: -180, max: 180 }) },
    { name: text(), address: text() },
  ),
  contacts: list(contact, { min: 1 }),
  interactive,
  template: object({ name: text(), language: object({ code: text() }) }, { components: list(anything) }),
}

export const messageBody: Shape = byKind(
  'type',
  Object.fromEntries(
    Object.entries(kinds).map(([kind, shape]) => [
      kind,
      object(
        { ...common, [kind]: shape },
        {
          recipient_type: oneOf('individual'),
          context: object({ message_id: text() }),
          biz_opaque_callback_data: text(),
        },
      ),
    ]),
  ),
)

/** A read mark, together with a typing indicator. */
export const readMark: Shape = object(
  { messaging_product: oneOf('whatsapp'), status: oneOf('read'), message_id: text() },
  { typing_indicator: object({ type: oneOf('text') }) },
)
