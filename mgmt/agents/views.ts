/** Reads an endpoint's view of an agent's document, for code other than the endpoint's own route. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from './documentoperations.js'
import type { EndpointLookups } from './endpoint.js'

export interface ViewOptions {
  readonly shards: Shards
  readonly documents: Pick<AgentDocuments, 'queries'>
}

export function createViewReader(agent: AgentRef, { shards, documents }: ViewOptions): EndpointLookups['view'] {
  return async (endpointName, request) => {
    const response = await shards.query(formatAgentKey(agent), documents.queries.view, {
      ...agent,
      endpointName,
      request,
    })
    return isRefusal(response) ? response : response.json
  }
}
