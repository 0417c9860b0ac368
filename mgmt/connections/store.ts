/**
 * Tables of sign-ins: an org's connections in the org's shard, those of an agent's tools in the agent's. Both have the
 * same record, so that one set of commands serves both.
 */
import { formatAgentKey } from '../../core/agentref.js'
import type { Status } from '../../core/connections/status.js'
import { type Reader, table } from '../../runtime/store/contract.js'
import type { ConnectionView, OAuthStatusView } from './schema.js'

/** The holder of a sign-in: the org, or with `agentId` that agent. */
export interface Holder {
  readonly orgId: string
  readonly agentId?: string
}

/** A sign-in: `id` is a connection's for an org, and a tool's for an agent. */
export interface CredentialRef extends Holder {
  readonly id: string
}

export interface SealedTokens {
  readonly sealed: Uint8Array
  /** The id that the tokens are sealed for, under `sealedKind`. */
  readonly sealedFor: string
}

export interface Credential extends CredentialRef {
  readonly provider: string
  readonly label: string
  readonly accountLabel?: string
  readonly status: Status
  readonly lastError?: string
  readonly tokens: SealedTokens
  /** Changes with each set of tokens: a report about another revision is stale. */
  readonly revision: number
  /** Lock of the process that renews the tokens. */
  readonly renewalLockedUntil?: number
  readonly connectedAt: number
  readonly expiresAt?: number
  readonly lastUsedAt?: number
}

/**
 * The rest of a disconnected connection, without tokens and status, so that the same account gets its id back. An org
 * keeps a bounded number of them, the newest.
 */
export interface DisconnectedConnection extends CredentialRef {
  readonly provider: string
  readonly label: string
  readonly accountLabel?: string
  readonly disconnectedAt: number
}

/** A sign-in that was started and has not ended. */
export interface PendingSignIn extends Holder {
  readonly provider: string
  /** The tool that an agent signs in for. */
  readonly toolId?: string
  readonly label?: string
  /** The connection to connect again. */
  readonly connectionId?: string
  readonly returnTo?: string
  /** The PKCE verifier, sealed for the state hash. */
  readonly verifier: Uint8Array
  readonly expiresAt: number
}

type HolderKey = [orgId: string, agentId: string]

export const credentialTable = table<[...HolderKey, id: string], Credential>('connections')
export const disconnectedTable = table<[...HolderKey, id: string], DisconnectedConnection>('connections.disconnected')
/** By the hash of the random word in the state token. */
export const pendingTable = table<[...HolderKey, mark: string], PendingSignIn>('connections.pending')

/** The kind under which tokens and verifiers are sealed. */
export const sealedKind = 'oauth'

export function ownerOf({ orgId, agentId }: Holder): string {
  return agentId === undefined ? orgId : formatAgentKey({ orgId, agentId })
}

/** An empty agent id stands for the org: the id of an agent is a slug and never empty. */
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

/** Shows the last error only where the provider revoked the sign-in or an error stopped it. */
export function toolStatusOf(credential: Credential | undefined): OAuthStatusView {
  if (!credential) return { status: 'not-connected' }
  const { status, connectedAt, lastError } = credential
  const showsError = (status === 'revoked' || status === 'error') && lastError !== undefined
  return { status, connectedAt: iso(connectedAt), ...(showsError && { lastError }) }
}
