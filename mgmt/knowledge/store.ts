/**
 * Content of sources in the agent's shard: passages, their word index, and the outcome of the last read. Content has an
 * id of its own and is visible entirely or not at all: the commit that removes it hides it, and its rows follow in
 * bounded parts.
 */
import type { AgentRef } from '../../core/agentref.js'
import type { PageVersion } from '../../core/knowledge/page.js'
import type { Corpus, IndexedText, Postings } from '../../core/knowledge/ranking.js'
import { knowledge as limits } from '../../core/limits/index.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { type Reader, table } from '../../runtime/store/contract.js'

export type SourceStatus = 'pending' | 'ready' | 'failed'

export interface SourceState {
  readonly status: SourceStatus
  /** Why the last read failed, in a sentence for operators. */
  readonly reason?: string
  /** Id of the newest requested read; the outcome of any other read is dropped. */
  readonly readId?: string
  readonly characters: number
  readonly passages: number
  /** Id of the current content; absent before the first successful read. */
  readonly content?: string
  readonly readAt?: number
  /** The version that the page gave for the content that was read. */
  readonly version?: PageVersion
}

interface ContentHead {
  readonly source: string
  /** Number of words in each passage. */
  readonly lengths: readonly number[]
}

interface Totals {
  readonly passages: number
  readonly words: number
}

type ContentKey = [orgId: string, agentId: string, content: string]
export const stateTable = table<[orgId: string, agentId: string, sourceId: string], SourceState>('knowledge.states')
/** Visible content. Content without a row here is being removed. */
const contentTable = table<ContentKey, ContentHead>('knowledge.contents')
const passageTable = table<[...ContentKey, place: number], string>('knowledge.passages')
/** The words of each content; the sweep finds the word index rows through them. */
const wordTable = table<ContentKey, readonly string[]>('knowledge.words')
const postingsTable = table<[orgId: string, agentId: string, word: string, content: string], Postings>(
  'knowledge.postings',
)
const totalTable = table<[orgId: string, agentId: string], Totals>('knowledge.totals')

const noTotals: Totals = { passages: 0, words: 0 }
export const unread: SourceState = { status: 'pending', characters: 0, passages: 0 }

export function stateOf(reader: Reader, { orgId, agentId }: AgentRef, sourceId: string): SourceState {
  return reader.get(stateTable, [orgId, agentId, sourceId]) ?? unread
}

export function totalsOf(reader: Reader, { orgId, agentId }: AgentRef): Totals {
  return reader.get(totalTable, [orgId, agentId]) ?? noTotals
}

/** Replaces the content of a source and returns the id of the new content. */
export function saveContent(
  tx: Tx,
  agent: AgentRef,
  sourceId: string,
  content: IndexedText,
  meta: CommandMeta,
): string {
  removeContent(tx, agent, sourceId)
  const { orgId, agentId } = agent
  const id = meta.mint('content')
  const { passages, lengths, words } = content
  for (const [at, passage] of passages.entries()) tx.put(passageTable, [orgId, agentId, id, at], passage)
  for (const [word, postings] of words) tx.put(postingsTable, [orgId, agentId, word, id], postings)
  const allWords = words.map(([word]) => word)
  tx.put(wordTable, [orgId, agentId, id], allWords)
  tx.put(contentTable, [orgId, agentId, id], { source: sourceId, lengths })
  addToTotals(tx, agent, lengths, 1)
  return id
}

function removeContent(tx: Tx, agent: AgentRef, sourceId: string): void {
  const { content } = stateOf(tx, agent, sourceId)
  const head = content === undefined ? undefined : tx.get(contentTable, [agent.orgId, agent.agentId, content])
  if (content === undefined || !head) return
  tx.remove(contentTable, [agent.orgId, agent.agentId, content])
  addToTotals(tx, agent, head.lengths, -1)
  sweepPart(tx, { ...agent, content })
}

export function removeSource(tx: Tx, agent: AgentRef, sourceId: string): void {
  removeContent(tx, agent, sourceId)
  tx.remove(stateTable, [agent.orgId, agent.agentId, sourceId])
}

/** Removes all sources of an agent that is deleted. */
export function removeSources(tx: Tx, agent: AgentRef): void {
  const rows = [...tx.range(stateTable, { prefix: [agent.orgId, agent.agentId] })]
  for (const { key } of rows) removeSource(tx, agent, key[2])
}

interface RemovedContent extends AgentRef {
  readonly content: string
}

const sweepName = 'knowledge.sweep'
/** A time in the past: the timer fires as soon as other work has run. */
const immediately = 0

/** Removes a bounded part of the rows of removed content: first its word index, then its passages. */
export const sweep: Command<RemovedContent, true> = {
  name: sweepName,
  decide(tx, removed) {
    sweepPart(tx, removed)
    return true
  },
}

function sweepPart(tx: Tx, { orgId, agentId, content }: RemovedContent): void {
  const words = tx.get(wordTable, [orgId, agentId, content]) ?? []
  const remaining = words.slice(limits.rowsPerSweep)
  for (const word of words.slice(0, limits.rowsPerSweep)) tx.remove(postingsTable, [orgId, agentId, word, content])
  if (remaining.length > 0) {
    tx.put(wordTable, [orgId, agentId, content], remaining)
    const input: RemovedContent = { orgId, agentId, content }
    tx.schedule({ name: `${sweepName}:${content}`, dueAt: immediately, command: sweepName, input })
    return
  }
  tx.remove(wordTable, [orgId, agentId, content])
  const passages = [...tx.range(passageTable, { prefix: [orgId, agentId, content] })]
  for (const { key } of passages) tx.remove(passageTable, key)
}

function addToTotals(tx: Tx, agent: AgentRef, lengths: readonly number[], by: 1 | -1): void {
  if (lengths.length === 0) return
  const { orgId, agentId } = agent
  const before = totalsOf(tx, agent)
  const passages = before.passages + by * lengths.length
  const words = before.words + by * lengths.reduce((sum, length) => sum + length, 0)
  if (passages === 0) tx.remove(totalTable, [orgId, agentId])
  else tx.put(totalTable, [orgId, agentId], { passages, words })
}

/** All content of an agent as the ranking reads it, and the lookup from content to its source. */
export interface Contents extends Corpus {
  sourceOf(content: string): string
  passageOf(content: string, at: number): string
}

export function contentsOf(reader: Reader, agent: AgentRef): Contents {
  const { orgId, agentId } = agent
  const heads = new Map<string, ContentHead | undefined>()
  function headOf(content: string): ContentHead | undefined {
    if (!heads.has(content)) heads.set(content, reader.get(contentTable, [orgId, agentId, content]))
    return heads.get(content)
  }
  return {
    ...totalsOf(reader, agent),
    *postingsOf(word) {
      const rows = reader.range(postingsTable, { prefix: [orgId, agentId, word] })
      for (const { key, value } of rows) if (headOf(key[3])) yield { source: key[3], postings: value }
    },
    lengthsOf: (content) => headOf(content)?.lengths ?? [],
    sourceOf: (content) => headOf(content)?.source ?? '',
    passageOf: (content, at) => reader.get(passageTable, [orgId, agentId, content, at]) ?? '',
  }
}
