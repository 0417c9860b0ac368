/** The fields that an agent declares for its people, for whoever reads and writes files of them. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { DeclaredField } from '../../core/people/customfields.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from './documents.js'
import { fieldsPath } from './resources/people.js'

export function openPeopleFields(shards: Shards, { queries }: AgentDocuments) {
  return async (place: AgentPlace): Promise<readonly DeclaredField[] | Refusal> => {
    const asked = { ...place, resource: `GET ${fieldsPath}`, asked: { params: {}, query: {} } }
    const shown = await shards.read(agentKeyOf(place), queries.view, asked)
    return isRefusal(shown) ? shown : (shown.json as { fields: readonly DeclaredField[] }).fields
  }
}
