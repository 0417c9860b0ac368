/** The routes of sources: adding, reading, searching, refreshing and removing them. */

import { actorOf } from '../../core/access.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import { judged, readable } from '../../core/knowledge/readable.js'
import { knowledge as limits, page } from '../../core/limits.js'
import { conditionHeaders, conditionsOf } from '../../runtime/http/etag.js'
import type { Pages } from '../../runtime/http/page.js'
import { paged } from '../../runtime/http/paged.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { searchFacts } from './factsearch.js'
import { contentOf } from './reading.js'
import {
  ofKnowledge,
  readingSources,
  SourceChange,
  SourceCreate,
  SourceList,
  SourceListQuery,
  SourceView,
  UploadQuery,
  writingSources,
} from './schema.js'
import type { Content, SourceCommands } from './sources.js'

export interface SourceRoutesOptions {
  readonly shards: Shards
  readonly sources: SourceCommands
  readonly pages: Pages
  /** What is wrong with a url that is to be read, as the end of a sentence. */
  readonly checkUrl: (url: string) => string | undefined
}

const collectionPath = '/orgs/{org}/agents/{agent}/knowledge/sources'
const itemPath = '/orgs/{org}/agents/{agent}/knowledge/sources/{sourceId}'

/** What a file may be; a body of JSON describes a source instead. */
const fileTypes = ['text/plain', 'text/markdown', 'text/html', 'text/csv']

const placeOf = ({ org: orgId, agent: agentId }: { org: string; agent: string }): AgentPlace => ({ orgId, agentId })

export function sourceRoutes(options: SourceRoutesOptions): Route[] {
  return [...collection(options), ...item(options)]
}

function collection({ shards, sources, pages, checkUrl }: SourceRoutesOptions): Route[] {
  const { commands, queries } = sources
  return [
    route({
      ...ofKnowledge,
      access: readingSources,
      method: 'GET',
      path: collectionPath,
      summary: 'List the sources of an agent, or search facts and passages',
      query: SourceListQuery,
      reply: { 200: SourceList },
      errors: ['request.invalid'],
      async handler({ params, query: { q, limit, pageToken } }) {
        const place = placeOf(params)
        if (q !== undefined) {
          if (pageToken !== undefined) return invalid('pageToken', 'does not go with q')
          const most = Math.min(limit ?? limits.hits, limits.hitsMost)
          const found = await shards.read(agentKeyOf(place), queries.search, { ...place, query: q, most })
          if (isRefusal(found)) return found
          const facts = await shards.read(agentKeyOf(place), queries.facts, place)
          if (isRefusal(facts)) return facts
          const hits = await searchFacts(facts, q, most)
          return json(200, { data: found.sources, facts: hits, passages: found.passages })
        }
        const shown = await shards.read(agentKeyOf(place), queries.list, place)
        if (isRefusal(shown)) return shown
        const scope = `sources:${agentKeyOf(place)}`
        const data = paged(shown.json!, { pages, scope, limit: limit ?? page.defaultRows, pageToken })
        return isRefusal(data) ? data : json(200, data, { etag: shown.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: writingSources,
      method: 'POST',
      path: collectionPath,
      summary: 'Add a source: text or a url as JSON, or the content of a file as it is, its name in the query',
      query: UploadQuery,
      headers: ['content-type', ...conditionHeaders],
      body: SourceCreate,
      rawTypes: fileTypes,
      bodyLimitBytes: limits.bytes,
      reply: { 201: SourceView },
      errors: ['request.invalid', 'request.precondition_failed'],
      async handler({ params, query, body, caller, header }) {
        const place = placeOf(params)
        const sent = await (body instanceof Uint8Array
          ? fileOf(body, header('content-type'), query)
          : describedBy(body, checkUrl))
        if (isRefusal(sent)) return sent
        const input = { ...place, ...sent, ...conditionsOf(header) }
        const shown = await shards.ask(agentKeyOf(place), commands.add, input, { by: actorOf(caller) })
        return isRefusal(shown) ? shown : json(201, shown.json!, { etag: shown.etag })
      },
    }),
  ]
}

interface Sent {
  readonly id?: string
  readonly name: string
  readonly kind: 'text' | 'url' | 'file'
  readonly url?: string
  readonly content?: Content
}

async function fileOf(
  bytes: Uint8Array,
  type: string,
  { name, id }: { name?: string; id?: string },
): Promise<Sent | Refusal> {
  if (name === undefined) return invalid('name', 'is required beside a file')
  const content = await contentOf(readable(bytes, type))
  if ('problem' in content) return invalid('body', content.problem)
  return { ...(id !== undefined && { id }), name, kind: 'file', content }
}

type CheckUrl = SourceRoutesOptions['checkUrl']

async function describedBy({ text, url, ...about }: SourceCreate, checkUrl: CheckUrl): Promise<Sent | Refusal> {
  if ((text === undefined) === (url === undefined)) return invalid('text', 'is required, or url, and never both')
  if (text !== undefined) {
    const content = await textOf(text)
    return isRefusal(content) ? content : { ...about, kind: 'text', content }
  }
  return wrongUrl(url, checkUrl) ?? { ...about, kind: 'url', url }
}

async function textOf(text: string): Promise<Content | Refusal> {
  const content = await contentOf(judged(text))
  return 'problem' in content ? invalid('text', content.problem) : content
}

function wrongUrl(url: string | undefined, checkUrl: CheckUrl): Refusal | undefined {
  const wrong = url === undefined ? undefined : checkUrl(url)
  return wrong === undefined ? undefined : invalid('url', wrong)
}

function item({ shards, sources, checkUrl }: SourceRoutesOptions): Route[] {
  const { commands, queries } = sources
  return [
    route({
      ...ofKnowledge,
      access: readingSources,
      method: 'GET',
      path: itemPath,
      summary: 'Read a source and what became of its last reading',
      reply: { 200: SourceView },
      async handler({ params }) {
        const place = placeOf(params)
        const shown = await shards.read(agentKeyOf(place), queries.read, { ...place, sourceId: params.sourceId })
        return isRefusal(shown) ? shown : json(200, shown.json!, { etag: shown.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: writingSources,
      method: 'PATCH',
      path: itemPath,
      summary: 'Rename a source, replace its text or its url, or have its url read again',
      headers: conditionHeaders,
      body: SourceChange,
      bodyLimitBytes: limits.bytes,
      reply: { 200: SourceView },
      errors: ['request.invalid', 'request.precondition_failed'],
      async handler({ params, body: { text, ...change }, caller, header }) {
        const place = placeOf(params)
        const wrong = wrongUrl(change.url, checkUrl)
        if (wrong) return wrong
        const content = text === undefined ? undefined : await textOf(text)
        if (isRefusal(content)) return content
        const about = { ...place, sourceId: params.sourceId, change, ...conditionsOf(header) }
        const input = { ...about, ...(content && { content }) }
        const shown = await shards.ask(agentKeyOf(place), commands.change, input, { by: actorOf(caller) })
        return isRefusal(shown) ? shown : json(200, shown.json!, { etag: shown.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: writingSources,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a source with all of its passages',
      headers: conditionHeaders,
      reply: { 204: null },
      errors: ['request.precondition_failed'],
      async handler({ params, caller, header }) {
        const place = placeOf(params)
        const input = { ...place, sourceId: params.sourceId, ...conditionsOf(header) }
        const removed = await shards.ask(agentKeyOf(place), commands.remove, input, { by: actorOf(caller) })
        return isRefusal(removed) ? removed : { status: 204, headers: { etag: removed.etag } }
      },
    }),
  ]
}
