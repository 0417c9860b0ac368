/**
 * An agent's whole configuration: one document with named sections. Documents are immutable: a change creates a new one
 * that shares every unchanged part, and integrity checks and lint rely on that identity.
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

/** Sections that are lists: their items have ids, and other parts refer to them. */
export const listSections = {
  goals: list(Goal, limits.goals.max),
  objectives: list(Objective, limits.objectives.max),
  playbooks: list(StoredPlaybook, limits.playbooks.max),
  rules: list(Rule, limits.rules.max),
  messageTemplates: list(MessageTemplate, limits.messageTemplates.max),
  things: list(Thing, limits.things.max),
  collections: list(Collection, limits.collections.max),
  facts: list(Fact, limits.facts.max),
  sources: list(Source, limits.sources.max),
  media: list(MediaItem, limits.media.max),
  integrations: list(Integration, limits.integrations.max),
  outreach: list(Outreach, limits.outreach.max),
  peopleFields: list(PeopleField, limits.people.fields),
  segments: list(Segment, limits.people.segments),
  toolBindings: list(ToolBinding, limits.toolBindings.max),
} as const
export type ListSection = keyof typeof listSections

/** Sections with at most one value. */
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

/** A draft campaign, as far as the document needs it: it may name a segment. */
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
  /** Stored outside the document and attached by callers that check segments; never exported. */
  readonly draftCampaigns?: readonly DraftCampaign[]
}

export type Item<S extends ListSection> = AgentDocument[S][number]

/** The document of a new agent. */
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

/** The id of an item of a list section. */
export function idOf(item: object): string {
  const withKey = item as { id?: string; toolId?: string; key?: string }
  // Most items have an id, so it is read first: a lookup of an absent member is the slowest case.
  return withKey.id ?? withKey.toolId ?? withKey.key ?? ''
}

export function findItem<S extends ListSection>(document: AgentDocument, section: S, id: string): Item<S> | undefined {
  return document[section][itemIndexOf(document[section], id)] as Item<S> | undefined
}

/** Index by id of each long list. Lists are immutable, so a cached index stays valid. */
const indexCache = new WeakMap<readonly object[], ReadonlyMap<string, number>>()
/** Shorter lists are searched from the start. */
const indexedFromLength = 20

/** -1 when no item has that id. */
export function itemIndexOf(items: readonly object[], id: string): number {
  if (items.length < indexedFromLength) return items.findIndex((item) => idOf(item) === id)
  let indexById = indexCache.get(items)
  if (!indexById) {
    indexById = new Map(items.map((item, index) => [idOf(item), index]))
    indexCache.set(items, indexById)
  }
  return indexById.get(id) ?? -1
}

/** The document with one section replaced; undefined removes a single section. */
export function withSection<S extends Section>(
  document: AgentDocument,
  section: S,
  value: AgentDocument[S],
): AgentDocument {
  if (value !== undefined) return { ...document, [section]: value }
  const { [section]: _removed, ...rest } = document
  return rest as AgentDocument
}

/** The document with an item that replaces the item of its id or is appended. */
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

/** An item before and after a change; `previous` is absent for an added item, `current` for a removed one. */
export interface ChangedItem {
  readonly id: string
  readonly previous?: object
  readonly current?: object
}

interface Difference {
  readonly changed: readonly ChangedItem[]
  /** Whether both lists have the same ids in the same order. */
  readonly isInOrder: boolean
}

/**
 * How a list differs from the one it was last compared with: integrity, size, caching and storage all need it for one
 * write.
 */
const differenceCache = new WeakMap<readonly object[], Difference & { readonly previous: readonly object[] }>()

/** Drops the entry of the previous list, so that the cache does not keep every earlier version of a list alive. */
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

/** Skips the common start and end of both lists, so that one change in a long list is cheap. */
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
