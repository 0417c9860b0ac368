/**
 * An agent's document: its sections, the identity in the record of the agent, and a head that tells the version of each.
 * What was read or written is held in memory under the head's stamp. A stamp follows from the one before it, the command
 * and its time, so two documents with the same stamp are the same document, whoever owned the shard meanwhile and
 * whatever commit was lost: nothing has to be told when it is out of date.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  type AgentDocument,
  advanceInSteps,
  changedItems,
  emptyDocument,
  type IndexFinder,
  idOf,
  indexInSteps,
  isInOrder,
  type ListSection,
  listSections,
  type ReferenceIndex,
  type Section,
  singleSections,
  withSection,
} from '../../core/agent/index.js'
import { isSame } from '../../core/agent/writing.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { agentDocument as limits } from '../../core/limits.js'
import { finish, type Steps } from '../../core/steps.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import { type Reader, readOften, table } from '../../runtime/store/contract.js'
import type { Identity } from './schema.js'
import { isList, readItem, readSection, removeSections, writeSection } from './sections.js'
import { type AgentRecord, agentTable, findAgent } from './store.js'

/** What has a version of its own: a section, or the agent's name and description. */
export type Part = Section | 'agent'

export interface Head {
  /** Counts the changes of the whole agent, its making being the first. */
  readonly version: number
  readonly stamp: string
  /** The version at which each part was last changed; one that is missing never was. */
  readonly parts: { readonly [P in Part]?: number }
  /** How long the document is as JSON; absent until a change counts it. */
  readonly bytes?: number
}

const headTable = readOften(table<[orgId: string, agentId: string], Head>('agents.head'))

export const allSections = [...Object.keys(listSections), ...Object.keys(singleSections)] as Section[]
/** Every document that was written is whole, and they share this. */
const whole: ReadonlySet<Section> = new Set(allSections)
const none: ReadonlySet<Section> = new Set()
export const firstVersion = 1

export interface Loaded {
  readonly agent: AgentRecord
  readonly head: Head
  /** Whole in the sections that were asked for; others may be missing. */
  readonly document: AgentDocument
  /** Makes the index when it is first looked into. */
  readonly index: IndexFinder
}

/** What a process knows of an agent under one stamp. */
interface Held {
  readonly stamp: string
  readonly agent: AgentRecord
  document: AgentDocument
  /** Those of which the document is whole. */
  sections: ReadonlySet<Section>
  /** Items that were read by themselves, by section and id. */
  readonly items: Map<string, object>
  /** What was shown of it, by name. */
  readonly views: LRUCache<string, object>
  /** Absent until somebody looks into it. */
  index?: ReferenceIndex
  readonly lookup: IndexFinder
}

interface Opened {
  readonly head: Head
  readonly held: Held
}

export interface Change {
  /** Settled: what says the same as before is the same, not a copy. */
  readonly document: AgentDocument
  readonly about: { readonly name?: string; readonly description?: string | null }
  /** Parts that count as changed whatever the document says, such as one whose secrets changed. */
  readonly touched: readonly Part[]
  readonly bytes: number
}

export interface Kept {
  readonly loaded: Loaded
  /** Empty when nothing is different; then nothing was written. */
  readonly changed: readonly string[]
}

/** Where one item stands. */
export interface ItemPlace {
  readonly section: ListSection
  readonly id: string
}

export interface Documents {
  /** Undefined for an agent that is not there. Only what is asked for is decoded. */
  load(reader: Reader, place: AgentPlace, sections?: readonly Section[]): Loaded | undefined
  /** The document with no more of that list than the one item, or none; nothing else of the list is decoded. */
  loadItem(reader: Reader, place: AgentPlace, item: ItemPlace, beside?: readonly Section[]): Loaded | undefined
  /** Of the document as it is now; undefined for an agent that is not there. */
  views(reader: Reader, place: AgentPlace): LRUCache<string, object> | undefined
  /** `before` is loaded whole, from the same transaction. */
  keep(tx: Tx, before: Loaded, change: Change, told: Told): Kept
  remove(tx: Tx, place: AgentPlace): void
}

export function openDocuments(): Documents {
  /** The newest two of an agent: while a commit is on its way, readers still see the one before it. */
  const recent = new LRUCache<string, readonly Held[]>({ max: limits.heldAgents })

  function hold(key: string, held: Held): void {
    const others = (recent.get(key) ?? []).filter(({ stamp }) => stamp !== held.stamp)
    recent.set(key, [held, ...others].slice(0, 2))
  }

  /** A head is written with its agent and goes with it, so where its stamp is held the agent is known without a read. */
  function open(reader: Reader, place: AgentPlace): Opened | undefined {
    const key = agentKeyOf(place)
    const kept = reader.get(headTable, keyOf(place))
    const known = kept && recent.get(key)?.find(({ stamp }) => stamp === kept.stamp)
    if (known) return { head: kept, held: known }
    const agent = findAgent(reader, place)
    if (!agent) return undefined
    const head = kept ?? firstHead(agent)
    const held = recent.get(key)?.find(({ stamp }) => stamp === head.stamp) ?? holding(head.stamp, agent)
    hold(key, held)
    return { head, held }
  }

  function load(reader: Reader, place: AgentPlace, sections: readonly Section[] = allSections): Loaded | undefined {
    const opened = open(reader, place)
    return opened && filledWith(sections, reader, place, opened)
  }

  function loadItem(
    reader: Reader,
    place: AgentPlace,
    { section, id }: ItemPlace,
    beside: readonly Section[] = [],
  ): Loaded | undefined {
    // What is asked for whole holds the item too.
    if (beside.includes(section)) return load(reader, place, beside)
    const opened = open(reader, place)
    if (!opened) return undefined
    const { items } = opened.held
    const name = `${section}/${id}`
    const item = items.get(name) ?? readItem(reader, place, section, id)
    if (item) items.set(name, item)
    const loaded = filledWith(beside, reader, place, opened)
    return { ...loaded, document: withSection(loaded.document, section, (item ? [item] : []) as never) }
  }

  function keep(tx: Tx, before: Loaded, { document, about, touched, bytes }: Change, { at, commandId }: Told): Kept {
    const { agent, head } = before
    const place = { orgId: agent.orgId, agentId: agent.id }
    const sections = allSections.filter((section) => before.document[section] !== document[section])
    const words = changedWords(agent, about)
    const parts: Part[] = words.length > 0 ? ['agent', ...sections] : [...sections]
    for (const part of touched) if (!parts.includes(part)) parts.push(part)
    if (parts.length === 0) return { loaded: before, changed: [] }
    const version = head.version + 1
    const stamp = stampOf(head.stamp, commandId, String(at))
    const versions: { [P in Part]?: number } = { ...head.parts }
    for (const part of parts) versions[part] = version
    const next: Head = { version, stamp, parts: versions, bytes }
    const record = rewritten(agent, about, document.identity, at)
    for (const section of sections) {
      if (section !== 'identity') writeSection(tx, place, section, before.document[section], document[section])
    }
    tx.put(agentTable, keyOf(place), record)
    tx.put(headTable, keyOf(place), next)
    const key = agentKeyOf(place)
    const following = holding(stamp, record, document, whole)
    const held = recent.get(key)?.find((each) => each.stamp === head.stamp)
    if (held?.index) {
      // What would take long is not brought along, but made anew when it is looked into.
      if (advanceInSteps(held.index, before.document, document).next().done) following.index = held.index
      // The index is no longer that of the document before; if this one is never committed, that makes another.
      held.index = undefined
    }
    hold(key, following)
    const loaded = { agent: record, head: next, document, index: following.lookup }
    return { loaded, changed: [...words, ...parts.filter((part) => part !== 'agent')] }
  }

  return {
    load,
    loadItem,
    views: (reader, place) => open(reader, place)?.held.views,
    keep,
    remove(tx, place) {
      removeSections(tx, place)
      tx.remove(headTable, keyOf(place))
      recent.delete(agentKeyOf(place))
    },
  }
}

/** Reads what of these is not held yet. */
function filledWith(sections: readonly Section[], reader: Reader, place: AgentPlace, { head, held }: Opened): Loaded {
  const { agent, lookup: index } = held
  if (held.sections !== whole) {
    const missing = sections.filter((section) => !held.sections.has(section))
    for (const section of missing) {
      const value = section === 'identity' ? agent.identity : readSection(reader, place, section)
      if (value !== undefined) held.document = withSection(held.document, section, value as never)
    }
    if (missing.length > 0) held.sections = new Set([...held.sections, ...missing])
  }
  return { agent, head, document: held.document, index }
}

function keyOf({ orgId, agentId }: AgentPlace): [orgId: string, agentId: string] {
  return [orgId, agentId]
}

/** An agent that was never changed has no head of its own yet. */
function firstHead({ serial, updatedAt }: AgentRecord): Head {
  return { version: firstVersion, stamp: stampOf('', String(serial), String(updatedAt)), parts: {} }
}

const stampChars = 22

function stampOf(before: string, command: string, at: string): string {
  return hash('sha256', JSON.stringify([before, command, at]), 'base64url').slice(0, stampChars)
}

function holding(
  stamp: string,
  agent: AgentRecord,
  document: AgentDocument = emptyDocument,
  sections: ReadonlySet<Section> = none,
): Held {
  const lookup = () => indexOfHeld(held)
  const views = new LRUCache<string, object>({ max: limits.heldViews })
  const held: Held = { stamp, agent, document, sections, items: new Map(), views, lookup }
  return held
}

/** Integrity looks into an index only when something goes, and an index costs as much as the agent is large. */
function* indexOfHeld(held: Held): Steps<ReferenceIndex> {
  held.index ??= yield* indexInSteps(held.document)
  return held.index
}

/** The candidate, sharing with the document before it every section and every item that says the same. */
export function settled(before: AgentDocument, candidate: AgentDocument): AgentDocument {
  return finish(settleInSteps(before, candidate))
}

/** A section is a step, and of a list some items. */
export function* settleInSteps(before: AgentDocument, candidate: AgentDocument): Steps<AgentDocument> {
  let after = candidate
  for (const section of allSections) {
    if (before[section] === candidate[section]) continue
    yield
    const was = before[section]
    const is = filled(section, candidate[section])
    const settled = isList(section)
      ? yield* settleItemsInSteps(before[section], candidate[section])
      : isSame(was, is)
        ? was
        : is
    if (settled !== candidate[section]) after = withSection(after, section, settled as never)
  }
  return after
}

const comparedPerStep = 25

function* settleItemsInSteps(was: readonly object[], is: readonly object[]): Steps<readonly object[]> {
  if (was === is) return is
  const changed = changedItems(was, is)
  const same = new Map<string, object>()
  for (const [nth, item] of changed.entries()) {
    if (nth % comparedPerStep === comparedPerStep - 1) yield
    if (item.was && isSame(item.was, item.is)) same.set(item.id, item.was)
  }
  if (same.size === changed.length && isInOrder(was, is)) return was
  return same.size > 0 ? is.map((item) => same.get(idOf(item)) ?? item) : is
}

/** An identity that holds nothing is none. */
function filled(section: Section, value: unknown): unknown {
  return section === 'identity' && value && Object.keys(value).length === 0 ? undefined : value
}

function changedWords({ name, description }: AgentRecord, about: Change['about']): string[] {
  const words: string[] = []
  if (about.name !== undefined && about.name !== name) words.push('name')
  if (about.description !== undefined && (about.description || undefined) !== description) words.push('description')
  return words
}

function rewritten(
  agent: AgentRecord,
  about: Change['about'],
  identity: Identity | undefined,
  at: number,
): AgentRecord {
  const { name = agent.name, description = agent.description } = about
  const { identity: _identity, description: _description, ...rest } = agent
  return { ...rest, name, ...(description && { description }), ...(identity && { identity }), updatedAt: at }
}
