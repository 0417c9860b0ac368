/** Renders fitted blocks as Slack messages, one for each request. */
import type { RenderContext } from '../../../core/channel/adapter.js'
import type { Block, RenderedCard, RenderedChip, RenderedRow } from '../../../core/channel/blocks.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { isRecord } from '../../../core/json.js'
import { slack as limits } from '../../../core/limits/index.js'
import { literal } from '../../../core/render/lines.js'
import { phrases } from '../../../core/render/phrases.js'
import { splitPages } from '../../../core/render/split.js'
import { channelOf, threadOf } from './address.js'
import { actions, divider, header, image, type JsonObject, section, select } from './blocks.js'

export interface SlackPayload {
  readonly body: JsonObject
}

const traits = traitsOf('workchatD')

export function render(
  blocks: readonly Block[],
  { address, messageId, lastInboundId }: RenderContext,
): readonly SlackPayload[] {
  const channel = channelOf(address)
  const thread = threadOf(lastInboundId)
  // A native payload may name another thread.
  const threadFields = thread === undefined ? {} : { thread_ts: thread }
  return blocks
    .flatMap((block) => messagesOf(block, messageId))
    .map((message) => ({ body: { ...threadFields, ...message, channel } }))
}

/** `text` is for notifications, and for clients that do not show blocks. */
const message = (text: string, ...blocks: readonly JsonObject[]): JsonObject => ({
  text,
  ...(blocks.length > 0 && { blocks }),
})

function messagesOf(block: Block, messageId: string): readonly JsonObject[] {
  switch (block.kind) {
    case 'native':
      return [isRecord(block.payload) ? block.payload : {}]
    case 'text':
      return [
        block.chips ? message(block.text, section(block.text), actions(block.chips, messageId)) : message(block.text),
      ]
    case 'media':
      return mediaMessages(block, messageId)
    case 'card':
      return [
        message(titleOf(block.card), ...cardBlocks(block.card, messageId), ...actionsBelow(block.chips, messageId)),
      ]
    case 'carousel':
      return [
        message(
          block.cards.map(titleOf).join(', '),
          ...stackCards(block.cards.map((card) => cardBlocks(card, messageId))),
          ...actionsBelow(block.chips, messageId),
        ),
      ]
    case 'list':
      return listMessages(block.text, block.rows, messageId)
    default:
      throw new Error(`the traits of workchatD have no ${block.kind}`)
  }
}

const actionsBelow = (chips: readonly RenderedChip[] | undefined, messageId: string) =>
  chips ? [actions(chips, messageId)] : []

const pagesFrom = (text: string) => splitPages(literal(text), traits)

/** A picture whose description exceeds the limit has it in a section above. */
function mediaMessages(block: Extract<Block, { kind: 'media' }>, messageId: string): JsonObject[] {
  const { text, media, chips } = block
  const { alt, url, thumbnailUrl } = media
  const isShort = alt === undefined || alt.length <= limits.altChars
  const before = isShort ? [] : pagesFrom(alt).map((page) => message(page))
  const after = thumbnailUrl === undefined ? [] : pagesFrom(thumbnailUrl).map((page) => message(page))
  const content = [
    ...(text === undefined ? [] : [section(text)]),
    image(url, isShort ? alt : undefined),
    ...actionsBelow(chips, messageId),
  ]
  return [...before, message(text ?? pagesFrom(alt ?? url)[0]!, ...content), ...after]
}

/** Converts plain titles to markup, so that no text in them mentions a whole channel. */
const titleOf = ({ title, description }: RenderedCard) =>
  title === undefined ? (description ?? phrases.choose) : pagesFrom(title)[0]!

function cardBlocks({ title, description, mediaUrl, chips }: RenderedCard, messageId: string): JsonObject[] {
  return [
    ...(title === undefined ? [] : [header(title)]),
    ...(description === undefined ? [] : [section(description)]),
    ...(mediaUrl === undefined ? [] : [image(mediaUrl, title)]),
    ...actionsBelow(chips, messageId),
  ]
}

/** Slack messages have no carousel: cards stand below each other with dividers between them. */
function stackCards(cards: readonly (readonly JsonObject[])[]): JsonObject[] {
  return cards.flatMap((card, index) => (index === 0 ? card : [divider, ...card]))
}

/** Menu options have no pictures: the pictures stand above the menu, in as many messages as they need. */
function listMessages(text: string, rows: readonly RenderedRow[], messageId: string): JsonObject[] {
  const pictures = rows.flatMap(({ label, mediaUrl }) => (mediaUrl === undefined ? [] : [image(mediaUrl, label)]))
  const menu = select(rows, messageId)
  const content = [section(text), ...pictures]
  const pages: JsonObject[][] = []
  for (let from = 0; from < content.length; from += limits.blocksPerMessage - 1) {
    pages.push(content.slice(from, from + limits.blocksPerMessage - 1))
  }
  pages.at(-1)!.push(menu)
  return pages.map((page) => message(text, ...page))
}
