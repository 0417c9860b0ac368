/**
 * An agent's document as its shard keeps it: one record a section, the identity in the record of the agent, and a head
 * that tells the version of each. What was read or written is held in memory under the head's stamp. A stamp follows
 * from the one before it, the command and its time, so two documents with the same stamp are the same document, whoever
 * owned the shard meanwhile and whatever commit was lost: nothing has to be told when it is out of date.
 */
import { hash } from 'node:crypto'
import {
  type AgentDocument,
  advance,
  emptyDocument,
  indexOf,
  listSections,
  type ReferenceIndex,
  type Section,
  singleSections,
  withSection,
} from '../../core/agent/index.js'
import { isSame } from '../../core/agent/writing.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { agentDocument as limits } from '../../core/limits.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import { type Reader, table } from '../../runtime/store/contract.js'
import type { Identity } from './schema.js'
import { type AgentRecord, agentTable, findAgent } from './store.js'

/** What has a version of its own: a section, or the agent's name and description. */
export type Part = Section | 'agent'

export interface Head {
  /** Counts the changes of the whole agent, its making being the first. */
  readonly version: number
  readonly stamp: string
  /** The version at which each part was last changed; one that is missing never was. */
  readonly parts: { readonly [P in Part]?: number }
}

const headTable = table<[orgId: string, agentId: string], Head>('agents.head')
const sectionTable = table<[orgId: string, agentId: string, section: string], unknown>('agents.sections')

export const allSections = [...Object.keys(listSections), ...Object.keys(singleSections)] as Section[]
export const firstVersion = 1

export interface Loaded {
  readonly agent: AgentRecord
  readonly head: Head
  /** Whole in the sections that were asked for; others may be missing. */
  readonly document: AgentDocument
  /** Made when it is first looked into. */
  readonly index: ReferenceIndex
}

interface Held {
  readonly stamp: string
  document: AgentDocument
  readonly sections: Set<Section>
  index?: ReferenceIndex
}

export interface Change {
  readonly document: AgentDocument
  readonly about: { readonly name?: string; readonly description?: string | null }
  /** Parts that count as changed whatever the document says, such as one whose secrets changed. */
  readonly touched: readonly Part[]
}

export interface Kept {
  readonly loaded: Loaded
  /** Empty when nothing is different; then nothing was written. */
  readonly changed: readonly string[]
}

export interface Documents {
  /** Undefined for an agent that is not there. Only what is asked for is decoded. */
  load(reader: Reader, place: AgentPlace, sections?: readonly Section[]): Loaded | undefined
  /** `before` is loaded whole, from the same transaction. */
  keep(tx: Tx, before: Loaded, change: Change, told: Told): Kept
  remove(tx: Tx, place: AgentPlace): void
}

export function openDocuments(): Documents {
  /** The newest two of an agent: while a commit is on its way, readers still see the one before it. */
  const recent = new Map<string, readonly Held[]>()

  function hold(key: string, held: Held): void {
    const others = (recent.get(key) ?? []).filter(({ stamp }) => stamp !== held.stamp)
    recent.delete(key)
    if (recent.size >= limits.heldAgents) recent.delete(recent.keys().next().value!)
    recent.set(key, [held, ...others].slice(0, 2))
  }

  function heldUnder(key: string, stamp: string): Held {
    const found = recent.get(key)?.find((each) => each.stamp === stamp)
    const held = found ?? { stamp, document: emptyDocument, sections: new Set() }
    if (!found) hold(key, held)
    return held
  }

  function load(reader: Reader, place: AgentPlace, sections: readonly Section[] = allSections): Loaded | undefined {
    const agent = findAgent(reader, place)
    if (!agent) return undefined
    const head = headOf(reader, agent)
    const held = heldUnder(agentKeyOf(place), head.stamp)
    for (const section of sections) {
      if (held.sections.has(section)) continue
      const value = section === 'identity' ? agent.identity : reader.get(sectionTable, [...keyOf(place), section])
      if (value !== undefined) held.document = withSection(held.document, section, value as never)
      held.sections.add(section)
    }
    return { agent, head, document: held.document, index: indexWhenNeeded(held) }
  }

  function keep(tx: Tx, before: Loaded, { document, about, touched }: Change, { at, commandId }: Told): Kept {
    const { agent, head } = before
    const place = { orgId: agent.orgId, agentId: agent.id }
    const { after, sections } = settled(before.document, document)
    const words = changedWords(agent, about)
    const parts = [...new Set<Part>([...(words.length > 0 ? (['agent'] as const) : []), ...sections, ...touched])]
    if (parts.length === 0) return { loaded: before, changed: [] }
    const version = head.version + 1
    const stamp = stampOf(head.stamp, commandId, String(at))
    const versions = Object.fromEntries(parts.map((part) => [part, version]))
    const next: Head = { version, stamp, parts: { ...head.parts, ...versions } }
    const record = rewritten(agent, about, after.identity, at)
    for (const section of sections) if (section !== 'identity') keepSection(tx, place, section, after[section])
    tx.put(agentTable, keyOf(place), record)
    tx.put(headTable, keyOf(place), next)
    const held = heldUnder(agentKeyOf(place), head.stamp)
    const following: Held = { stamp, document: after, sections: new Set(allSections), index: held.index }
    if (held.index) advance(held.index, before.document, after)
    // The index is the next document's now; if that is never committed, the one before it makes another.
    held.index = undefined
    hold(agentKeyOf(place), following)
    const loaded = { agent: record, head: next, document: after, index: indexWhenNeeded(following) }
    return { loaded, changed: [...words, ...parts.filter((part) => part !== 'agent')] }
  }

  return {
    load,
    keep,
    remove(tx, place) {
      for (const section of allSections) tx.remove(sectionTable, [...keyOf(place), section])
      tx.remove(headTable, keyOf(place))
      recent.delete(agentKeyOf(place))
    },
  }
}

function keyOf({ orgId, agentId }: AgentPlace): [orgId: string, agentId: string] {
  return [orgId, agentId]
}

/** An agent that was never changed has no head of its own yet. */
function headOf(reader: Reader, { orgId, id, serial, updatedAt }: AgentRecord): Head {
  const first = { version: firstVersion, stamp: stampOf('', String(serial), String(updatedAt)), parts: {} }
  return reader.get(headTable, [orgId, id]) ?? first
}

const stampChars = 22

function stampOf(before: string, command: string, at: string): string {
  return hash('sha256', JSON.stringify([before, command, at]), 'base64url').slice(0, stampChars)
}

/** Integrity looks into an index only when something goes, and an index costs as much as the agent is large. */
function indexWhenNeeded(held: Held): ReferenceIndex {
  const { document } = held
  function made(): ReferenceIndex {
    held.index ??= indexOf(document)
    return held.index
  }
  return {
    get items() {
      return made().items
    },
    get namedBy() {
      return made().namedBy
    },
  }
}

/** The candidate, sharing with the document before it every section that says the same. */
function settled(before: AgentDocument, candidate: AgentDocument): { after: AgentDocument; sections: Section[] } {
  let after = candidate
  const sections: Section[] = []
  for (const section of allSections) {
    const [was, is] = [before[section], filled(section, candidate[section])]
    if (was === is && candidate[section] === is) continue
    const isTheSame = was === is || isSame(was, is)
    after = withSection(after, section, (isTheSame ? was : is) as never)
    if (!isTheSame) sections.push(section)
  }
  return { after, sections }
}

/** An identity that holds nothing is none. */
function filled(section: Section, value: unknown): unknown {
  return section === 'identity' && value && Object.keys(value).length === 0 ? undefined : value
}

/** What is empty takes no record. */
function keepSection(tx: Tx, { orgId, agentId }: AgentPlace, section: Section, value: unknown): void {
  const isEmpty = value === undefined || (section in listSections && (value as unknown[]).length === 0)
  if (isEmpty) tx.remove(sectionTable, [orgId, agentId, section])
  else tx.put(sectionTable, [orgId, agentId, section], value)
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
