/**
 * Where the content of sources is kept, in the agent's shard: passages, the words they are found by, and what became of
 * the last reading. Content has an id of its own and is there whole or not at all: from the commit in which it goes nobody
 * finds it, and its rows, which may be many, follow a portion at a time.
 */
import type { AgentPlace } from '../../core/agentkey.js'
import type { PageVersion } from '../../core/knowledge/page.js'
import type { Corpus, Indexed, Places } from '../../core/knowledge/ranking.js'
import { knowledge as limits } from '../../core/limits.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import { type Reader, table } from '../../runtime/store/contract.js'

export type SourceStatus = 'pending' | 'ready' | 'failed'

export interface SourceState {
  readonly status: SourceStatus
  /** Why the last reading came to nothing, in a sentence for operators. */
  readonly reason?: string
  /** The reading that was asked for last, under an id that no other has: the outcome of any other is dropped. */
  readonly reading?: string
  readonly characters: number
  readonly passages: number
  /** The id of its content; absent while nothing was read. */
  readonly content?: string
  readonly readAt?: number
  /** What the page said of the version that was read. */
  readonly version?: PageVersion
}

interface ContentHead {
  readonly source: string
  /** Words in each passage. */
  readonly lengths: readonly number[]
}

interface Totals {
  readonly passages: number
  readonly words: number
}

type ContentKey = [orgId: string, agentId: string, content: string]
export const stateTable = table<[orgId: string, agentId: string, sourceId: string], SourceState>('knowledge.states')
/** Content that is found; what has no row here is on its way out. */
const contentTable = table<ContentKey, ContentHead>('knowledge.contents')
const passageTable = table<[...ContentKey, place: number], string>('knowledge.passages')
/** The words of each content, by which its places are found again when it goes. */
const wordTable = table<ContentKey, readonly string[]>('knowledge.words')
const placeTable = table<[orgId: string, agentId: string, word: string, content: string], Places>('knowledge.places')
const totalTable = table<[orgId: string, agentId: string], Totals>('knowledge.totals')

const none: Totals = { passages: 0, words: 0 }
export const unread: SourceState = { status: 'pending', characters: 0, passages: 0 }

export function stateOf(reader: Reader, { orgId, agentId }: AgentPlace, sourceId: string): SourceState {
  return reader.get(stateTable, [orgId, agentId, sourceId]) ?? unread
}

export function totalsOf(reader: Reader, { orgId, agentId }: AgentPlace): Totals {
  return reader.get(totalTable, [orgId, agentId]) ?? none
}

/** Replaces the content of a source, and answers the id of the new one for its state. */
export function keepContent(tx: Tx, place: AgentPlace, sourceId: string, content: Indexed, told: Told): string {
  removeContent(tx, place, sourceId)
  const { orgId, agentId } = place
  const id = told.mint('content')
  const { passages, lengths, words } = content
  for (const [at, passage] of passages.entries()) tx.put(passageTable, [orgId, agentId, id, at], passage)
  for (const [word, places] of words) tx.put(placeTable, [orgId, agentId, word, id], places)
  const allWords = words.map(([word]) => word)
  tx.put(wordTable, [orgId, agentId, id], allWords)
  tx.put(contentTable, [orgId, agentId, id], { source: sourceId, lengths })
  count(tx, place, lengths, 1)
  return id
}

function removeContent(tx: Tx, place: AgentPlace, sourceId: string): void {
  const { content } = stateOf(tx, place, sourceId)
  const head = content === undefined ? undefined : tx.get(contentTable, [place.orgId, place.agentId, content])
  if (content === undefined || !head) return
  tx.remove(contentTable, [place.orgId, place.agentId, content])
  count(tx, place, head.lengths, -1)
  sweepOnce(tx, { ...place, content })
}

export function removeSource(tx: Tx, place: AgentPlace, sourceId: string): void {
  removeContent(tx, place, sourceId)
  tx.remove(stateTable, [place.orgId, place.agentId, sourceId])
}

/** Everything of an agent that goes. */
export function removeSources(tx: Tx, place: AgentPlace): void {
  const rows = [...tx.range(stateTable, { prefix: [place.orgId, place.agentId] })]
  for (const { key } of rows) removeSource(tx, place, key[2])
}

interface Leaving extends AgentPlace {
  readonly content: string
}

const sweepName = 'knowledge.sweep'
/** In the past: as soon as others had their turn. */
const soon = 0

/** Takes away a portion of the rows of content that has gone: the places of its words first, then its passages. */
export const sweep: Command<Leaving, true> = {
  name: sweepName,
  decide(tx, leaving) {
    sweepOnce(tx, leaving)
    return true
  },
}

function sweepOnce(tx: Tx, { orgId, agentId, content }: Leaving): void {
  const words = tx.get(wordTable, [orgId, agentId, content]) ?? []
  const left = words.slice(limits.rowsPerSweep)
  for (const word of words.slice(0, limits.rowsPerSweep)) tx.remove(placeTable, [orgId, agentId, word, content])
  if (left.length > 0) {
    tx.put(wordTable, [orgId, agentId, content], left)
    const input: Leaving = { orgId, agentId, content }
    tx.schedule({ name: `${sweepName}:${content}`, dueAt: soon, command: sweepName, input })
    return
  }
  tx.remove(wordTable, [orgId, agentId, content])
  const passages = [...tx.range(passageTable, { prefix: [orgId, agentId, content] })]
  for (const { key } of passages) tx.remove(passageTable, key)
}

function count(tx: Tx, place: AgentPlace, lengths: readonly number[], by: 1 | -1): void {
  if (lengths.length === 0) return
  const { orgId, agentId } = place
  const before = totalsOf(tx, place)
  const passages = before.passages + by * lengths.length
  const words = before.words + by * lengths.reduce((sum, length) => sum + length, 0)
  if (passages === 0) tx.remove(totalTable, [orgId, agentId])
  else tx.put(totalTable, [orgId, agentId], { passages, words })
}

/** All that an agent's sources say, as ranking asks for it, and the way back from content to its source. */
export interface Contents extends Corpus {
  sourceOf(content: string): string
  passageOf(content: string, at: number): string
}

export function contentsOf(reader: Reader, place: AgentPlace): Contents {
  const { orgId, agentId } = place
  const heads = new Map<string, ContentHead | undefined>()
  function headOf(content: string): ContentHead | undefined {
    if (!heads.has(content)) heads.set(content, reader.get(contentTable, [orgId, agentId, content]))
    return heads.get(content)
  }
  return {
    ...totalsOf(reader, place),
    *placesOf(word) {
      const rows = reader.range(placeTable, { prefix: [orgId, agentId, word] })
      for (const { key, value } of rows) if (headOf(key[3])) yield { source: key[3], places: value }
    },
    lengthsOf: (content) => headOf(content)?.lengths ?? [],
    sourceOf: (content) => headOf(content)?.source ?? '',
    passageOf: (content, at) => reader.get(passageTable, [orgId, agentId, content, at]) ?? '',
  }
}
