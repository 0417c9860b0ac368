/** Shapes of the requests that Messenger and Instagram accept, with their limits. */
import { isRecord } from '../../../core/json.js'
import {
  anything,
  byKind,
  flag,
  type JsonObject,
  link,
  list,
  object,
  oneOf,
  onlyOne,
  type Shape,
  text,
} from '../shape.js'

const payload = text({ max: 1_000 })
const buttonTitle = text({ max: 20 })
const urlButton = object(
  { type: anything, url: link(), title: buttonTitle },
  { webview_height_ratio: text(), messenger_extensions: flag, fallback_url: link() },
)
const instagramButton = byKind('type', {
  web_url: urlButton,
  postback: object({ type: anything, title: buttonTitle, payload }),
})
const messengerButton = byKind('type', {
  web_url: urlButton,
  postback: object({ type: anything, title: buttonTitle, payload }),
  phone_number: object({ type: anything, title: buttonTitle, payload: text({ form: /^\+\d{7,15}$/ }) }),
})

function bodyWith(button: Shape, plainText: Shape): Shape {
  const element = object(
    { title: text({ max: 80 }) },
    {
      subtitle: text({ max: 80 }),
      image_url: link(),
      default_action: object({ type: oneOf('web_url'), url: link() }, { webview_height_ratio: text() }),
      buttons: list(button, { min: 1, max: 3 }),
    },
    (value, path) => (Object.keys(value).length < 2 ? `${path} has a title and nothing else` : undefined),
  )
  const template = byKind('template_type', {
    generic: object(
      { template_type: anything, elements: list(element, { min: 1, max: 10 }) },
      { image_aspect_ratio: oneOf('horizontal', 'square') },
    ),
    button: object({ template_type: anything, text: text({ max: 640 }), buttons: list(button, { min: 1, max: 3 }) }),
  })
  const file = object({ type: anything, payload: object({ url: link() }, { is_reusable: flag }) })
  const attachment = byKind('type', {
    image: file,
    video: file,
    audio: file,
    file,
    template: object({ type: anything, payload: template }),
  })
  // The provider cuts a longer title and does not refuse it.
  const quickReply = byKind('content_type', {
    text: object({ content_type: anything, title: text(), payload }, { image_url: link() }),
    user_phone_number: object({ content_type: anything }, { payload }),
    user_email: object({ content_type: anything }, { payload }),
  })
  const message = object(
    {},
    { text: plainText, attachment, quick_replies: list(quickReply, { min: 1, max: 13 }), metadata: text() },
    onlyOne('text', 'attachment'),
  )
  return object(
    { recipient: object({ id: text() }) },
    {
      messaging_type: oneOf('RESPONSE', 'UPDATE', 'MESSAGE_TAG'),
      tag: text(),
      message,
      sender_action: oneOf('typing_on', 'typing_off', 'mark_seen'),
      notification_type: text(),
    },
    (value, path) => onlyOne('message', 'sender_action')(value, path || 'The body') ?? tagError(value),
  )
}

function tagError({ messaging_type: type, tag, message }: JsonObject): string | undefined {
  if (isRecord(message) && type === undefined) return 'messaging_type is missing'
  return (type === 'MESSAGE_TAG') === (tag === undefined) ? 'tag goes with MESSAGE_TAG, and only with it' : undefined
}

export const messengerBody = bodyWith(messengerButton, text({ max: 2_000 }))
export const instagramBody = bodyWith(instagramButton, text({ max: 1_000, bytes: true }))
