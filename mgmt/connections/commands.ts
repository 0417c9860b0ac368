/** The commands that save, renew, report on and end sign-ins, and the changes that come with an agent's. */
import type { AgentDocument } from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import { type ConnectionState, nextState, type Trigger } from '../../core/connections/status.js'
import { type Refusal, refuse } from '../../core/errors.js'
import { oauth as limits } from '../../core/limits/index.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { pendingCommands, removeAllPending } from './pending.js'
import {
  findDisconnected,
  findRequested,
  type Reconnectable,
  removeDisconnected,
  saveDisconnected,
} from './reconnection.js'
import { type Revocation, revocationEffect } from './revocation.js'
import {
  type Credential,
  type CredentialRef,
  credentialsOf,
  credentialTable,
  getCredential,
  type Holder,
  keyOf,
  type SealedTokens,
} from './store.js'

/** A grant that a provider has just issued. */
export interface NewGrant extends Holder {
  readonly provider: string
  readonly toolId?: string
  readonly label?: string
  readonly accountLabel?: string
  /** The connection to connect again. */
  readonly connectionId?: string
  readonly tokens: SealedTokens
  readonly expiresAt?: number
}

/** A statement about the tokens of one revision; it does not apply to any other revision. */
interface TokenRevision extends CredentialRef {
  readonly revision: number
}

export interface UseReport extends TokenRevision {
  readonly on: Extract<Trigger, 'refreshFailed' | 'grantRejected' | 'callFailed' | 'callSucceeded'>
  readonly lastError?: string
}

export interface RenewedTokens extends TokenRevision {
  readonly tokens: SealedTokens
  readonly expiresAt?: number
}

const notFound = refuse('resource.not_found')
const tooMany = refuse('request.invalid')

/** `orgEvent` is the command that sends an event to the org's webhooks. */
export function createConnectionCommands(orgEvent: Command<OrgEventPayload, unknown>) {
  /** Writes a credential, and sends the org an event if its status has changed. */
  function saveCredential(tx: Tx, credential: Credential, from: ConnectionState): void {
    tx.put(credentialTable, [...keyOf(credential), credential.id], credential)
    if (credential.status !== from) emitStatusChanged(tx, credential, from, credential.status)
  }

  function emitStatusChanged(tx: Tx, credential: Credential, from: ConnectionState, to: ConnectionState): void {
    const { orgId, agentId, id, provider, label, lastError } = credential
    const subject = agentId === undefined ? { id, provider, label } : { toolId: id, provider }
    const showsError = lastError !== undefined && to !== 'not-connected'
    const data = { ...subject, from, to, ...(showsError && { lastError }) }
    tx.send(orgId, orgEvent, {
      type: 'connection.status_changed',
      orgId,
      ...(agentId !== undefined && { agentId }),
      data,
    })
  }

  /** Provider and label identify a connection: a new grant for them keeps the id and the agents that use it. */
  const saveGrant: Command<NewGrant, { readonly id: string }> = {
    name: 'connections.saveGrant',
    decide(tx, { toolId, ...grant }, meta) {
      const target = toolId === undefined ? connectionTarget(tx, grant, meta) : toolTarget(tx, grant, toolId)
      if ('refused' in target) return target
      const { id, label, before } = target
      const { orgId, agentId, provider, accountLabel, tokens, expiresAt } = grant
      const granted: Credential = {
        orgId,
        ...(agentId !== undefined && { agentId }),
        id,
        provider,
        label,
        ...(accountLabel !== undefined && { accountLabel }),
        status: 'connected',
        tokens,
        revision: (before?.revision ?? 0) + 1,
        connectedAt: meta.at,
        ...(expiresAt !== undefined && { expiresAt }),
        ...(before?.lastUsedAt !== undefined && { lastUsedAt: before.lastUsedAt }),
      }
      if (agentId === undefined) removeDisconnected(tx, { orgId, id })
      saveCredential(
        tx,
        applyTransition(granted, before?.status ?? 'not-connected', 'granted'),
        before?.status ?? 'not-connected',
      )
      return { id }
    },
  }

  interface GrantTarget {
    readonly id: string
    readonly label: string
    readonly before?: Credential
  }

  function toolTarget(tx: Tx, { orgId, agentId = '', provider }: NewGrant, toolId: string): GrantTarget | Refusal {
    if (!findAgent(tx, { orgId, agentId })) return notFound
    const before = getCredential(tx, { orgId, agentId, id: toolId })
    return { id: toolId, label: provider, ...(before && { before }) }
  }

  function connectionTarget(tx: Tx, grant: NewGrant, { mint }: CommandMeta): GrantTarget | Refusal {
    if (grant.connectionId !== undefined) {
      const connection = findRequested(tx, grant, grant.connectionId)
      return 'refused' in connection ? connection : reconnect(tx, connection)
    }
    const label = grant.label ?? grant.accountLabel ?? grant.provider
    const all = credentialsOf(tx, grant)
    const before = all.find((each) => each.provider === grant.provider && each.label === label)
    if (before) return { id: before.id, label, before }
    const disconnected = findDisconnected(tx, grant)
    if (disconnected) return reconnect(tx, disconnected)
    if (all.length >= limits.connectionsPerOrg) return tooMany
    return { id: mint('conn'), label }
  }

  function reconnect(tx: Tx, { orgId, id, label }: Reconnectable): GrantTarget | Refusal {
    const before = getCredential(tx, { orgId, id })
    if (before) return { id, label, before }
    return credentialsOf(tx, { orgId }).length >= limits.connectionsPerOrg ? tooMany : { id, label }
  }

  const report: Command<UseReport, boolean> = {
    name: 'connections.report',
    decide(tx, { on, lastError, revision, ...ref }, { at }) {
      const before = getCredential(tx, ref)
      if (before?.revision !== revision) return false
      const { lastError: lastErrorBefore, renewalLockedUntil: _until, ...rest } = before
      const after = applyTransition(on === 'callSucceeded' ? { ...rest, lastUsedAt: at } : rest, before.status, on)
      const error =
        after.status === 'connected' ? undefined : (lastError?.slice(0, limits.lastErrorChars) ?? lastErrorBefore)
      saveCredential(tx, error === undefined ? after : { ...after, lastError: error }, before.status)
      return true
    },
  }

  /** Grants the renewal to one process at a time: providers treat a refresh token that is used twice as stolen. */
  const claimRenewal: Command<TokenRevision, 'claimed' | 'busy' | 'changed'> = {
    name: 'connections.claimRenewal',
    decide(tx, { revision, ...ref }, { at }) {
      const before = getCredential(tx, ref)
      if (before?.revision !== revision) return 'changed'
      if (before.renewalLockedUntil !== undefined && before.renewalLockedUntil > at) return 'busy'
      tx.put(credentialTable, [...keyOf(ref), ref.id], { ...before, renewalLockedUntil: at + limits.renewalMs })
      return 'claimed'
    },
  }

  const releaseRenewal: Command<TokenRevision, true> = {
    name: 'connections.releaseRenewal',
    decide(tx, { revision, ...ref }) {
      const before = getCredential(tx, ref)
      if (before?.revision !== revision) return true
      const { renewalLockedUntil: _until, ...rest } = before
      tx.put(credentialTable, [...keyOf(ref), ref.id], rest)
      return true
    },
  }

  /**
   * False when the credential was connected again, or ended, during the renewal: the caller then revokes the new
   * tokens.
   */
  const saveRenewed: Command<RenewedTokens, boolean> = {
    name: 'connections.saveRenewed',
    decide(tx, { tokens, expiresAt, revision, ...ref }) {
      const before = getCredential(tx, ref)
      if (before?.revision !== revision) return false
      const { renewalLockedUntil: _until, expiresAt: _before, ...rest } = before
      const after = { ...rest, tokens, revision: revision + 1, ...(expiresAt !== undefined && { expiresAt }) }
      tx.put(credentialTable, [...keyOf(ref), ref.id], after)
      return true
    },
  }

  /** Removes the credential in this commit; an effect revokes the grant at the provider afterwards, with retries. */
  const disconnect: Command<CredentialRef, boolean> = {
    name: 'connections.disconnect',
    decide(tx, ref, { at }) {
      const { orgId, agentId } = ref
      if (agentId !== undefined && !findAgent(tx, { orgId, agentId })) return notFound
      const before = agentId === undefined ? getCredential(tx, ref) : undefined
      if (before) saveDisconnected(tx, before, at)
      return disconnectCredential(tx, ref)
    },
  }

  function disconnectCredential(tx: Tx, ref: CredentialRef): boolean {
    const credential = getCredential(tx, ref)
    if (!credential) return false
    removeCredential(tx, credential)
    emitStatusChanged(tx, credential, credential.status, nextState(credential.status, 'disconnected')!)
    return true
  }

  /** Called in the commit that deletes an agent. */
  function removed(tx: Tx, { orgId, agentId }: AgentRef): void {
    removeAllPending(tx, { orgId, agentId })
    for (const credential of credentialsOf(tx, { orgId, agentId })) removeCredential(tx, credential)
  }

  /**
   * Ends the sign-in of a tool when a change of the document removes the tool's binding; other secrets of the tool go
   * likewise.
   */
  function onDocumentChanged(tx: Tx, agent: AgentRef, before: AgentDocument, after: AgentDocument): undefined {
    if (before.toolBindings === after.toolBindings) return
    const remaining = new Set(after.toolBindings.map(({ toolId }) => toolId))
    for (const { toolId: id } of before.toolBindings) if (!remaining.has(id)) disconnectCredential(tx, { ...agent, id })
  }

  const commands = { ...pendingCommands, saveGrant, report, claimRenewal, releaseRenewal, saveRenewed, disconnect }
  return { commands, removed, onDocumentChanged }
}
export type ConnectionCommands = ReturnType<typeof createConnectionCommands>['commands']

/** Keeps the status where the state machine has no such transition. */
function applyTransition(credential: Credential, from: ConnectionState, on: Trigger): Credential {
  const to = nextState(from, on)
  return to === undefined || to === 'not-connected' ? credential : { ...credential, status: to }
}

function removeCredential(tx: Tx, credential: Credential): void {
  const { orgId, provider, tokens } = credential
  tx.remove(credentialTable, [...keyOf(credential), credential.id])
  const payload: Revocation = { orgId, provider, tokens }
  tx.emit({ kind: revocationEffect, payload, destination: provider })
}
