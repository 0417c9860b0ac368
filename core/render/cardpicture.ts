/** The agent's default picture, for cards that were sent without one. */
import type { Card, ContentMessage, Part } from '../amf/index.js'
import type { Traits } from '../channel/traits.js'

/**
 * The message with the picture on every card that has none, if the channel shows cards; otherwise the same message. A
 * channel without cards would write the address out as a link that the agent never sent.
 */
export function withCardPicture(message: ContentMessage, url: string | undefined, traits: Traits): ContentMessage {
  if (url === undefined || !traits.card || !message.parts.some(lacksPicture)) return message
  return { ...message, parts: message.parts.map((part) => withPicture(part, url)) }
}

const lacksPicture = (part: Part) =>
  (part.type === 'card' && isPlain(part.card)) || (part.type === 'carousel' && part.cards.some(isPlain))

const isPlain = ({ mediaUrl }: Card) => mediaUrl === undefined

function withPicture(part: Part, mediaUrl: string): Part {
  if (part.type === 'card') return { ...part, card: { mediaUrl, ...part.card } }
  if (part.type === 'carousel') return { ...part, cards: part.cards.map((card) => ({ mediaUrl, ...card })) }
  return part
}
