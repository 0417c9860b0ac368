/**
 * Where sign-ins are kept: an org's connections in the org's shard, those of an agent's tools in the agent's. Both are
 * the same record, so that one set of commands looks after them.
 */
import { formatAgentKey } from '../../core/agentref.js'
import type { Status } from '../../core/connections/status.js'
import { type Reader, table } from '../../runtime/store/contract.js'
import type { ConnectionView, OAuthStatusView } from './schema.js'

/** Whose sign-in it is: the org's, or with an agent that agent's. */
export interface Holder {
  readonly orgId: string
  readonly agentId?: string
}

/** One sign-in: the id is a connection's of an org, and a tool's of an agent. */
export interface CredentialRef extends Holder {
  readonly id: string
}

export interface SealedTokens {
  readonly sealed: Uint8Array
  /** What they were sealed for, under `sealedKind`. */
  readonly sealedFor: string
}

export interface Credential extends CredentialRef {
  readonly provider: string
  readonly label: string
  readonly accountLabel?: string
  readonly status: Status
  readonly lastError?: string
  readonly tokens: SealedTokens
  /** Another number for each set of tokens: what is reported of others is old news. */
  readonly revision: number
  /** Until when somebody renews the tokens, and nobody else may. */
  readonly renewalLockedUntil?: number
  readonly connectedAt: number
  readonly expiresAt?: number
  readonly lastUsedAt?: number
}

/**
 * What is left of a disconnected connection, so that the same account gets its id back: no token and no status. An org
 * keeps a bounded number of them, the newest.
 */
export interface DisconnectedConnection extends CredentialRef {
  readonly provider: string
  readonly label: string
  readonly accountLabel?: string
  readonly disconnectedAt: number
}

/** A sign-in that was started and has not come to its end. */
export interface PendingSignIn extends Holder {
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
export const disconnectedTable = table<[...HolderKey, id: string], DisconnectedConnection>('connections.disconnected')
/** By the hash of the word that only the state token holds. */
export const pendingTable = table<[...HolderKey, mark: string], PendingSignIn>('connections.pending')

/** The kind under which tokens and verifiers are sealed. */
export const sealedKind = 'oauth'

export function ownerOf({ orgId, agentId }: Holder): string {
  return agentId === undefined ? orgId : formatAgentKey({ orgId, agentId })
}

/** The id of an agent is a slug and never empty. */
export function keyOf({ orgId, agentId = '' }: Holder): HolderKey {
  return [orgId, agentId]
}

export function getCredential(reader: Reader, ref: CredentialRef): Credential | undefined {
  return reader.get(credentialTable, [...keyOf(ref), ref.id])
}

/** A holder's sign-ins, oldest first. */
export function credentialsOf(reader: Reader, holder: Holder): Credential[] {
  const rows = Array.from(reader.range(credentialTable, { prefix: keyOf(holder) }), ({ value }) => value)
  return rows.sort((a, b) => a.connectedAt - b.connectedAt || (a.id < b.id ? -1 : 1))
}

/** An org's disconnected connections, newest first. */
export function disconnectedConnectionsOf(reader: Reader, holder: Holder): DisconnectedConnection[] {
  const rows = Array.from(reader.range(disconnectedTable, { prefix: keyOf(holder) }), ({ value }) => value)
  return rows.sort((a, b) => b.disconnectedAt - a.disconnectedAt || (a.id < b.id ? -1 : 1))
}

const iso = (at: number) => new Date(at).toISOString()

export function connectionView(credential: Credential): Omit<ConnectionView, 'usedBy'> {
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
  const showsError = (status === 'revoked' || status === 'error') && lastError !== undefined
  return { status, connectedAt: iso(connectedAt), ...(showsError && { lastError }) }
}
