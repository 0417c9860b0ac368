/**
 * An agent's whole configuration: one document with named sections. Documents are values: a change makes another one
 * that shares every part it leaves alone, which is what integrity and lint go by.
 */
import Type, { type Static, type TSchema } from 'typebox'
import { agentLimits as limits } from '../limits/index.js'
import { Integration, Notifications, PeopleField, Scheduling, Segment, ToolBinding } from './resources/capabilities.js'
import {
  Goal,
  GoalAssignment,
  Guardrails,
  Objective,
  Personality,
  Rule,
  StandingInstructions,
} from './resources/character.js'
import { Identity } from './resources/identity.js'
import { Collection, Fact, MediaItem, Source, Thing } from './resources/knowledge.js'
import { StoredPlaybook } from './resources/playbook.js'
import { DerivedFrom } from './resources/schemas.js'
import { MessageTemplate, Outreach } from './resources/templates.js'

const list = <S extends TSchema>(items: S, maxItems: number) => Type.Array(items, { maxItems })

/** The lists whose items have an id, by which other parts name them. */
export const listSections = {
  goals: list(Goal, limits.goals.most),
  objectives: list(Objective, limits.objectives.most),
  playbooks: list(StoredPlaybook, limits.playbooks.most),
  rules: list(Rule, limits.rules.most),
  messageTemplates: list(MessageTemplate, limits.messageTemplates.most),
  things: list(Thing, limits.things.most),
  collections: list(Collection, limits.collections.most),
  facts: list(Fact, limits.facts.most),
  sources: list(Source, limits.sources.most),
  media: list(MediaItem, limits.media.most),
  integrations: list(Integration, limits.integrations.most),
  outreach: list(Outreach, limits.outreach.most),
  peopleFields: list(PeopleField, limits.people.fields),
  segments: list(Segment, limits.people.segments),
  toolBindings: list(ToolBinding, limits.toolBindings.most),
} as const
export type ListSection = keyof typeof listSections

/** The parts of which there is one, or none. */
export const singleSections = {
  identity: Identity,
  personality: Personality,
  defaultGoal: GoalAssignment,
  standingInstructions: StandingInstructions,
  guardrails: Guardrails,
  scheduling: Scheduling,
  notifications: Notifications,
  templateRef: DerivedFrom,
} as const
export type SingleSection = keyof typeof singleSections
export type Section = ListSection | SingleSection

type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

/** A campaign that is still being drafted, as far as the document has to know: it may name a segment. */
export interface DraftCampaign {
  readonly id: string
  readonly name: string
  readonly segmentId?: string
}

export type AgentDocument = {
  readonly [S in ListSection]: readonly DeepReadonly<Static<(typeof listSections)[S]>[number]>[]
} & {
  readonly [S in SingleSection]?: DeepReadonly<Static<(typeof singleSections)[S]>>
} & {
  /** Kept elsewhere and laid in by whoever asks about segments; never exported. */
  readonly draftCampaigns?: readonly DraftCampaign[]
}

export type Item<S extends ListSection> = AgentDocument[S][number]

/** An agent that was just made. */
export const emptyDocument: AgentDocument = Object.freeze({
  goals: [],
  objectives: [],
  playbooks: [],
  rules: [],
  messageTemplates: [],
  things: [],
  collections: [],
  facts: [],
  sources: [],
  media: [],
  integrations: [],
  outreach: [],
  peopleFields: [],
  segments: [],
  toolBindings: [],
})

/** What the items of a list are told apart by. */
export function idOf(item: object): string {
  const withKey = item as { id?: string; toolId?: string; key?: string }
  // One member after another: nearly all have an id, and to look for what is not there costs most.
  return withKey.id ?? withKey.toolId ?? withKey.key ?? ''
}

export function findItem<S extends ListSection>(document: AgentDocument, section: S, id: string): Item<S> | undefined {
  return document[section][itemIndexOf(document[section], id)] as Item<S> | undefined
}

/** Where the items of a long list stand by id. Lists are values, so what was found out of one stays true. */
const indexCache = new WeakMap<readonly object[], ReadonlyMap<string, number>>()
/** Shorter ones are walked. */
const indexedFromLength = 20

/** -1 where there is none of that id. */
export function itemIndexOf(items: readonly object[], id: string): number {
  if (items.length < indexedFromLength) return items.findIndex((item) => idOf(item) === id)
  let indexById = indexCache.get(items)
  if (!indexById) {
    indexById = new Map(items.map((item, index) => [idOf(item), index]))
    indexCache.set(items, indexById)
  }
  return indexById.get(id) ?? -1
}

/** The document with one section in another state; undefined takes a single one away. */
export function withSection<S extends Section>(
  document: AgentDocument,
  section: S,
  value: AgentDocument[S],
): AgentDocument {
  if (value !== undefined) return { ...document, [section]: value }
  const { [section]: _removed, ...rest } = document
  return rest as AgentDocument
}

/** The document with an item in place of the one of its id, or behind all others. */
export function withItem<S extends ListSection>(document: AgentDocument, section: S, item: Item<S>): AgentDocument {
  const items = document[section] as readonly Item<S>[]
  const id = idOf(item)
  const index = itemIndexOf(items, id)
  if (index < 0) return { ...document, [section]: [...items, item] }
  const changed = items.with(index, item)
  const indexById = indexCache.get(items)
  if (indexById) indexCache.set(changed, indexById)
  const previous = items[index]!
  cacheDifference(items, changed, {
    changed: previous === item ? [] : [{ id, previous, current: item }],
    isInOrder: true,
  })
  return { ...document, [section]: changed }
}

export function withoutItem(document: AgentDocument, section: ListSection, id: string): AgentDocument {
  const items = document[section] as readonly object[]
  return { ...document, [section]: items.filter((each) => idOf(each) !== id) }
}

/** An item as it was and as it is; one of both is missing of one that came or went. */
export interface ChangedItem {
  readonly id: string
  readonly previous?: object
  readonly current?: object
}

interface Difference {
  readonly changed: readonly ChangedItem[]
  /** Whether the ids stand where they stood. */
  readonly isInOrder: boolean
}

/** How a list differs from the one it was last compared with: integrity, settling and storing ask the same of a write. */
const differenceCache = new WeakMap<readonly object[], Difference & { readonly previous: readonly object[] }>()

/** Nobody asks about the change before this one again, and to remember it would keep every list there ever was. */
function cacheDifference(
  previous: readonly object[],
  current: readonly object[],
  { changed, isInOrder }: Difference,
): void {
  differenceCache.set(current, { previous, changed, isInOrder })
  differenceCache.delete(previous)
}

function differenceOf(previous: readonly object[], current: readonly object[]): Difference {
  const cached = differenceCache.get(current)
  if (cached?.previous === previous) return cached
  const difference = differences(previous, current)
  cacheDifference(previous, current, difference)
  return difference
}

/** The items that two lists do not share. */
export function changedItems(previous: readonly object[], current: readonly object[]): readonly ChangedItem[] {
  return differenceOf(previous, current).changed
}

/** Whether two lists have the same ids in the same order. */
export function isInOrder(previous: readonly object[], current: readonly object[]): boolean {
  return differenceOf(previous, current).isInOrder
}

/** What both lists begin and end with is passed over, so one change in a long list is cheap. */
function differences(previous: readonly object[], current: readonly object[]): Difference {
  let from = 0
  while (from < previous.length && from < current.length && previous[from] === current[from]) from++
  let previousEnd = previous.length
  let currentEnd = current.length
  while (previousEnd > from && currentEnd > from && previous[previousEnd - 1] === current[currentEnd - 1]) {
    previousEnd--
    currentEnd--
  }
  const unmatched = new Map(previous.slice(from, previousEnd).map((item) => [idOf(item), item]))
  const changed: ChangedItem[] = []
  let isInOrder = previous.length === current.length
  for (let index = from; index < currentEnd; index++) {
    const item = current[index]!
    const id = idOf(item)
    isInOrder &&= id === idOf(previous[index]!)
    const old = unmatched.get(id)
    unmatched.delete(id)
    if (old !== item) changed.push({ id, previous: old, current: item })
  }
  for (const [id, item] of unmatched) changed.push({ id, previous: item })
  return { changed, isInOrder }
}
