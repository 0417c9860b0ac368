/** Renders fitted blocks as messages of Apple Messages for Business, one for each request. */
import type { RenderContext } from '../../../core/channel/adapter.js'
import type { Block } from '../../../core/channel/blocks.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { isRecord } from '../../../core/json.js'
import { literal } from '../../../core/render/lines.js'
import { phrases } from '../../../core/render/phrases.js'
import { splitPages } from '../../../core/render/split.js'
import { type Interactive, listPickers, quickReply, timePicker } from './interactive.js'

type JsonObject = Readonly<Record<string, unknown>>

/** The message without the members that only `send` knows: id and sender. */
export interface ApplePayload {
  readonly message: JsonObject
}

const traits = traitsOf('vendorMessages')

export function render(blocks: readonly Block[], { address, messageId }: RenderContext): readonly ApplePayload[] {
  return blocks
    .flatMap((block, index) => messagesOf(block, messageId, `${messageId}.${index}`))
    .map((message) => ({ message: { ...message, destinationId: address, v: 1 } }))
}

function messagesOf(block: Block, messageId: string, name: string): readonly JsonObject[] {
  switch (block.kind) {
    case 'native':
      return [isRecord(block.payload) ? block.payload : {}]
    case 'text':
      return [
        block.chips ? interactiveMessage(quickReply(block.text, block.chips, messageId, name)) : textOf(block.text),
      ]
    case 'media':
      return mediaMessages(block, messageId, name)
    case 'list':
      return [...picturesOf(block), ...listPickers(block.text, block.rows, messageId, name).map(interactiveMessage)]
    case 'times': {
      const { labels, picker } = timePicker(block.text, block.slots, messageId, name)
      return [...labels.map(textOf), interactiveMessage(picker)]
    }
    default:
      throw new Error(`the traits of vendorMessages have no ${block.kind}`)
  }
}

const textOf = (body: string): JsonObject => ({ type: 'text', body })
const interactiveMessage = (interactiveData: Interactive): JsonObject => ({ type: 'interactive', interactiveData })

/**
 * A video plays in its rich link. Pictures in a link would have to be sent as bytes, so the link only leads to them.
 */
function mediaMessages(block: Extract<Block, { kind: 'media' }>, messageId: string, name: string): JsonObject[] {
  const { media, text, chips } = block
  const { url, alt = nameOf(url), kind, thumbnailUrl } = media
  const textMessages = (plain: string) => splitPages(literal(plain), traits).map(textOf)
  const isTitle = alt.length <= traits.text.besideMax!
  const assets = kind === 'video' && {
    assets: { video: { url, mimeType: /\.mov$/i.test(nameOf(url)) ? 'video/quicktime' : 'video/mp4' } },
  }
  const link = { type: 'richLink', richLinkData: { url, title: isTitle ? alt : nameOf(url), ...assets } }
  const before = isTitle ? [] : textMessages(alt)
  const after = thumbnailUrl === undefined ? [] : textMessages(thumbnailUrl)
  if (chips)
    return [...before, link, ...after, interactiveMessage(quickReply(text ?? phrases.choose, chips, messageId, name))]
  return [...before, ...(text === undefined ? [] : [textOf(text)]), link, ...after]
}

function nameOf(url: string): string {
  return (/([^/?#]+)\/?(?:[?#].*)?$/s.exec(url)?.[1] ?? url).slice(0, traits.text.besideMax)
}

/** Pictures of rows would have to be sent as bytes: links to them go ahead as text, and the question follows. */
function picturesOf({ text, rows }: Extract<Block, { kind: 'list' }>): JsonObject[] {
  const links = rows.flatMap(({ label, mediaUrl }) => (mediaUrl === undefined ? [] : literal(`${label}: ${mediaUrl}`)))
  return links.length === 0 ? [] : [text, ...splitPages(links, traits)].map(textOf)
}
