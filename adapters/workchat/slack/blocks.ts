/** The Slack blocks that this adapter sends. */

import type { RenderedChip, RenderedRow } from '../../../core/channel/blocks.js'
import { formatPostback } from '../../../core/channel/postback.js'
import { phrases } from '../../../core/render/phrases.js'

export type JsonObject = Readonly<Record<string, unknown>>

const plain = (text: string): JsonObject => ({ type: 'plain_text', text })

export const divider: JsonObject = { type: 'divider' }

export const header = (text: string): JsonObject => ({ type: 'header', text: plain(text) })

/** `text` is in the channel's markup already. */
export const section = (text: string): JsonObject => ({ type: 'section', text: { type: 'mrkdwn', text } })

/** Slack requires alternative text for images. */
export const image = (url: string, alt?: string): JsonObject => ({
  type: 'image',
  image_url: url,
  alt_text: alt?.trim() ? alt : 'Picture',
})

/** Action ids of buttons without a tap. */
const linkName = 'chip.'

export const isLinkName = (actionId: string): boolean => actionId.startsWith(linkName)

/**
 * Each button has an action id of its own. The postback returns in it, for links, too, so that Slack reports their
 * taps.
 */
export function actions(chips: readonly RenderedChip[], messageId: string): JsonObject {
  const elements = chips.map(({ label, url, tap }, index) => {
    const postback = tap === undefined ? undefined : formatPostback({ messageId, tapIndex: tap })
    return {
      type: 'button',
      text: plain(label),
      action_id: postback ?? `${linkName}${index}`,
      ...(postback !== undefined && { value: postback }),
      ...(url !== undefined && { url }),
    }
  })
  return { type: 'actions', elements }
}

export function select(rows: readonly RenderedRow[], messageId: string): JsonObject {
  const options = rows.map(({ label, tap }) => ({
    text: plain(label),
    value: formatPostback({ messageId, tapIndex: tap }),
  }))
  const menu = { type: 'static_select', action_id: 'choice', placeholder: plain(phrases.select), options }
  return { type: 'actions', elements: [menu] }
}
