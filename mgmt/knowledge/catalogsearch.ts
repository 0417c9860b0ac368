/**
 * Search of an agent's facts and things. The index of a document is built in steps where its shard is, and cached until
 * the document changes.
 */
import { LRUCache } from 'lru-cache'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { type Refusal, refuse } from '../../core/errors.js'
import { indexKnowledgeInSteps, type KnowledgeIndex } from '../../core/knowledge/agentindex.js'
import { everyPlaybook } from '../../core/knowledge/facts.js'
import { knowledge as limits } from '../../core/limits/index.js'
import { runToEnd, type Steps } from '../../core/steps.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import type { FactFound, ThingFound } from './schema.js'

export interface CatalogSearch extends AgentRef {
  readonly query: string
  /** Of facts, and of things. */
  readonly maxHits: number
}

export interface CatalogHits {
  readonly facts: readonly FactFound[]
  readonly things: readonly ThingFound[]
}

export function catalogQueries(documents: Pick<AgentDocuments, 'load'>) {
  /** The newest index of each agent, with the digest of its document. */
  const cache = new LRUCache<string, { readonly digest: string; readonly index: KnowledgeIndex }>({
    maxSize: limits.cachedIndexBytes,
  })

  function* searchInSteps(
    reader: Reader,
    { orgId, agentId, query, maxHits }: CatalogSearch,
  ): Steps<CatalogHits | Refusal> {
    const agent = { orgId, agentId }
    const loaded = documents.load(reader, agent, ['facts', 'things'])
    if (!loaded) return refuse('resource.not_found')
    const { head, document } = loaded
    const key = formatAgentKey(agent)
    const cached = cache.get(key)
    const isCurrent = cached?.digest === head.revisionDigest
    const index = isCurrent ? cached.index : yield* indexKnowledgeInSteps(document)
    if (!isCurrent) cache.set(key, { digest: head.revisionDigest, index }, { size: head.bytes ?? 1 })
    return {
      facts: index
        .facts(query, everyPlaybook, maxHits)
        .map(({ fact: { id, question, answer, exact = false }, score }) => {
          return { factId: id, question, answer, exact, score }
        }),
      things: index.things(query, maxHits).map(({ thing: { id, name }, score }) => ({ thingId: id, name, score })),
    }
  }

  const searchCatalog: Query<CatalogSearch, CatalogHits> = {
    name: 'knowledge.searchCatalog',
    read: (reader, input) => runToEnd(searchInSteps(reader, input)),
    inSteps: { isFor: () => true, read: searchInSteps },
  }

  return { queries: { searchCatalog } }
}
export type CatalogQueries = ReturnType<typeof catalogQueries>
