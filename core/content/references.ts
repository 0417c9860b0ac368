/** Resolves the references of a compiled text (things, collections, images) against the agent's document. */
import type { AgentDocument } from '../agent/index.js'
import type { Card, ContentMessage, Part } from '../amf/index.js'
import type { Reference } from '../aml/index.js'
import { cardParts, collectionCards, thingCard } from './things.js'

export interface ResolvedMessage {
  readonly message: ContentMessage
  /** One sentence for each reference to what the agent does not have; it is left out of the message. */
  readonly missing: readonly string[]
}

/** References point before the parts they were written among, so they are inserted from the last to the first. */
export function resolveReferences(
  document: AgentDocument,
  message: ContentMessage,
  references: readonly Reference[],
): ResolvedMessage {
  const parts = deepCopy(message.parts) as Part[]
  const missing: string[] = []
  for (const { kind, ids, path } of [...references].reverse()) {
    if (kind === 'image') {
      const url = document.media.find(({ id }) => id === ids[0])?.url
      if (url === undefined) missing.unshift(`The image ${ids[0]} has no address.`)
      setAtPath(parts, path, url)
      continue
    }
    const cards = kind === 'things' ? thingsOf(document, ids, missing) : collectionCards(document, ids[0]!)
    if (kind !== 'things' && cards.length === 0) missing.unshift(`The collection ${ids[0]} holds nothing.`)
    if (cards.length > 0) parts.splice(placeOf(path, parts.length), 0, ...cardParts(cards))
  }
  return { message: { ...message, parts: parts.filter(isWhole) }, missing }
}

function thingsOf(document: AgentDocument, ids: readonly string[], missing: string[]): readonly Card[] {
  return ids.flatMap((id) => {
    const card = thingCard(document, id)
    if (!card) missing.unshift(`There is no thing ${id}.`)
    return card ?? []
  })
}

/** A part that lost its picture and has nothing else. */
function isWhole(part: Part): boolean {
  if (part.type === 'media') return part.mediaUrl !== undefined
  if (part.type !== 'card') return true
  const { title, description, mediaUrl } = part.card
  return title !== undefined || description !== undefined || mediaUrl !== undefined
}

function placeOf(path: string, end: number): number {
  return Number(/^parts\[(\d+)\]/.exec(path)?.[1] ?? end)
}

function deepCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepCopy)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, deepCopy(member)]))
}

/** `parts[1].cards[0].mediaUrl`; undefined removes the member. */
function setAtPath(parts: Part[], path: string, value: string | undefined): void {
  const names = path
    .replace(/^parts/, '')
    .split(/[.[\]]+/)
    .filter((name) => name !== '')
  const last = names.pop()!
  const parent = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], parts)
  if (value === undefined) delete (parent as Record<string, unknown>)[last]
  else (parent as Record<string, unknown>)[last] = value
}
