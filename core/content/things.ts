/** Things as cards: alone, or as a collection presents them. */
import type { AgentDocument } from '../agent/index.js'
import type { Thing, ThingAction } from '../agent/resources/knowledge.js'
import type { Card, Chip, Part } from '../amf/index.js'
import { amf } from '../limits/index.js'

type CardSource = Pick<AgentDocument, 'media' | 'things' | 'collections' | 'identity'>

const allFields: readonly string[] = ['picture', 'name', 'description']

/** Undefined when the agent has no such thing. */
export function thingCard(source: CardSource, id: string): Card | undefined {
  const thing = source.things.find((each) => each.id === id)
  return thing && cardOf(source, thing as Thing, allFields)
}

/** Every thing of the collection, as it presents them; empty when there is no such collection or nothing in it. */
export function collectionCards(source: CardSource, id: string): readonly Card[] {
  const collection = source.collections.find((each) => each.id === id)
  if (!collection) return []
  const { fields = allFields, actions } = collection.presentation ?? {}
  const things = source.things.filter(({ collections }) => collections?.includes(id))
  return things.map((thing) => cardOf(source, thing as Thing, fields, actions))
}

/** One card, or carousels of as many as one may have. */
export function cardParts(cards: readonly Card[]): Part[] {
  if (cards.length === 1) return [{ type: 'card', card: cards[0]! }]
  const parts: Part[] = []
  for (let from = 0; from < cards.length; from += amf.cards) {
    parts.push({ type: 'carousel', cards: cards.slice(from, from + amf.cards) })
  }
  return parts
}

function cardOf(
  { media, identity }: CardSource,
  thing: Thing,
  fields: readonly string[],
  shownActions?: readonly string[],
): Card {
  const ownPicture = thing.imageUrl ?? media.find(({ id }) => id === thing.media)?.url
  const picture = ownPicture ?? identity?.defaultCardImageUrl
  const chips = actionsOf(thing, shownActions).flatMap((action) => chipOf(thing, action) ?? [])
  const body = {
    ...(fields.includes('description') && thing.description && { description: thing.description }),
    ...(fields.includes('picture') && picture && { mediaUrl: picture }),
    ...(chips.length > 0 && { chips }),
  }
  // A card needs a title, a description or a picture: a thing without the requested fields shows its name.
  const hasNoBody = body.description === undefined && body.mediaUrl === undefined
  return { ...((fields.includes('name') || hasNoBody) && { title: thing.name }), ...body }
}

/** A collection lists its actions in the order in which it shows them. */
function actionsOf({ actions = [] }: Thing, labels: readonly string[] | undefined): readonly ThingAction[] {
  return labels ? labels.flatMap((label) => actions.find((action) => action.label === label) ?? []) : actions
}

/** An action without a kind opens its address. */
function chipOf({ name, location }: Thing, { label, kind = 'url', url, phone, value }: ThingAction): Chip | undefined {
  switch (kind) {
    case 'url':
      return url === undefined ? undefined : { label, kind, url }
    case 'dial':
      return phone === undefined ? undefined : { label, kind, phone }
    case 'reply':
      return { label, kind, value: value ?? `${label} ${name}` }
    case 'viewLocation':
      return location && { label, kind, place: { label: name, ...location } }
  }
}
