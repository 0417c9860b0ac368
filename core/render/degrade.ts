/**
 * The degrade table: one ladder per part, the richest rung first. Rendering climbs down the ladder for each part; the
 * channel's declared capabilities are read off the same rungs.
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

/** The best level of a channel for a type of part. */
export function levelOf(type: PartType, traits: Traits): Rung<never>['level'] {
  // On its own channel a payload goes out unchanged, whatever the other traits, if the provider takes payloads.
  if (type === 'native') return traits.withoutPayloads ? 'text' : 'native'
  const ladder = ladders[type] as Ladder<never>
  return ladder.find(({ has }) => has(traits))?.level ?? 'text'
}
