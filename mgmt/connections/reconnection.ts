/** Disconnected connections: saved without their tokens, so that a sign-in with the same account keeps their id. */
import { type Refusal, refuse } from '../../core/errors.js'
import { oauth as limits } from '../../core/limits/index.js'
import type { Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import {
  type Credential,
  type CredentialRef,
  type DisconnectedConnection,
  disconnectedConnectionsOf,
  disconnectedTable,
  getCredential,
  type Holder,
  keyOf,
} from './store.js'

/** The members of a grant that decide which connection it belongs to. */
export interface GrantedAccount extends Holder {
  readonly provider: string
  readonly label?: string
  readonly accountLabel?: string
}

export type Reconnectable = Credential | DisconnectedConnection

const notFound = refuse('resource.not_found')

/** A connection by its id, connected or not; undefined for an id that the org never had or that was removed since. */
export function findConnection(reader: Reader, ref: CredentialRef): Reconnectable | undefined {
  return getCredential(reader, ref) ?? reader.get(disconnectedTable, [...keyOf(ref), ref.id])
}

/** Saves the identity of a connection that is being disconnected; removes the oldest beyond the limit. */
export function saveDisconnected(tx: Tx, credential: Credential, disconnectedAt: number): void {
  const { orgId, id, provider, label, accountLabel } = credential
  const disconnected = {
    orgId,
    id,
    provider,
    label,
    ...(accountLabel !== undefined && { accountLabel }),
    disconnectedAt,
  }
  const before = disconnectedConnectionsOf(tx, { orgId }).filter((each) => each.id !== id)
  for (const oldest of before.slice(limits.endedConnectionsPerOrg - 1)) removeDisconnected(tx, oldest)
  tx.put(disconnectedTable, [...keyOf({ orgId }), id], disconnected)
}

export function removeDisconnected(tx: Tx, { orgId, id }: CredentialRef): void {
  tx.remove(disconnectedTable, [...keyOf({ orgId }), id])
}

/**
 * The disconnected connection that a sign-in connects again: of the same provider and account, and of the label where
 * the sign-in has one. A connection whose provider named no account is found by its label alone.
 */
export function findDisconnected(reader: Reader, grant: GrantedAccount): DisconnectedConnection | undefined {
  const { orgId, provider, label, accountLabel } = grant
  const candidates = disconnectedConnectionsOf(reader, { orgId }).filter(
    (each) => each.provider === provider && each.accountLabel === accountLabel,
  )
  const wantedLabel = label ?? accountLabel ?? provider
  const match = candidates.find((each) => each.label === wantedLabel)
  return match ?? (label === undefined && accountLabel !== undefined ? candidates[0] : undefined)
}

/** The connection that a caller asked to connect again; a grant for another account is refused. */
export function findRequested(reader: Reader, grant: GrantedAccount, id: string): Reconnectable | Refusal {
  const { orgId, provider, accountLabel } = grant
  const connection = findConnection(reader, { orgId, id })
  if (connection?.provider !== provider) return notFound
  return connection.accountLabel === accountLabel ? connection : refuse('connection.other_account')
}
