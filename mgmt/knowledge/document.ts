/** Rows of the agent's document, written and read within this area's own commands and queries: both are one commit. */

import type { AgentPlace } from '../../core/agentkey.js'
import type { Refusal } from '../../core/errors.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentDocuments } from '../agents/documents.js'

export interface Shown<T = unknown> {
  readonly json?: T
  readonly etag: string
}

/** A row that is written through them is judged, recorded and announced like any other change of the document. */
export type Documents = Pick<AgentDocuments, 'commands' | 'queries'>

export interface RowAsked {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export function writeRow<T>(
  { commands }: Documents,
  tx: Tx,
  { orgId, agentId }: AgentPlace,
  resource: string,
  { params = {}, body, ifMatch, ifNoneMatch }: RowAsked & Conditions,
  told: Told,
): Shown<T> | Refusal {
  const input = { orgId, agentId, resource, asked: { params, query: {}, body }, ifMatch, ifNoneMatch }
  return commands.write.decide(tx, input, told) as Shown<T> | Refusal
}

export function viewRow<T>(
  { queries }: Documents,
  reader: Reader,
  { orgId, agentId }: AgentPlace,
  resource: string,
  params: Readonly<Record<string, string>> = {},
): Shown<T> | Refusal {
  return queries.view.read(reader, { orgId, agentId, resource, asked: { params, query: {} } }) as Shown<T> | Refusal
}
