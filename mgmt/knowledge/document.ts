/** The agent's document as this area asks it: within its own commands and queries, so that both are one commit. */

import type { AgentPlace } from '../../core/agentkey.js'
import type { Refusal } from '../../core/errors.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { Command, Query, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'

interface AskedRow extends AgentPlace {
  readonly resource: string
  readonly asked: {
    readonly params: Readonly<Record<string, string>>
    readonly query: Readonly<Record<string, unknown>>
    readonly body?: unknown
  }
}

export interface Shown<T = unknown> {
  readonly json?: T
  readonly etag: string
}

/** The command and the query of the document; a row that is written is judged, put on record and told like any other. */
export interface AgentDocumentDoor {
  readonly commands: { readonly write: Command<AskedRow & Conditions, Shown> }
  readonly queries: { readonly view: Query<AskedRow, Shown> }
}

export interface RowAsked {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export function writeRow<T>(
  { commands }: AgentDocumentDoor,
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
  { queries }: AgentDocumentDoor,
  reader: Reader,
  { orgId, agentId }: AgentPlace,
  resource: string,
  params: Readonly<Record<string, string>> = {},
): Shown<T> | Refusal {
  return queries.view.read(reader, { orgId, agentId, resource, asked: { params, query: {} } }) as Shown<T> | Refusal
}
