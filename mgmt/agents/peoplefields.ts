/** The fields that an agent declares for its people, for code that reads and writes files of people. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { DeclaredField } from '../../core/people/customfields.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from './documentoperations.js'
import { fieldsPath } from './endpoints/people.js'

export function createPeopleFieldsReader(shards: Shards, { queries }: AgentDocuments) {
  return async (agent: AgentRef): Promise<readonly DeclaredField[] | Refusal> => {
    const request = { ...agent, endpointName: `GET ${fieldsPath}`, request: { params: {}, query: {} } }
    const response = await shards.query(formatAgentKey(agent), queries.view, request)
    return isRefusal(response) ? response : (response.json as { fields: readonly DeclaredField[] }).fields
  }
}
