/** Reads and writes rows of the agent's document inside the commands and queries of this area, in the same commit. */

import type { AgentRef } from '../../core/agentref.js'
import type { Refusal } from '../../core/errors.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'

export interface EndpointView<T = unknown> {
  readonly json?: T
  readonly etag: string
}

/** A row written through these commands is validated, recorded and announced like any other change of the document. */
export type Documents = Pick<AgentDocuments, 'commands' | 'queries'>

export interface EndpointRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export function writeEndpoint<T>(
  { commands }: Documents,
  tx: Tx,
  { orgId, agentId }: AgentRef,
  endpointName: string,
  { params = {}, body, ifMatch, ifNoneMatch }: EndpointRequest & Conditions,
  meta: CommandMeta,
): EndpointView<T> | Refusal {
  const input = { orgId, agentId, endpointName, request: { params, query: {}, body }, ifMatch, ifNoneMatch }
  return commands.write.decide(tx, input, meta) as EndpointView<T> | Refusal
}

export function readEndpoint<T>(
  { queries }: Documents,
  reader: Reader,
  { orgId, agentId }: AgentRef,
  endpointName: string,
  params: Readonly<Record<string, string>> = {},
): EndpointView<T> | Refusal {
  return queries.view.read(reader, { orgId, agentId, endpointName, request: { params, query: {} } }) as
    | EndpointView<T>
    | Refusal
}
