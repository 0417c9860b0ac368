/** The opener of a send: a template rendered for one person, with its markers resolved against the agent. */

import {
  type AgentDocument,
  createSlotReader,
  type ExpandedTemplate,
  type MissingSlot,
  renderNested,
  type SlotReader,
} from '../agent/index.js'
import type { Thing, ThingAction } from '../agent/resources/knowledge.js'
import type { MessageTemplate } from '../agent/resources/templates.js'
import { type Card, type Chip, type ContentMessage, isSignal, type Part, validateMessage } from '../amf/index.js'
import { compile, type Reference } from '../aml/index.js'
import type { LogNote } from '../catalogs/logevents.js'
import { amf, outreachSend as limits } from '../limits/index.js'
import { type Person, textFields } from '../people/person.js'
import { escapeSlots, markSlots } from './escape.js'

/**
 * `missing`: slots of the template without a value, with the action for each. `isEmpty`: the opener is blocked because
 * the missing values left nothing of it.
 */
export type Opener = ({ readonly message: ContentMessage } | { readonly blocked: string; readonly isEmpty?: true }) & {
  readonly missing?: readonly MissingSlot[]
}

export interface OpenerInput {
  readonly document: AgentDocument
  readonly agent: { readonly name: string; readonly description?: string }
  readonly templateId: string
  readonly person: Person
  /** Values of this send alone; they take precedence over the person's. */
  readonly inputs?: Readonly<Record<string, string>>
}

export function renderOpener({ document, agent, templateId, person, inputs }: OpenerInput): Opener {
  const { name, description } = agent
  const readSlot = createSlotReader({ ...withInputValues(person, inputs) }, { name, description, ...document.identity })
  return renderOpenerWith(document, templateId, readSlot)
}

/**
 * The same with slot values from any reader: an opener that is blocked with a value for each slot is blocked for all
 * people.
 */
export function renderOpenerWith(document: AgentDocument, templateId: string, read: SlotReader): Opener {
  const templates = document.messageTemplates as readonly MessageTemplate[]
  const rendered = renderNested(templates, templateId, markSlots(read))
  const { missingSlots: missing } = rendered
  const opener = compileOpener(document, rendered)
  return missing.length === 0 ? opener : { ...opener, missing }
}

function compileOpener(
  document: AgentDocument,
  { renderedText, missingSlots, problem: blocked }: ExpandedTemplate,
): Opener {
  if (blocked !== undefined || renderedText === null) return { blocked: blocked ?? 'It must not be sent.' }
  if (renderedText.trim() === '') {
    const missingPaths = missingSlots.map(({ path }) => path).join(', ') || 'words'
    return { blocked: `Nothing is left of the opening without ${missingPaths}.`, isEmpty: true }
  }
  const { message, problems, references = [] } = compile(escapeSlots(renderedText), { managed: true })
  const [problem] = problems
  if (!message || problem) return { blocked: `Line ${problem?.line}: ${problem?.message}` }
  if (isSignal(message)) return { blocked: 'The opening says nothing.' }
  return references.length === 0 ? { message } : resolveReferences(document, message, references)
}

/** Values of a send replace the person's under the same key. */
export function withInputValues<P extends Pick<Person, 'customFields'>>(
  person: P,
  inputs: Readonly<Record<string, string>> | undefined,
): P {
  if (!inputs) return person
  const names: readonly string[] = textFields
  const entries = Object.entries(inputs).filter(([, value]) => value.trim() !== '')
  const texts = Object.fromEntries(entries.filter(([key]) => names.includes(key)))
  const custom = Object.fromEntries(entries.filter(([key]) => !names.includes(key)))
  return { ...person, ...texts, customFields: { ...person.customFields, ...custom } }
}

/** References point before the parts they were written among, so they are inserted from the last to the first. */
function resolveReferences(document: AgentDocument, message: ContentMessage, references: readonly Reference[]): Opener {
  const parts = deepCopy(message.parts) as Part[]
  for (const { kind, ids, path } of [...references].reverse()) {
    if (kind === 'image') {
      const url = document.media.find(({ id }) => id === ids[0])?.url
      if (url === undefined) return { blocked: `The image ${ids[0]} has no address.` }
      setAtPath(parts, path, url)
      continue
    }
    const cards = kind === 'things' ? thingCards(document, ids) : collectionCards(document, ids[0]!)
    if (typeof cards === 'string') return { blocked: cards }
    parts.splice(Number(/^parts\[(\d+)\]/.exec(path)?.[1] ?? parts.length), 0, ...cardParts(cards))
  }
  const complete = { ...message, parts }
  const validated = validateMessage(complete)
  if ('problems' in validated) return { blocked: `${validated.problems[0]?.path}: ${validated.problems[0]?.message}` }
  return { message: complete }
}

function deepCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepCopy)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, deepCopy(member)]))
}

/** `parts[1].cards[0].mediaUrl` */
function setAtPath(parts: Part[], path: string, value: string): void {
  const names = path
    .replace(/^parts/, '')
    .split(/[.[\]]+/)
    .filter((name) => name !== '')
  const last = names.pop()!
  const parent = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], parts)
  ;(parent as Record<string, unknown>)[last] = value
}

function cardParts(cards: readonly Card[]): Part[] {
  if (cards.length === 1) return [{ type: 'card', card: cards[0]! }]
  const parts: Part[] = []
  for (let from = 0; from < cards.length; from += amf.cards) {
    parts.push({ type: 'carousel', cards: cards.slice(from, from + amf.cards) })
  }
  return parts
}

function thingCards(document: AgentDocument, ids: readonly string[]): Card[] | string {
  const cards: Card[] = []
  for (const thingId of ids) {
    const thing = document.things.find(({ id }) => id === thingId)
    if (!thing) return `There is no thing ${thingId}.`
    cards.push(cardOf(document, thing as Thing))
  }
  return cards
}

function collectionCards(document: AgentDocument, id: string): Card[] | string {
  const collection = document.collections.find((each) => each.id === id)
  const things = document.things.filter(({ collections }) => collections?.includes(id))
  if (!collection || things.length === 0) return `The collection ${id} holds nothing.`
  const { fields, actions } = collection.presentation ?? {}
  return things.map((thing) => cardOf(document, thing as Thing, fields, actions))
}

function cardOf(
  { media }: AgentDocument,
  thing: Thing,
  fields: readonly string[] = ['picture', 'name', 'description'],
  shownActions?: readonly string[],
): Card {
  const picture = thing.imageUrl ?? media.find(({ id }) => id === thing.media)?.url
  const chips = actionsOf(thing, shownActions).flatMap((action) => chipOf(thing, action) ?? [])
  const body = {
    ...(fields.includes('description') && thing.description && { description: thing.description }),
    ...(fields.includes('picture') && picture !== undefined && { mediaUrl: picture }),
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

/** The log note about a template whose slots lacked values, if any did. */
export function missingSlotNotes(templateId: string, { missing }: Pick<Opener, 'missing'>): readonly LogNote[] {
  if (!missing) return []
  const slots = missing.slice(0, limits.missingSlotsLogged).map(({ path, action }) => ({ path, action }))
  return [{ event: 'template.slot_missing', data: { templateId, slots } }]
}
