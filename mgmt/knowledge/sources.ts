/** The commands and queries of sources. What is read from a url is read by an effect, and comes back as a command. */

import type { Fact, Source } from '../../core/agent/resources/knowledge.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import type { PageVersion } from '../../core/knowledge/page.js'
import { type Indexed, ranked } from '../../core/knowledge/ranking.js'
import { knowledge as limits } from '../../core/limits.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { Command, Query, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type Documents, type Shown, viewRow, writeRow } from './document.js'
import type { Passage, SourceView } from './schema.js'
import {
  contentsOf,
  keepContent,
  removeSource,
  removeSources,
  type SourceState,
  stateOf,
  stateTable,
  sweep,
  totalsOf,
  unread,
} from './store.js'

/** Content as it is kept: cut and counted before any command is asked. */
export interface Content extends Indexed {
  readonly characters: number
}

interface OfSource extends AgentPlace {
  readonly sourceId: string
}

interface AddSource extends AgentPlace, Conditions {
  readonly id?: string
  readonly name: string
  readonly kind: Source['kind']
  readonly url?: string
  readonly content?: Content
}

interface ChangeSource extends OfSource, Conditions {
  readonly change: { readonly name?: string; readonly url?: string; readonly refresh?: boolean }
  readonly content?: Content
}

/** One reading of the url of a source. */
export interface Reading extends OfSource {
  readonly reading: string
}

export type ReadOutcome =
  | { readonly kind: 'read'; readonly content: Content; readonly version: PageVersion }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string }

export const readKind = 'knowledgeRead'

const rows = {
  facts: 'GET /knowledge/facts',
  list: 'GET /knowledge/sources',
  read: 'GET /knowledge/sources/{sourceId}',
  add: 'POST /knowledge/sources',
  change: 'PATCH /knowledge/sources/{sourceId}',
  remove: 'DELETE /knowledge/sources/{sourceId}',
} as const

export type ShownSource = Shown<SourceView>

export function sourceCommands(documents: Documents) {
  const add: Command<AddSource, ShownSource> = {
    name: 'knowledge.add',
    decide(tx, { orgId, agentId, content, ifMatch, ifNoneMatch, ...body }, told) {
      const place = { orgId, agentId }
      const shown = writeRow<Source>(documents, tx, place, rows.add, { body, ifMatch, ifNoneMatch }, told)
      if (isRefusal(shown)) return shown
      const source = shown.json!
      const state = content ? kept(tx, place, source, unread, content, told) : begun(tx, place, source, unread, told)
      return isRefusal(state) ? state : { etag: shown.etag, json: asRead(source, state) }
    },
  }

  const change: Command<ChangeSource, ShownSource> = {
    name: 'knowledge.change',
    decide(tx, { orgId, agentId, sourceId, change: sent, content, ifMatch, ifNoneMatch }, told) {
      const place = { orgId, agentId }
      const before = viewRow<Source>(documents, tx, place, rows.read, { sourceId })
      if (isRefusal(before)) return before
      const body = { ...sent, ...(content && { hasText: true }) }
      const asked = { params: { sourceId }, body, ifMatch, ifNoneMatch }
      const shown = writeRow<Source>(documents, tx, place, rows.change, asked, told)
      if (isRefusal(shown)) return shown
      const source = shown.json!
      const was = stateOf(tx, place, sourceId)
      const isMoved = source.url !== before.json?.url
      let state: SourceState | Refusal = was
      if (content) state = kept(tx, place, source, was, content, told)
      else if (isMoved || sent.refresh) {
        // What another page said of its version means nothing to this one.
        state = begun(tx, place, source, isMoved ? { ...was, version: undefined } : was, told)
      }
      return isRefusal(state) ? state : { etag: shown.etag, json: asRead(source, state) }
    },
  }

  const remove: Command<OfSource & Conditions, { readonly etag: string }> = {
    name: 'knowledge.remove',
    decide(tx, { orgId, agentId, sourceId, ifMatch, ifNoneMatch }, told) {
      const place = { orgId, agentId }
      const shown = writeRow(documents, tx, place, rows.remove, { params: { sourceId }, ifMatch, ifNoneMatch }, told)
      if (isRefusal(shown)) return shown
      removeSource(tx, place, sourceId)
      return { etag: shown.etag }
    },
  }

  /** The outcome of one reading; nothing is done with one that was overtaken, or whose source is gone. */
  const settle: Command<Reading & { readonly outcome: ReadOutcome }, true> = {
    name: 'knowledge.settle',
    decide(tx, { orgId, agentId, sourceId, reading, outcome }, told) {
      const place = { orgId, agentId }
      const was = tx.get(stateTable, [orgId, agentId, sourceId])
      if (was?.status !== 'pending' || was.reading !== reading) return true
      const { reason: _reason, ...rest } = was
      const failed = (reason: string) => put(tx, place, sourceId, { ...rest, status: 'failed', reason })
      if (outcome.kind === 'failed') failed(outcome.reason)
      else if (outcome.kind === 'unchanged') put(tx, place, sourceId, { ...rest, status: 'ready', readAt: told.at })
      else {
        const { content, version } = outcome
        const state = kept(tx, place, { id: sourceId }, { ...rest, version }, content, told)
        if (isRefusal(state)) failed(`The page ${tooMuch}.`)
      }
      return true
    },
  }

  const list: Query<AgentPlace, Shown<SourceView[]>> = {
    name: 'knowledge.list',
    read(reader, place) {
      const shown = viewRow<Source[]>(documents, reader, place, rows.list)
      if (isRefusal(shown)) return shown
      return { etag: shown.etag, json: shown.json!.map((source) => viewOf(reader, place, source)) }
    },
  }

  const read: Query<OfSource, ShownSource> = {
    name: 'knowledge.read',
    read(reader, { orgId, agentId, sourceId }) {
      const place = { orgId, agentId }
      const shown = viewRow<Source>(documents, reader, place, rows.read, { sourceId })
      return isRefusal(shown) ? shown : { etag: shown.etag, json: viewOf(reader, place, shown.json!) }
    },
  }

  const search: Query<
    AgentPlace & { readonly query: string; readonly most: number },
    { readonly sources: SourceView[]; readonly passages: Passage[] }
  > = {
    name: 'knowledge.search',
    read(reader, { orgId, agentId, query, most }) {
      const place = { orgId, agentId }
      const shown = viewRow<Source[]>(documents, reader, place, rows.list)
      if (isRefusal(shown)) return shown
      const contents = contentsOf(reader, place)
      const hits = ranked(query, contents, most)
      const known = new Map(shown.json!.map((source) => [source.id, source]))
      const found = [...new Set(hits.map(({ source }) => contents.sourceOf(source)))].flatMap(
        (id) => known.get(id) ?? [],
      )
      return {
        sources: found.map((source) => viewOf(reader, place, source)),
        passages: hits.map(({ source: content, place: at, score }) => ({
          sourceId: contents.sourceOf(content),
          place: at,
          text: contents.passageOf(content, at),
          score,
        })),
      }
    },
  }

  const facts: Query<AgentPlace, readonly Fact[]> = {
    name: 'knowledge.facts',
    read(reader, place) {
      const shown = viewRow<{ readonly data: readonly Fact[] }>(documents, reader, place, rows.facts)
      return isRefusal(shown) ? shown : shown.json!.data
    },
  }

  return {
    commands: { add, change, remove, settle, sweep },
    queries: { list, read, search, facts },
    removed: removeSources,
  }
}
export type SourceCommands = ReturnType<typeof sourceCommands>

/** The end of a sentence about a text. */
const tooMuch = `would give the agent more than ${limits.passagesPerAgent} passages`

function put(tx: Tx, { orgId, agentId }: AgentPlace, sourceId: string, state: SourceState): SourceState {
  tx.put(stateTable, [orgId, agentId, sourceId], state)
  return state
}

function kept(
  tx: Tx,
  place: AgentPlace,
  { id }: Pick<Source, 'id'>,
  was: SourceState,
  content: Content,
  told: Told,
): SourceState | Refusal {
  const { characters, lengths } = content
  const passages = totalsOf(tx, place).passages - stateOf(tx, place, id).passages + lengths.length
  if (passages > limits.passagesPerAgent) return invalid('text', tooMuch)
  const { reason: _reason, ...rest } = was
  const about = { characters, passages: lengths.length, content: keepContent(tx, place, id, content, told) }
  return put(tx, place, id, { ...rest, ...about, status: 'ready', readAt: told.at })
}

/** Asks for a reading; what was read before stays until that is done. */
function begun(tx: Tx, place: AgentPlace, { id, url }: Source, was: SourceState, told: Told): SourceState {
  const { reason: _reason, ...rest } = was
  const reading = told.mint('reading')
  const payload: Reading = { ...place, sourceId: id, reading }
  tx.effect({ kind: readKind, payload, destination: new URL(url!).host })
  return put(tx, place, id, { ...rest, status: 'pending', reading })
}

function viewOf(reader: Reader, place: AgentPlace, source: Source): SourceView {
  return asRead(source, stateOf(reader, place, source.id))
}

function asRead(source: Source, { status, reason, characters, passages, readAt }: SourceState): SourceView {
  return {
    ...source,
    status,
    ...(reason !== undefined && { reason }),
    characters,
    passages,
    ...(readAt !== undefined && { readAt: new Date(readAt).toISOString() }),
  }
}
