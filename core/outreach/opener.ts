/** The message that a send opens with: a template written for one person, its markers resolved against the agent. */

import {
  type AgentDocument,
  type Expanded,
  type MissingSlot,
  readerOf,
  renderNested,
  type SlotReader,
} from '../agent/index.js'
import type { Thing, ThingAction } from '../agent/resources/knowledge.js'
import type { MessageTemplate } from '../agent/resources/templates.js'
import { type Card, type Chip, type ContentMessage, isSignal, type Part, validateMessage } from '../amf/index.js'
import { compile, type Reference } from '../aml/index.js'
import type { LogNote } from '../catalogs/logevents.js'
import { amf, outreachSend as limits } from '../limits.js'
import { type Person, textFields } from '../people/person.js'
import { escapedSlots, literalSlots } from './literal.js'

/**
 * `missing`: slots of the template without a value, and what was done about each. `leavesNothing`: what is blocked was
 * left out for want of them, and not forbidden.
 */
export type Opener = (
  | { readonly message: ContentMessage }
  | { readonly blocked: string; readonly leavesNothing?: true }
) & {
  readonly missing?: readonly MissingSlot[]
}

export interface OpenerOf {
  readonly document: AgentDocument
  readonly agent: { readonly name: string; readonly description?: string }
  readonly templateId: string
  readonly person: Person
  /** Values of this send alone; they come before what the person has. */
  readonly inputs?: Readonly<Record<string, string>>
}

export function openerFor({ document, agent, templateId, person, inputs }: OpenerOf): Opener {
  const { name, description } = agent
  const plain = readerOf({ ...withInputValues(person, inputs) }, { name, description, ...document.identity })
  return openerRead(document, templateId, plain)
}

/** The same with the values of slots from anywhere: with one for each, what is blocked is blocked for everybody. */
export function openerRead(document: AgentDocument, templateId: string, read: SlotReader): Opener {
  const templates = document.messageTemplates as readonly MessageTemplate[]
  const rendered = renderNested(templates, templateId, literalSlots(read))
  const { missingSlots: missing } = rendered
  const opener = openerOf(document, rendered)
  return missing.length === 0 ? opener : { ...opener, missing }
}

function openerOf(document: AgentDocument, { renderedText, missingSlots, problem: blocked }: Expanded): Opener {
  if (blocked !== undefined || renderedText === null) return { blocked: blocked ?? 'It must not be sent.' }
  if (renderedText.trim() === '') {
    const names = missingSlots.map(({ path }) => path).join(', ') || 'words'
    return { blocked: `Nothing is left of the opening without ${names}.`, leavesNothing: true }
  }
  const { message, problems, references = [] } = compile(escapedSlots(renderedText), { managed: true })
  const [problem] = problems
  if (!message || problem) return { blocked: `Line ${problem?.line}: ${problem?.message}` }
  if (isSignal(message)) return { blocked: 'The opening says nothing.' }
  return references.length === 0 ? { message } : resolved(document, message, references)
}

/** Values of a send stand where the same key of the person would. */
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

/** References point before the parts they were written among, so they are put in from behind. */
function resolved(document: AgentDocument, message: ContentMessage, references: readonly Reference[]): Opener {
  const parts = structuredCopy(message.parts) as Part[]
  for (const { kind, ids, path } of [...references].reverse()) {
    if (kind === 'image') {
      const url = document.media.find(({ id }) => id === ids[0])?.url
      if (url === undefined) return { blocked: `The image ${ids[0]} has no address.` }
      putAt(parts, path, url)
      continue
    }
    const cards = kind === 'things' ? thingCards(document, ids) : collectionCards(document, ids[0]!)
    if (typeof cards === 'string') return { blocked: cards }
    parts.splice(Number(/^parts\[(\d+)\]/.exec(path)?.[1] ?? parts.length), 0, ...cardParts(cards))
  }
  const whole = { ...message, parts }
  const judged = validateMessage(whole)
  if ('problems' in judged) return { blocked: `${judged.problems[0]?.path}: ${judged.problems[0]?.message}` }
  return { message: whole }
}

function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, structuredCopy(member)]))
}

/** `parts[1].cards[0].mediaUrl` */
function putAt(parts: Part[], path: string, value: string): void {
  const names = path
    .replace(/^parts/, '')
    .split(/[.[\]]+/)
    .filter((name) => name !== '')
  const last = names.pop()!
  const holder = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], parts)
  ;(holder as Record<string, unknown>)[last] = value
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
  for (const wanted of ids) {
    const thing = document.things.find(({ id }) => id === wanted)
    if (!thing) return `There is no thing ${wanted}.`
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
  const shown = {
    ...(fields.includes('description') && thing.description && { description: thing.description }),
    ...(fields.includes('picture') && picture !== undefined && { mediaUrl: picture }),
    ...(chips.length > 0 && { chips }),
  }
  // A card has to show a name, a description or a picture: a thing without what was asked for shows its name.
  const hasNoBody = shown.description === undefined && shown.mediaUrl === undefined
  return { ...((fields.includes('name') || hasNoBody) && { title: thing.name }), ...shown }
}

/** A collection lists the actions that it shows in the order in which it shows them. */
function actionsOf({ actions = [] }: Thing, shown: readonly string[] | undefined): readonly ThingAction[] {
  return shown ? shown.flatMap((label) => actions.find((action) => action.label === label) ?? []) : actions
}

/** An action that says no kind opens its address. */
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

/** The line of the log about a template that lacked values, where one did. */
export function missingSlotNotes(templateId: string, { missing }: Pick<Opener, 'missing'>): readonly LogNote[] {
  if (!missing) return []
  const slots = missing.slice(0, limits.missingSlotsLogged).map(({ path, action }) => ({ path, action }))
  return [{ event: 'template.slot_missing', data: { templateId, slots } }]
}
