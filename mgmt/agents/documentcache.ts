/**
 * Cache of agents' documents: the sections, the identity in the agent's record, and a head with the version of each
 * part. Cached documents are found by the head's revision hash. It is computed from the hash before it, the command and
 * its time, so two documents with the same hash are equal, even after a change of owner or a lost commit. The cache
 * needs no invalidation.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  type AgentDocument,
  buildIndexInSteps,
  changedItems,
  emptyDocument,
  type IndexLoader,
  idOf,
  isInOrder,
  type ListSection,
  listSections,
  type ReferenceIndex,
  type Section,
  singleSections,
  updateIndexInSteps,
  withSection,
} from '../../core/agent/index.js'
import { isSame } from '../../core/agent/outcome.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { agentDocument as limits } from '../../core/limits/index.js'
import { runToEnd, type Steps } from '../../core/steps.js'
import type { CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { cacheReads, type Reader, table } from '../../runtime/store/contract.js'
import type { Identity } from './schema.js'
import { isList, readItem, readSection, removeSections, writeSection } from './sections.js'
import { type AgentRecord, agentTable, findAgent } from './store.js'

/** A unit with its own version: a section, or the agent's name and description. */
export type Part = Section | 'agent'

export interface Head {
  /** Counts the changes of the whole agent; its creation is the first. */
  readonly version: number
  readonly revisionDigest: string
  /** The version at which each part was last changed; absent for a part that never was. */
  readonly parts: { readonly [P in Part]?: number }
  /** Size of the document as JSON; absent until a change counts it. */
  readonly bytes?: number
}

const headTable = cacheReads(table<[orgId: string, agentId: string], Head>('agents.head'))

export const allSections = [...Object.keys(listSections), ...Object.keys(singleSections)] as Section[]
/** Shared by every written document, since all its sections are loaded. */
const allSectionSet: ReadonlySet<Section> = new Set(allSections)
const noSections: ReadonlySet<Section> = new Set()
export const firstVersion = 1

export interface LoadedDocument {
  readonly agent: AgentRecord
  readonly head: Head
  /** Contains the requested sections; others may be missing. */
  readonly document: AgentDocument
  /** Builds the index on first use. */
  readonly index: IndexLoader
}

/** Cached state of an agent under one revision hash. */
interface CachedDocument {
  readonly revisionDigest: string
  readonly agent: AgentRecord
  document: AgentDocument
  /** The sections that `document` contains. */
  sections: ReadonlySet<Section>
  /** Items that were read without their list, by section and id. */
  readonly items: Map<string, object>
  /** Views of the document, by name. */
  readonly views: LRUCache<string, object>
  /** Absent until the first use. */
  index?: ReferenceIndex
  readonly lookup: IndexLoader
}

interface ResolvedDocument {
  readonly head: Head
  readonly cached: CachedDocument
}

export interface Change {
  /** Shares every unchanged section and item with the document before. */
  readonly document: AgentDocument
  readonly agentFields: { readonly name?: string; readonly description?: string | null }
  /** Parts that count as changed even if the document does not differ, such as one whose secrets changed. */
  readonly touchedParts: readonly Part[]
  readonly bytes: number
}

export interface SaveResult {
  readonly loaded: LoadedDocument
  /** Empty when nothing differs; then nothing was written. */
  readonly changed: readonly string[]
}

/** Section and id of one item. */
export interface ItemRef {
  readonly section: ListSection
  readonly id: string
}

export interface DocumentCache {
  /** Undefined for an agent that does not exist. Decodes only the requested sections. */
  load(reader: Reader, agentRef: AgentRef, sections?: readonly Section[]): LoadedDocument | undefined
  /** The document with at most the one item of its list; decodes no other item of the list. */
  loadItem(
    reader: Reader,
    agentRef: AgentRef,
    item: ItemRef,
    extraSections?: readonly Section[],
  ): LoadedDocument | undefined
  /** Cached views of the current document; undefined for an agent that does not exist. */
  views(reader: Reader, agentRef: AgentRef): LRUCache<string, object> | undefined
  /** `before` must contain all sections, loaded in the same transaction. */
  save(tx: Tx, before: LoadedDocument, change: Change, meta: CommandMeta): SaveResult
  remove(tx: Tx, agentRef: AgentRef): void
}

export function createDocumentCache(): DocumentCache {
  /** The newest two revisions of each agent: while a commit is in progress, readers still see the one before it. */
  const cache = new LRUCache<string, readonly CachedDocument[]>({ max: limits.cachedAgents })

  function cacheDocument(key: string, cached: CachedDocument): void {
    const others = (cache.get(key) ?? []).filter(({ revisionDigest }) => revisionDigest !== cached.revisionDigest)
    cache.set(key, [cached, ...others].slice(0, 2))
  }

  /**
   * Cached by the head's revision hash: a head is written and removed with its agent, so a hit needs no read of the
   * agent.
   */
  function resolve(reader: Reader, agentRef: AgentRef): ResolvedDocument | undefined {
    const key = formatAgentKey(agentRef)
    const stored = reader.get(headTable, keyOf(agentRef))
    const hit = stored && cache.get(key)?.find(({ revisionDigest }) => revisionDigest === stored.revisionDigest)
    if (hit) return { head: stored, cached: hit }
    const agent = findAgent(reader, agentRef)
    if (!agent) return undefined
    const head = stored ?? firstHead(agent)
    const cached =
      cache.get(key)?.find(({ revisionDigest }) => revisionDigest === head.revisionDigest) ??
      createCached(head.revisionDigest, agent)
    cacheDocument(key, cached)
    return { head, cached }
  }

  function load(
    reader: Reader,
    agentRef: AgentRef,
    sections: readonly Section[] = allSections,
  ): LoadedDocument | undefined {
    const resolved = resolve(reader, agentRef)
    return resolved && fillSections(sections, reader, agentRef, resolved)
  }

  function loadItem(
    reader: Reader,
    agentRef: AgentRef,
    { section, id }: ItemRef,
    extraSections: readonly Section[] = [],
  ): LoadedDocument | undefined {
    // A whole section contains the item too.
    if (extraSections.includes(section)) return load(reader, agentRef, extraSections)
    const resolved = resolve(reader, agentRef)
    if (!resolved) return undefined
    const { items } = resolved.cached
    const name = `${section}/${id}`
    const item = items.get(name) ?? readItem(reader, agentRef, section, id)
    if (item) items.set(name, item)
    const loaded = fillSections(extraSections, reader, agentRef, resolved)
    return { ...loaded, document: withSection(loaded.document, section, (item ? [item] : []) as never) }
  }

  function save(
    tx: Tx,
    before: LoadedDocument,
    { document, agentFields, touchedParts, bytes }: Change,
    { at, commandId }: CommandMeta,
  ): SaveResult {
    const { agent, head } = before
    const agentRef = { orgId: agent.orgId, agentId: agent.id }
    const sections = allSections.filter((section) => before.document[section] !== document[section])
    const changedFields = changedAgentFields(agent, agentFields)
    const parts: Part[] = changedFields.length > 0 ? ['agent', ...sections] : [...sections]
    for (const part of touchedParts) if (!parts.includes(part)) parts.push(part)
    if (parts.length === 0) return { loaded: before, changed: [] }
    const version = head.version + 1
    const revisionDigest = revisionDigestOf(head.revisionDigest, commandId, String(at))
    const versions: { [P in Part]?: number } = { ...head.parts }
    for (const part of parts) versions[part] = version
    const next: Head = { version, revisionDigest, parts: versions, bytes }
    const record = updateRecord(agent, agentFields, document.identity, at)
    for (const section of sections) {
      if (section !== 'identity') writeSection(tx, agentRef, section, before.document[section], document[section])
    }
    tx.put(agentTable, keyOf(agentRef), record)
    tx.put(headTable, keyOf(agentRef), next)
    const key = formatAgentKey(agentRef)
    const nextCached = createCached(revisionDigest, record, document, allSectionSet)
    const cached = cache.get(key)?.find((each) => each.revisionDigest === head.revisionDigest)
    if (cached?.index) {
      // An update that takes long is dropped; the next use builds the index again.
      if (updateIndexInSteps(cached.index, before.document, document).next().done) nextCached.index = cached.index
      // The index now belongs to the next document. If that is never committed, the next use builds another.
      cached.index = undefined
    }
    cacheDocument(key, nextCached)
    const loaded = { agent: record, head: next, document, index: nextCached.lookup }
    return { loaded, changed: [...changedFields, ...parts.filter((part) => part !== 'agent')] }
  }

  return {
    load,
    loadItem,
    views: (reader, agentRef) => resolve(reader, agentRef)?.cached.views,
    save,
    remove(tx, agentRef) {
      removeSections(tx, agentRef)
      tx.remove(headTable, keyOf(agentRef))
      cache.delete(formatAgentKey(agentRef))
    },
  }
}

/** Loads those of the sections that are not cached. */
function fillSections(
  sections: readonly Section[],
  reader: Reader,
  agentRef: AgentRef,
  { head, cached }: ResolvedDocument,
): LoadedDocument {
  const { agent, lookup: index } = cached
  if (cached.sections !== allSectionSet) {
    const missing = sections.filter((section) => !cached.sections.has(section))
    for (const section of missing) {
      const value = section === 'identity' ? agent.identity : readSection(reader, agentRef, section)
      if (value !== undefined) cached.document = withSection(cached.document, section, value as never)
    }
    if (missing.length > 0) cached.sections = new Set([...cached.sections, ...missing])
  }
  return { agent, head, document: cached.document, index }
}

function keyOf({ orgId, agentId }: AgentRef): [orgId: string, agentId: string] {
  return [orgId, agentId]
}

/** Head of an agent that was never changed, which has no stored head. */
function firstHead({ incarnation, updatedAt }: AgentRecord): Head {
  return {
    version: firstVersion,
    revisionDigest: revisionDigestOf('', String(incarnation), String(updatedAt)),
    parts: {},
  }
}

const revisionDigestChars = 22

function revisionDigestOf(before: string, command: string, at: string): string {
  return hash('sha256', JSON.stringify([before, command, at]), 'base64url').slice(0, revisionDigestChars)
}

function createCached(
  revisionDigest: string,
  agent: AgentRecord,
  document: AgentDocument = emptyDocument,
  sections: ReadonlySet<Section> = noSections,
): CachedDocument {
  const lookup = () => indexOfCached(cached)
  const views = new LRUCache<string, object>({ max: limits.cachedViews })
  const cached: CachedDocument = { revisionDigest, agent, document, sections, items: new Map(), views, lookup }
  return cached
}

/**
 * Builds the index lazily: integrity needs it only when items are removed, and its cost grows with the size of the
 * agent.
 */
function* indexOfCached(cached: CachedDocument): Steps<ReferenceIndex> {
  cached.index ??= yield* buildIndexInSteps(cached.document)
  return cached.index
}

/** The candidate, with every equal section and item replaced by that of the document before. */
export function shareUnchanged(before: AgentDocument, candidate: AgentDocument): AgentDocument {
  return runToEnd(shareUnchangedInSteps(before, candidate))
}

/** One step per section, or per some items of a list. */
export function* shareUnchangedInSteps(before: AgentDocument, candidate: AgentDocument): Steps<AgentDocument> {
  let after = candidate
  for (const section of allSections) {
    if (before[section] === candidate[section]) continue
    yield
    const was = before[section]
    const is = normalizeSection(section, candidate[section])
    const shared = isList(section)
      ? yield* shareItemsInSteps(before[section], candidate[section])
      : isSame(was, is)
        ? was
        : is
    if (shared !== candidate[section]) after = withSection(after, section, shared as never)
  }
  return after
}

const comparedPerStep = 25

function* shareItemsInSteps(was: readonly object[], is: readonly object[]): Steps<readonly object[]> {
  if (was === is) return is
  const changed = changedItems(was, is)
  const same = new Map<string, object>()
  for (const [nth, item] of changed.entries()) {
    if (nth % comparedPerStep === comparedPerStep - 1) yield
    if (item.previous && isSame(item.previous, item.current)) same.set(item.id, item.previous)
  }
  if (same.size === changed.length && isInOrder(was, is)) return was
  return same.size > 0 ? is.map((item) => same.get(idOf(item)) ?? item) : is
}

/** An identity without members is undefined. */
function normalizeSection(section: Section, value: unknown): unknown {
  return section === 'identity' && value && Object.keys(value).length === 0 ? undefined : value
}

function changedAgentFields({ name, description }: AgentRecord, agentFields: Change['agentFields']): string[] {
  const changedFields: string[] = []
  if (agentFields.name !== undefined && agentFields.name !== name) changedFields.push('name')
  if (agentFields.description !== undefined && (agentFields.description || undefined) !== description)
    changedFields.push('description')
  return changedFields
}

function updateRecord(
  agent: AgentRecord,
  agentFields: Change['agentFields'],
  identity: Identity | undefined,
  at: number,
): AgentRecord {
  const { name = agent.name, description = agent.description } = agentFields
  const { identity: _identity, description: _description, ...rest } = agent
  return { ...rest, name, ...(description && { description }), ...(identity && { identity }), updatedAt: at }
}
