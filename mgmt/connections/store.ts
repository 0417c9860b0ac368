/**
 * Where sign-ins are kept: an org's connections in the org's shard, those of an agent's tools in the agent's. Both are
 * the same record, so that one set of commands looks after them.
 */
import { agentKeyOf } from '../../core/agentkey.js'
import type { Status } from '../../core/connections/status.js'
import { type Reader, table } from '../../runtime/store/contract.js'
import type { ConnectionView, OAuthStatusView } from './schema.js'

/** Whose sign-in it is: the org's, or with an agent that agent's. */
export interface Holder {
  readonly orgId: string
  readonly agentId?: string
}

/** One sign-in: the id is a connection's of an org, and a tool's of an agent. */
export interface Place extends Holder {
  readonly id: string
}

export interface SealedTokens {
  readonly sealed: Uint8Array
  /** What they were sealed for, under `sealedKind`. */
  readonly sealedFor: string
}

export interface Credential extends Place {
  readonly provider: string
  readonly label: string
  readonly accountLabel?: string
  readonly status: Status
  readonly lastError?: string
  readonly tokens: SealedTokens
  /** Another number for each set of tokens: what is reported of others is old news. */
  readonly revision: number
  /** Until when somebody renews the tokens, and nobody else may. */
  readonly renewedUntil?: number
  readonly connectedAt: number
  readonly expiresAt?: number
  readonly lastUsedAt?: number
}

/**
 * What is left of a disconnected connection, so that the same account gets its id back: no token and no status. An org
 * keeps a bounded number of them, the newest.
 */
export interface EndedConnection extends Place {
  readonly provider: string
  readonly label: string
  readonly accountLabel?: string
  readonly endedAt: number
}

/** A sign-in that was started and has not come to its end. */
export interface Pending extends Holder {
  readonly provider: string
  /** The tool that an agent signs in for. */
  readonly toolId?: string
  readonly label?: string
  /** The connection that is to be connected again. */
  readonly connectionId?: string
  readonly returnTo?: string
  /** The PKCE verifier, sealed for the mark. */
  readonly verifier: Uint8Array
  readonly expiresAt: number
}

type HolderKey = [orgId: string, agentId: string]

export const credentialTable = table<[...HolderKey, id: string], Credential>('connections')
export const endedTable = table<[...HolderKey, id: string], EndedConnection>('connections.ended')
/** By the hash of the word that only the state token holds. */
export const pendingTable = table<[...HolderKey, mark: string], Pending>('connections.pending')

/** The kind under which tokens and verifiers are sealed. */
export const sealedKind = 'oauth'

export function ownerOf({ orgId, agentId }: Holder): string {
  return agentId === undefined ? orgId : agentKeyOf({ orgId, agentId })
}

/** The id of an agent is a slug and never empty. */
export function keyOf({ orgId, agentId = '' }: Holder): HolderKey {
  return [orgId, agentId]
}

export function credentialAt(reader: Reader, place: Place): Credential | undefined {
  return reader.get(credentialTable, [...keyOf(place), place.id])
}

/** A holder's sign-ins, oldest first. */
export function credentialsOf(reader: Reader, holder: Holder): Credential[] {
  const found = Array.from(reader.range(credentialTable, { prefix: keyOf(holder) }), ({ value }) => value)
  return found.sort((a, b) => a.connectedAt - b.connectedAt || (a.id < b.id ? -1 : 1))
}

/** An org's disconnected connections, newest first. */
export function endedConnectionsOf(reader: Reader, holder: Holder): EndedConnection[] {
  const found = Array.from(reader.range(endedTable, { prefix: keyOf(holder) }), ({ value }) => value)
  return found.sort((a, b) => b.endedAt - a.endedAt || (a.id < b.id ? -1 : 1))
}

const iso = (at: number) => new Date(at).toISOString()

export function connectionAsRead(credential: Credential): Omit<ConnectionView, 'usedBy'> {
  const { id, provider, label, accountLabel, status, lastError, expiresAt, lastUsedAt } = credential
  return {
    id,
    provider,
    label,
    ...(accountLabel !== undefined && { accountLabel }),
    status,
    ...(lastError !== undefined && { lastError }),
    ...(expiresAt !== undefined && { expiresAt: iso(expiresAt) }),
    ...(lastUsedAt !== undefined && { lastUsedAt: iso(lastUsedAt) }),
  }
}

/** Only a sign-in that a provider took back, or that met with an error, tells of its last one. */
export function toolStatusOf(credential: Credential | undefined): OAuthStatusView {
  if (!credential) return { status: 'not-connected' }
  const { status, connectedAt, lastError } = credential
  const tells = (status === 'revoked' || status === 'error') && lastError !== undefined
  return { status, connectedAt: iso(connectedAt), ...(tells && { lastError }) }
}
