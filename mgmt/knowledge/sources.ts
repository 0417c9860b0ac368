/** Commands and queries of sources. An effect reads the URL of a source; a command stores the result. */

import type { Source } from '../../core/agent/resources/knowledge.js'
import type { AgentRef } from '../../core/agentref.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import type { PageVersion } from '../../core/knowledge/page.js'
import { type IndexedText, rankPassages } from '../../core/knowledge/ranking.js'
import { knowledge as limits } from '../../core/limits/index.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { Command, CommandMeta, Query, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type Documents, type EndpointView, readEndpoint, writeEndpoint } from './document.js'
import type { Passage, SourceView } from './schema.js'
import {
  contentsOf,
  removeSource,
  removeSources,
  type SourceState,
  saveContent,
  stateOf,
  stateTable,
  sweep,
  totalsOf,
  unread,
} from './store.js'

/** Content ready for storage: split into passages and counted before the command runs. */
export interface Content extends IndexedText {
  readonly characters: number
}

interface SourceRef extends AgentRef {
  readonly sourceId: string
}

interface AddSource extends AgentRef, Conditions {
  readonly id?: string
  readonly name: string
  readonly kind: Source['kind']
  readonly url?: string
  readonly content?: Content
}

interface ChangeSource extends SourceRef, Conditions {
  readonly change: { readonly name?: string; readonly url?: string; readonly refresh?: boolean }
  readonly content?: Content
}

/** One read of a source's URL. */
export interface PageRead extends SourceRef {
  readonly readId: string
}

export type ReadOutcome =
  | { readonly kind: 'read'; readonly content: Content; readonly version: PageVersion }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string }

export const pageReadEffect = 'knowledgeRead'

const endpoints = {
  list: 'GET /knowledge/sources',
  read: 'GET /knowledge/sources/{sourceId}',
  add: 'POST /knowledge/sources',
  change: 'PATCH /knowledge/sources/{sourceId}',
  remove: 'DELETE /knowledge/sources/{sourceId}',
} as const

export type SourceResult = EndpointView<SourceView>

export function sourceCommands(documents: Documents) {
  const add: Command<AddSource, SourceResult> = {
    name: 'knowledge.add',
    decide(tx, { orgId, agentId, content, ifMatch, ifNoneMatch, ...body }, meta) {
      const agent = { orgId, agentId }
      const view = writeEndpoint<Source>(documents, tx, agent, endpoints.add, { body, ifMatch, ifNoneMatch }, meta)
      if (isRefusal(view)) return view
      const source = view.json!
      const state = content
        ? storeReadContent(tx, agent, source, unread, content, meta)
        : startRead(tx, agent, source, unread, meta)
      return isRefusal(state) ? state : { etag: view.etag, json: toSourceView(source, state) }
    },
  }

  const change: Command<ChangeSource, SourceResult> = {
    name: 'knowledge.change',
    decide(tx, { orgId, agentId, sourceId, change: sent, content, ifMatch, ifNoneMatch }, meta) {
      const agent = { orgId, agentId }
      const before = readEndpoint<Source>(documents, tx, agent, endpoints.read, { sourceId })
      if (isRefusal(before)) return before
      const body = { ...sent, ...(content && { hasText: true }) }
      const request = { params: { sourceId }, body, ifMatch, ifNoneMatch }
      const view = writeEndpoint<Source>(documents, tx, agent, endpoints.change, request, meta)
      if (isRefusal(view)) return view
      const source = view.json!
      const previous = stateOf(tx, agent, sourceId)
      const isMoved = source.url !== before.json?.url
      let state: SourceState | Refusal = previous
      if (content) state = storeReadContent(tx, agent, source, previous, content, meta)
      else if (isMoved || sent.refresh) {
        // The stored page version belongs to the old URL, so the first read of the new URL does not send it.
        state = startRead(tx, agent, source, isMoved ? { ...previous, version: undefined } : previous, meta)
      }
      return isRefusal(state) ? state : { etag: view.etag, json: toSourceView(source, state) }
    },
  }

  const remove: Command<SourceRef & Conditions, { readonly etag: string }> = {
    name: 'knowledge.remove',
    decide(tx, { orgId, agentId, sourceId, ifMatch, ifNoneMatch }, meta) {
      const agent = { orgId, agentId }
      const view = writeEndpoint(
        documents,
        tx,
        agent,
        endpoints.remove,
        { params: { sourceId }, ifMatch, ifNoneMatch },
        meta,
      )
      if (isRefusal(view)) return view
      removeSource(tx, agent, sourceId)
      return { etag: view.etag }
    },
  }

  /** Stores the outcome of one read. The outcome of an overtaken read, or of a removed source, is dropped. */
  const completeRead: Command<PageRead & { readonly outcome: ReadOutcome }, true> = {
    name: 'knowledge.completeRead',
    decide(tx, { orgId, agentId, sourceId, readId, outcome }, meta) {
      const agent = { orgId, agentId }
      const previous = tx.get(stateTable, [orgId, agentId, sourceId])
      if (previous?.status !== 'pending' || previous.readId !== readId) return true
      const { reason: _reason, ...rest } = previous
      const failed = (reason: string) => putState(tx, agent, sourceId, { ...rest, status: 'failed', reason })
      if (outcome.kind === 'failed') failed(outcome.reason)
      else if (outcome.kind === 'unchanged')
        putState(tx, agent, sourceId, { ...rest, status: 'ready', readAt: meta.at })
      else {
        const { content, version } = outcome
        const state = storeReadContent(tx, agent, { id: sourceId }, { ...rest, version }, content, meta)
        if (isRefusal(state)) failed(`The page ${tooManyPassages}.`)
      }
      return true
    },
  }

  const list: Query<AgentRef, EndpointView<SourceView[]>> = {
    name: 'knowledge.list',
    read(reader, agent) {
      const view = readEndpoint<Source[]>(documents, reader, agent, endpoints.list)
      if (isRefusal(view)) return view
      return { etag: view.etag, json: view.json!.map((source) => viewOf(reader, agent, source)) }
    },
  }

  const read: Query<SourceRef, SourceResult> = {
    name: 'knowledge.read',
    read(reader, { orgId, agentId, sourceId }) {
      const agentRef = { orgId, agentId }
      const view = readEndpoint<Source>(documents, reader, agentRef, endpoints.read, { sourceId })
      return isRefusal(view) ? view : { etag: view.etag, json: viewOf(reader, agentRef, view.json!) }
    },
  }

  const search: Query<
    AgentRef & { readonly query: string; readonly maxHits: number },
    { readonly sources: SourceView[]; readonly passages: Passage[] }
  > = {
    name: 'knowledge.search',
    read(reader, { orgId, agentId, query, maxHits }) {
      const agentRef = { orgId, agentId }
      const view = readEndpoint<Source[]>(documents, reader, agentRef, endpoints.list)
      if (isRefusal(view)) return view
      const contents = contentsOf(reader, agentRef)
      const hits = rankPassages(query, contents, maxHits)
      const sourcesById = new Map(view.json!.map((source) => [source.id, source]))
      const matched = [...new Set(hits.map(({ source }) => contents.sourceOf(source)))].flatMap(
        (id) => sourcesById.get(id) ?? [],
      )
      return {
        sources: matched.map((source) => viewOf(reader, agentRef, source)),
        passages: hits.map(({ source: content, passageIndex: at, score }) => ({
          sourceId: contents.sourceOf(content),
          place: at,
          text: contents.passageOf(content, at),
          score,
        })),
      }
    },
  }

  return {
    commands: { add, change, remove, completeRead, sweep },
    queries: { list, read, search },
    onAgentRemoved: removeSources,
  }
}
export type SourceCommands = ReturnType<typeof sourceCommands>

/** The end of a sentence about a text. */
const tooManyPassages = `would give the agent more than ${limits.passagesPerAgent} passages`

function putState(tx: Tx, { orgId, agentId }: AgentRef, sourceId: string, state: SourceState): SourceState {
  tx.put(stateTable, [orgId, agentId, sourceId], state)
  return state
}

function storeReadContent(
  tx: Tx,
  agent: AgentRef,
  { id }: Pick<Source, 'id'>,
  previous: SourceState,
  content: Content,
  meta: CommandMeta,
): SourceState | Refusal {
  const { characters, lengths } = content
  const passages = totalsOf(tx, agent).passages - stateOf(tx, agent, id).passages + lengths.length
  if (passages > limits.passagesPerAgent) return invalid('text', tooManyPassages)
  const { reason: _reason, ...rest } = previous
  const counts = { characters, passages: lengths.length, content: saveContent(tx, agent, id, content, meta) }
  return putState(tx, agent, id, { ...rest, ...counts, status: 'ready', readAt: meta.at })
}

/** Starts a read; the previous content stays until that read completes. */
function startRead(
  tx: Tx,
  agent: AgentRef,
  { id, url }: Source,
  previous: SourceState,
  meta: CommandMeta,
): SourceState {
  const { reason: _reason, ...rest } = previous
  const readId = meta.mint('reading')
  const payload: PageRead = { ...agent, sourceId: id, readId }
  tx.emit({ kind: pageReadEffect, payload, destination: new URL(url!).host })
  return putState(tx, agent, id, { ...rest, status: 'pending', readId })
}

function viewOf(reader: Reader, agent: AgentRef, source: Source): SourceView {
  return toSourceView(source, stateOf(reader, agent, source.id))
}

function toSourceView(source: Source, { status, reason, characters, passages, readAt }: SourceState): SourceView {
  return {
    ...source,
    status,
    ...(reason !== undefined && { reason }),
    characters,
    passages,
    ...(readAt !== undefined && { readAt: new Date(readAt).toISOString() }),
  }
}
