/** Drawings of provider bodies: the same few elements for every provider. */

export interface Drawing {
  readonly text?: string
  readonly pictures?: readonly Picture[]
  readonly cards?: readonly Card[]
  /** Below the message, while the message is the newest one. */
  readonly chips?: readonly Tap[]
  /** Opened by a button of the message. */
  readonly list?: { readonly title: string; readonly rows: readonly Tap[] }
}

export interface Picture {
  readonly url: string
  readonly kind: 'image' | 'video' | 'audio' | 'file'
  readonly alt?: string
}

export interface Card {
  readonly title?: string
  readonly description?: string
  readonly picture?: Picture
  readonly taps: readonly Tap[]
}

export interface Tap {
  readonly label: string
  readonly description?: string
  readonly kind: 'reply' | 'link' | 'dial' | 'calendar' | 'map' | 'location'
  /** The postback of a tap; absent where the provider reports no tap. */
  readonly postback?: string
  readonly href?: string
}

// biome-ignore lint/suspicious/noExplicitAny: bodies were checked by the provider that took them
type Body = any

export function drawingOf(provider: string, body: unknown): Drawing {
  return (readers[provider] ?? unknown)(body) ?? unknown(body)
}

function unknown(body: unknown): Drawing {
  return { text: JSON.stringify(body, undefined, 2) }
}

const readers: Readonly<Record<string, (body: Body) => Drawing | undefined>> = {
  rbm: ({ contentMessage }) => contentMessage && rcs(contentMessage),
  twilio: ({ Body: text, MediaUrl }) => ({ text, ...(MediaUrl && { pictures: [pictureAt(MediaUrl)] }) }),
  whatsapp,
  apple,
}

function rcs({ text, richCard, contentInfo, suggestions = [] }: Body): Drawing {
  const standalone = richCard?.standaloneCard?.cardContent
  const cards = standalone ? [standalone] : (richCard?.carouselCard?.cardContents ?? [])
  return {
    ...(text && { text }),
    ...(contentInfo && { pictures: [pictureAt(contentInfo.fileUrl)] }),
    ...(cards.length > 0 && { cards: cards.map(rcsCard) }),
    ...(suggestions.length > 0 && { chips: suggestions.map(suggestionOf) }),
  }
}

function rcsCard({ title, description, media, suggestions = [] }: Body): Card {
  return {
    ...(title && { title }),
    ...(description && { description }),
    ...(media?.contentInfo && { picture: pictureAt(media.contentInfo.fileUrl) }),
    taps: suggestions.map(suggestionOf),
  }
}

function suggestionOf({ reply, action }: Body): Tap {
  if (reply) return { label: reply.text, kind: 'reply', postback: reply.postbackData }
  const { text: label, postbackData: postback, openUrlAction, dialAction, viewLocationAction } = action
  if (openUrlAction) return { label, kind: 'link', postback, href: openUrlAction.url }
  if (dialAction) return { label, kind: 'dial', postback }
  if (viewLocationAction) return { label, kind: 'map', postback }
  if (action.shareLocationAction) return { label, kind: 'location' }
  return { label, kind: 'calendar', postback }
}

function whatsapp(body: Body): Drawing | undefined {
  const { type, interactive, location, contacts } = body
  if (type === 'text') return { text: body.text.body }
  if (type === 'interactive') return whatsappInteractive(interactive)
  if (type === 'location') return { text: [location.name, location.address].filter(Boolean).join('\n') || 'A place' }
  if (type === 'contacts') return { text: contacts.map(contactText).join('\n\n') }
  const { link, caption, filename } = body[type] ?? {}
  if (!link) return undefined
  const kind = type === 'document' ? 'file' : type
  return { ...(caption && { text: caption }), pictures: [{ url: link, kind, ...(filename && { alt: filename }) }] }
}

function contactText({ name, phones = [], emails = [], urls = [] }: Body): string {
  const addresses = [...phones.map((each: Body) => each.phone), ...emails.map((each: Body) => each.email)]
  return [name.formatted_name, ...addresses, ...urls.map((each: Body) => each.url)].join('\n')
}

function whatsappInteractive({ header, body, action }: Body): Drawing {
  const { buttons = [], sections = [], cards = [], name, parameters } = action
  const rows = sections.flatMap((section: Body) => section.rows)
  const link = name === 'cta_url' && linkTap(parameters)
  const share = name === 'send_location' && ({ label: 'Send location', kind: 'location' } as const)
  const chips: Tap[] = [...buttons.map(replyTap), ...(link ? [link] : []), ...(share ? [share] : [])]
  return {
    text: [header?.text, body?.text].filter(Boolean).join('\n\n'),
    ...(header && header.type !== 'text' && { pictures: [headerPicture(header)] }),
    ...(cards.length > 0 && { cards: cards.map(whatsappCard) }),
    ...(chips.length > 0 && { chips }),
    ...(rows.length > 0 && { list: { title: action.button, rows: rows.map(rowTap) } }),
  }
}

const replyTap = ({ reply, quick_reply }: Body): Tap => {
  const { id, title } = reply ?? quick_reply
  return { label: title, kind: 'reply', postback: id }
}
const rowTap = ({ id, title, description }: Body): Tap => ({
  label: title,
  kind: 'reply',
  postback: id,
  ...(description && { description }),
})
const linkTap = ({ display_text, url }: Body): Tap => ({ label: display_text, kind: 'link', href: url })

function headerPicture(header: Body): Picture {
  const { type } = header
  return { url: header[type].link ?? '', kind: type === 'document' ? 'file' : type }
}

function whatsappCard({ header, body, action }: Body): Card {
  const { buttons, parameters } = action
  return {
    ...(body?.text && { description: body.text }),
    picture: headerPicture(header),
    taps: buttons ? buttons.map(replyTap) : [linkTap(parameters)],
  }
}

function apple({ type, body, interactiveData, richLinkData }: Body): Drawing | undefined {
  if (type === 'text') return { text: body }
  if (type === 'richLink') {
    const link: Tap = { label: richLinkData.title, kind: 'link', href: richLinkData.url }
    return { cards: [{ title: richLinkData.title, taps: [{ ...link, label: new URL(richLinkData.url).host }] }] }
  }
  if (type !== 'interactive') return undefined
  const { data, receivedMessage } = interactiveData
  const text = [receivedMessage?.title, receivedMessage?.subtitle].filter(Boolean).join('\n')
  const { listPicker, event, 'quick-reply': quick } = data
  if (quick) return { text: quick.summaryText, chips: quick.items.map(itemTap) }
  if (event) return { text, list: { title: 'Choose a time', rows: event.timeslots.map(slotTap(event)) } }
  const sections: Body[] = listPicker?.sections ?? []
  const rows = sections.flatMap((section) => section.items).map(itemTap)
  return { text, list: { title: sections[0]?.title || 'Select', rows } }
}

const itemTap = ({ identifier, title, subtitle }: Body): Tap => ({
  label: title,
  kind: 'reply',
  postback: identifier,
  ...(subtitle && { description: subtitle }),
})

/** Formatted in the zone of the picker, or in the reader's own. */
const slotTap =
  ({ timezoneOffset }: Body) =>
  ({ identifier, startTime }: Body): Tap => {
    const at = Date.parse(startTime)
    const localTime = timezoneOffset === undefined ? at : at + timezoneOffset * 60_000
    const options = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
    const zone = timezoneOffset === undefined ? {} : { timeZone: 'UTC' }
    return {
      label: new Intl.DateTimeFormat('en-GB', { ...options, ...zone }).format(localTime),
      kind: 'reply',
      postback: identifier,
    }
  }

function pictureAt(url: string): Picture {
  const [, extension = ''] = /\.(\w{2,4})(?:[?#].*)?$/.exec(url) ?? []
  const kind = /^(mp4|mov|webm|3gp)$/i.test(extension)
    ? 'video'
    : /^(mp3|ogg|aac|m4a)$/i.test(extension)
      ? 'audio'
      : 'image'
  return { url, kind: /^(pdf|docx?|xlsx?|zip)$/i.test(extension) ? 'file' : kind }
}
