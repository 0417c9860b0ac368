/** Disconnected connections: remembered without their tokens, so that a sign-in with the same account keeps their id. */
import { type Refusal, refuse } from '../../core/errors.js'
import { oauth as limits } from '../../core/limits.js'
import type { Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import {
  type Credential,
  credentialAt,
  type EndedConnection,
  endedConnectionsOf,
  endedTable,
  type Holder,
  keyOf,
  type Place,
} from './store.js'

/** The sign-in that a provider granted, as far as it decides which connection it is. */
export interface GrantedAccount extends Holder {
  readonly provider: string
  readonly label?: string
  readonly accountLabel?: string
}

export type Reconnectable = Credential | EndedConnection

const notFound = refuse('resource.not_found')

/** A connection by its id, connected or not; undefined for an id that the org never had or no longer remembers. */
export function findConnection(reader: Reader, place: Place): Reconnectable | undefined {
  return credentialAt(reader, place) ?? reader.get(endedTable, [...keyOf(place), place.id])
}

/** Keeps what identifies a connection that is being disconnected; the oldest beyond the limit is removed. */
export function rememberEnded(tx: Tx, credential: Credential, endedAt: number): void {
  const { orgId, id, provider, label, accountLabel } = credential
  const ended = { orgId, id, provider, label, ...(accountLabel !== undefined && { accountLabel }), endedAt }
  const before = endedConnectionsOf(tx, { orgId }).filter((each) => each.id !== id)
  for (const oldest of before.slice(limits.endedConnectionsPerOrg - 1)) forgetEnded(tx, oldest)
  tx.put(endedTable, [...keyOf({ orgId }), id], ended)
}

export function forgetEnded(tx: Tx, { orgId, id }: Place): void {
  tx.remove(endedTable, [...keyOf({ orgId }), id])
}

/**
 * The disconnected connection that a sign-in connects again: of the same provider and account, and of the label where
 * the sign-in has one. A connection whose provider named no account is found by its label alone.
 */
export function findEnded(reader: Reader, grant: GrantedAccount): EndedConnection | undefined {
  const { orgId, provider, label, accountLabel } = grant
  const same = endedConnectionsOf(reader, { orgId }).filter(
    (each) => each.provider === provider && each.accountLabel === accountLabel,
  )
  const wanted = label ?? accountLabel ?? provider
  const named = same.find((each) => each.label === wanted)
  return named ?? (label === undefined && accountLabel !== undefined ? same[0] : undefined)
}

/** The connection that a caller asked to connect again; another account than it had is refused. */
export function findAsked(reader: Reader, grant: GrantedAccount, id: string): Reconnectable | Refusal {
  const { orgId, provider, accountLabel } = grant
  const found = findConnection(reader, { orgId, id })
  if (found?.provider !== provider) return notFound
  return found.accountLabel === accountLabel ? found : refuse('connection.other_account')
}
