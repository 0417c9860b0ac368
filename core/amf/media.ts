/** Media addresses of a message. */
import type { ContentMessage, Part } from './message.js'

/** Every media address in a message, without duplicates. */
export function mediaUrlsIn({ parts }: Pick<ContentMessage, 'parts'>): readonly string[] {
  return [...new Set(parts.flatMap((part) => urlsIn(part)))]
}

function urlsIn(part: Part): readonly string[] {
  switch (part.type) {
    case 'media':
      return [part.mediaUrl, ...(part.thumbnailUrl ? [part.thumbnailUrl] : [])]
    case 'card':
      return part.card.mediaUrl ? [part.card.mediaUrl] : []
    case 'carousel':
      return part.cards.flatMap(({ mediaUrl }) => mediaUrl ?? [])
    case 'ask.choice':
      return part.options.flatMap(({ mediaUrl }) => mediaUrl ?? [])
    case 'showcase':
      return part.items.flatMap(({ mediaUrl }) => mediaUrl ?? [])
    case 'native':
      return part.fallback.flatMap(urlsIn)
    default:
      return []
  }
}
