/** What a row shows of an agent's document, for whoever needs that on the way to something else. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from './documents.js'
import type { LookUp } from './resource.js'

export interface ViewOptions {
  readonly shards: Shards
  readonly documents: Pick<AgentDocuments, 'queries'>
}

export function viewOf(place: AgentPlace, { shards, documents }: ViewOptions): LookUp['view'] {
  return async (resource, asked) => {
    const shown = await shards.read(agentKeyOf(place), documents.queries.view, { ...place, resource, asked })
    return isRefusal(shown) ? shown : shown.json
  }
}
