/**
 * How every part comes down to what a channel has: one ladder a part, the richest rung first. Rendering climbs down it
 * for a message; what a channel is said to be capable of is read off the same rungs.
 */
import type { PartType, PlainPart } from '../amf/index.js'
import type { Traits } from '../channel/traits.js'
import { cardLadder, carouselLadder, showcaseLadder } from './cards.js'
import { type Ladder, type PartOf, type Piece, type RenderContext, type Rung, showOnLadder } from './drafts.js'
import { mediaLadder } from './media.js'
import { choiceLadder, confirmLadder, locationLadder, timeLadder } from './questions.js'
import { contactLadder, eventLadder, placeLadder, textLadder } from './shares.js'

export const ladders: { readonly [Type in PlainPart['type']]: Ladder<PartOf<Type>> } = {
  text: textLadder,
  media: mediaLadder,
  card: cardLadder,
  carousel: carouselLadder,
  'ask.choice': choiceLadder,
  'ask.time': timeLadder,
  confirm: confirmLadder,
  showcase: showcaseLadder,
  'ask.location': locationLadder,
  'share.event': eventLadder,
  'share.place': placeLadder,
  'share.contact': contactLadder,
}

export function showPart(part: PlainPart, context: RenderContext): Piece {
  return showOnLadder(ladders[part.type] as Ladder<PlainPart>, part, context)
}

/** The best that a channel can do with a kind of part. */
export function levelOf(type: PartType, traits: Traits): Rung<never>['level'] {
  // A payload goes out as it is on its own channel, whatever the channel can do otherwise, if the provider takes payloads.
  if (type === 'native') return traits.withoutPayloads ? 'text' : 'native'
  const ladder = ladders[type] as Ladder<never>
  return ladder.find(({ has }) => has(traits))?.level ?? 'text'
}
