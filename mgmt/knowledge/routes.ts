/** Routes of sources: add, read, search, refresh and remove. */

import { actorOf } from '../../core/access.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import { checkText, decodeText } from '../../core/knowledge/sourcetext.js'
import { knowledge as limits, page } from '../../core/limits/index.js'
import { conditionHeaders, conditionsOf } from '../../runtime/http/etag.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { paginate } from '../../runtime/http/pagination.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { CatalogQueries } from './catalogsearch.js'
import { contentOf } from './pagereads.js'
import {
  ofKnowledge,
  SourceChange,
  SourceCreate,
  SourceList,
  SourceListQuery,
  SourceView,
  sourceReadAccess,
  sourceWriteAccess,
  UploadQuery,
} from './schema.js'
import type { Content, SourceCommands } from './sources.js'

export interface SourceRoutesOptions {
  readonly shards: Shards
  readonly sources: SourceCommands
  readonly catalog: CatalogQueries
  readonly pages: PageTokens
  /** The problem of a source URL as the end of a sentence. */
  readonly checkUrl: (url: string) => string | undefined
}

const collectionPath = '/orgs/{org}/agents/{agent}/knowledge/sources'
const itemPath = '/orgs/{org}/agents/{agent}/knowledge/sources/{sourceId}'

/** Allowed content types of an uploaded file; a JSON body describes a source instead. */
const fileTypes = ['text/plain', 'text/markdown', 'text/html', 'text/csv']

const agentRefOf = ({ org: orgId, agent: agentId }: { org: string; agent: string }): AgentRef => ({ orgId, agentId })

export function sourceRoutes(options: SourceRoutesOptions): Route[] {
  return [...collection(options), ...item(options)]
}

function collection({ shards, sources, catalog, pages, checkUrl }: SourceRoutesOptions): Route[] {
  const { commands, queries } = sources
  return [
    route({
      ...ofKnowledge,
      access: sourceReadAccess,
      method: 'GET',
      path: collectionPath,
      summary: 'List the sources of an agent, or search facts, things and passages',
      query: SourceListQuery,
      reply: { 200: SourceList },
      errors: ['request.invalid'],
      async handler({ params, query: { q, limit, pageToken } }) {
        const agent = agentRefOf(params)
        if (q !== undefined) {
          if (pageToken !== undefined) return invalid('pageToken', 'does not go with q')
          const maxHits = Math.min(limit ?? limits.hits, limits.maxHits)
          const input = { ...agent, query: q, maxHits }
          const [found, hits] = await Promise.all([
            shards.query(formatAgentKey(agent), queries.search, input),
            shards.query(formatAgentKey(agent), catalog.queries.searchCatalog, input),
          ])
          if (isRefusal(found)) return found
          return isRefusal(hits) ? hits : json(200, { data: found.sources, ...hits, passages: found.passages })
        }
        const view = await shards.query(formatAgentKey(agent), queries.list, agent)
        if (isRefusal(view)) return view
        const scope = `sources:${formatAgentKey(agent)}`
        const data = paginate(view.json!, { pageTokens: pages, scope, limit: limit ?? page.defaultRows, pageToken })
        return isRefusal(data) ? data : json(200, data, { etag: view.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: sourceWriteAccess,
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
        const agent = agentRefOf(params)
        const source = await (body instanceof Uint8Array
          ? parseFile(body, header('content-type'), query)
          : parseSource(body, checkUrl))
        if (isRefusal(source)) return source
        const input = { ...agent, ...source, ...conditionsOf(header) }
        const view = await shards.execute(formatAgentKey(agent), commands.add, input, { by: actorOf(caller) })
        return isRefusal(view) ? view : json(201, view.json!, { etag: view.etag })
      },
    }),
  ]
}

interface SourceInput {
  readonly id?: string
  readonly name: string
  readonly kind: 'text' | 'url' | 'file'
  readonly url?: string
  readonly content?: Content
}

async function parseFile(
  bytes: Uint8Array,
  type: string,
  { name, id }: { name?: string; id?: string },
): Promise<SourceInput | Refusal> {
  if (name === undefined) return invalid('name', 'is required beside a file')
  const content = await contentOf(decodeText(bytes, type))
  if ('problem' in content) return invalid('body', content.problem)
  return { ...(id !== undefined && { id }), name, kind: 'file', content }
}

type CheckUrl = SourceRoutesOptions['checkUrl']

async function parseSource({ text, url, ...about }: SourceCreate, checkUrl: CheckUrl): Promise<SourceInput | Refusal> {
  if ((text === undefined) === (url === undefined)) return invalid('text', 'is required, or url, and never both')
  if (text !== undefined) {
    const content = await parseText(text)
    return isRefusal(content) ? content : { ...about, kind: 'text', content }
  }
  return urlError(url, checkUrl) ?? { ...about, kind: 'url', url }
}

async function parseText(text: string): Promise<Content | Refusal> {
  const content = await contentOf(checkText(text))
  return 'problem' in content ? invalid('text', content.problem) : content
}

function urlError(url: string | undefined, checkUrl: CheckUrl): Refusal | undefined {
  const error = url === undefined ? undefined : checkUrl(url)
  return error === undefined ? undefined : invalid('url', error)
}

function item({ shards, sources, checkUrl }: SourceRoutesOptions): Route[] {
  const { commands, queries } = sources
  return [
    route({
      ...ofKnowledge,
      access: sourceReadAccess,
      method: 'GET',
      path: itemPath,
      summary: 'Read a source and what became of its last reading',
      reply: { 200: SourceView },
      async handler({ params }) {
        const agent = agentRefOf(params)
        const view = await shards.query(formatAgentKey(agent), queries.read, { ...agent, sourceId: params.sourceId })
        return isRefusal(view) ? view : json(200, view.json!, { etag: view.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: sourceWriteAccess,
      method: 'PATCH',
      path: itemPath,
      summary: 'Rename a source, replace its text or its url, or have its url read again',
      headers: conditionHeaders,
      body: SourceChange,
      bodyLimitBytes: limits.bytes,
      reply: { 200: SourceView },
      errors: ['request.invalid', 'request.precondition_failed'],
      async handler({ params, body: { text, ...change }, caller, header }) {
        const agent = agentRefOf(params)
        const error = urlError(change.url, checkUrl)
        if (error) return error
        const content = text === undefined ? undefined : await parseText(text)
        if (isRefusal(content)) return content
        const about = { ...agent, sourceId: params.sourceId, change, ...conditionsOf(header) }
        const input = { ...about, ...(content && { content }) }
        const view = await shards.execute(formatAgentKey(agent), commands.change, input, { by: actorOf(caller) })
        return isRefusal(view) ? view : json(200, view.json!, { etag: view.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: sourceWriteAccess,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a source with all of its passages',
      headers: conditionHeaders,
      reply: { 204: null },
      errors: ['request.precondition_failed'],
      async handler({ params, caller, header }) {
        const agent = agentRefOf(params)
        const input = { ...agent, sourceId: params.sourceId, ...conditionsOf(header) }
        const removed = await shards.execute(formatAgentKey(agent), commands.remove, input, { by: actorOf(caller) })
        return isRefusal(removed) ? removed : { status: 204, headers: { etag: removed.etag } }
      },
    }),
  ]
}
