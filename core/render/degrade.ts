/**
 * The degrade table: one ladder per part, the richest rung first. Rendering climbs down the ladder for each part; the
 * channel's declared capabilities are read off the same rungs.
 */
import type { PartType, PlainPart } from '../amf/index.js'
import type { Traits } from '../channel/traits.js'
import { choiceLadder, confirmLadder, locationLadder, timeLadder } from './askparts.js'
import { cardLadder, carouselLadder, showcaseLadder } from './cards.js'
import { type Fragment, type Ladder, type PartOf, type RenderContext, type Rung, showOnLadder } from './fragments.js'
import { mediaLadder } from './media.js'
import { contactLadder, eventLadder, placeLadder, textLadder } from './shareparts.js'

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

export function showPart(part: PlainPart, context: RenderContext): Fragment {
  return showOnLadder(ladders[part.type] as Ladder<PlainPart>, part, context)
}

/** The best level of a channel for a type of part. */
export function levelOf(type: PartType, traits: Traits): Rung<never>['level'] {
  // On its own channel a payload goes out unchanged, whatever the other traits, if the provider takes payloads.
  if (type === 'native') return traits.withoutPayloads ? 'text' : 'native'
  const ladder = ladders[type] as Ladder<never>
  return ladder.find(({ has }) => has(traits))?.level ?? 'text'
}
