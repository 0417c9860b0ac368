/** The commands that keep, renew, judge and end sign-ins, and what of them goes with an agent. */
import type { AgentDocument } from '../../core/agent/index.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { type Standing, type Trigger, walk } from '../../core/connections/status.js'
import { type Refusal, refuse } from '../../core/errors.js'
import { oauth as limits } from '../../core/limits.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { forgetAllPending, pendingCommands } from './pending.js'
import { findAsked, findEnded, forgetEnded, type Reconnectable, rememberEnded } from './reconnect.js'
import { type Revocation, revocationEffect } from './revoke.js'
import {
  type Credential,
  credentialAt,
  credentialsOf,
  credentialTable,
  type Holder,
  keyOf,
  type Place,
  type SealedTokens,
} from './store.js'

/** A grant that a provider has just given. */
export interface KeepGrant extends Holder {
  readonly provider: string
  readonly toolId?: string
  readonly label?: string
  readonly accountLabel?: string
  /** The connection that is to be connected again. */
  readonly connectionId?: string
  readonly tokens: SealedTokens
  readonly expiresAt?: number
}

/** What is said about the tokens of one revision; it counts for no others. */
interface AboutTokens extends Place {
  readonly revision: number
}

export interface ReportUse extends AboutTokens {
  readonly on: Extract<Trigger, 'refreshFailed' | 'grantRejected' | 'callFailed' | 'callSucceeded'>
  readonly lastError?: string
}

export interface Renewed extends AboutTokens {
  readonly tokens: SealedTokens
  readonly expiresAt?: number
}

const notFound = refuse('resource.not_found')
const tooMany = refuse('request.invalid')

/** `orgEvent` is the command by which the org's webhooks are told. */
export function createConnectionCommands(orgEvent: Command<OrgEventPayload, unknown>) {
  /** Keeps a credential, and tells the org of the status it has come to, if that is another one. */
  function saved(tx: Tx, credential: Credential, from: Standing): void {
    tx.put(credentialTable, [...keyOf(credential), credential.id], credential)
    if (credential.status !== from) announce(tx, credential, from, credential.status)
  }

  function announce(tx: Tx, credential: Credential, from: Standing, to: Standing): void {
    const { orgId, agentId, id, provider, label, lastError } = credential
    const named = agentId === undefined ? { id, provider, label } : { toolId: id, provider }
    const told = lastError !== undefined && to !== 'not-connected'
    const data = { ...named, from, to, ...(told && { lastError }) }
    tx.tell(orgId, orgEvent, {
      type: 'connection.status_changed',
      orgId,
      ...(agentId !== undefined && { agentId }),
      data,
    })
  }

  /** A provider and a label name one connection: granted again, it keeps its id and whoever uses it. */
  const keep: Command<KeepGrant, { readonly id: string }> = {
    name: 'connections.keep',
    decide(tx, { toolId, ...grant }, told) {
      const place = toolId === undefined ? connectionOf(tx, grant, told) : toolOf(tx, grant, toolId)
      if ('refused' in place) return place
      const { id, label, before } = place
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
        connectedAt: told.at,
        ...(expiresAt !== undefined && { expiresAt }),
        ...(before?.lastUsedAt !== undefined && { lastUsedAt: before.lastUsedAt }),
      }
      if (agentId === undefined) forgetEnded(tx, { orgId, id })
      saved(tx, moved(granted, before?.status ?? 'not-connected', 'granted'), before?.status ?? 'not-connected')
      return { id }
    },
  }

  interface Found {
    readonly id: string
    readonly label: string
    readonly before?: Credential
  }

  function toolOf(tx: Tx, { orgId, agentId = '', provider }: KeepGrant, toolId: string): Found | Refusal {
    if (!findAgent(tx, { orgId, agentId })) return notFound
    const before = credentialAt(tx, { orgId, agentId, id: toolId })
    return { id: toolId, label: provider, ...(before && { before }) }
  }

  function connectionOf(tx: Tx, grant: KeepGrant, { mint }: Told): Found | Refusal {
    if (grant.connectionId !== undefined) {
      const asked = findAsked(tx, grant, grant.connectionId)
      return 'refused' in asked ? asked : connectedAgain(tx, asked)
    }
    const label = grant.label ?? grant.accountLabel ?? grant.provider
    const all = credentialsOf(tx, grant)
    const before = all.find((each) => each.provider === grant.provider && each.label === label)
    if (before) return { id: before.id, label, before }
    const ended = findEnded(tx, grant)
    if (ended) return connectedAgain(tx, ended)
    if (all.length >= limits.connectionsPerOrg) return tooMany
    return { id: mint('conn'), label }
  }

  function connectedAgain(tx: Tx, { orgId, id, label }: Reconnectable): Found | Refusal {
    const before = credentialAt(tx, { orgId, id })
    if (before) return { id, label, before }
    return credentialsOf(tx, { orgId }).length >= limits.connectionsPerOrg ? tooMany : { id, label }
  }

  const report: Command<ReportUse, boolean> = {
    name: 'connections.report',
    decide(tx, { on, lastError, revision, ...place }, { at }) {
      const before = credentialAt(tx, place)
      if (before?.revision !== revision) return false
      const { lastError: last, renewedUntil: _until, ...rest } = before
      const after = moved(on === 'callSucceeded' ? { ...rest, lastUsedAt: at } : rest, before.status, on)
      const why = after.status === 'connected' ? undefined : (lastError?.slice(0, limits.lastErrorChars) ?? last)
      saved(tx, why === undefined ? after : { ...after, lastError: why }, before.status)
      return true
    },
  }

  /** Lets one process renew, however many want to: providers take a refresh token that comes twice for a stolen one. */
  const claim: Command<AboutTokens, 'yours' | 'taken' | 'changed'> = {
    name: 'connections.claim',
    decide(tx, { revision, ...place }, { at }) {
      const before = credentialAt(tx, place)
      if (before?.revision !== revision) return 'changed'
      if (before.renewedUntil !== undefined && before.renewedUntil > at) return 'taken'
      tx.put(credentialTable, [...keyOf(place), place.id], { ...before, renewedUntil: at + limits.renewalMs })
      return 'yours'
    },
  }

  const release: Command<AboutTokens, true> = {
    name: 'connections.release',
    decide(tx, { revision, ...place }) {
      const before = credentialAt(tx, place)
      if (before?.revision !== revision) return true
      const { renewedUntil: _until, ...rest } = before
      tx.put(credentialTable, [...keyOf(place), place.id], rest)
      return true
    },
  }

  /** False when it was connected again, or ended, while it was being renewed: then the new tokens are nobody's. */
  const renewed: Command<Renewed, boolean> = {
    name: 'connections.renewed',
    decide(tx, { tokens, expiresAt, revision, ...place }) {
      const before = credentialAt(tx, place)
      if (before?.revision !== revision) return false
      const { renewedUntil: _until, expiresAt: _before, ...rest } = before
      const after = { ...rest, tokens, revision: revision + 1, ...(expiresAt !== undefined && { expiresAt }) }
      tx.put(credentialTable, [...keyOf(place), place.id], after)
      return true
    },
  }

  /** The credential goes now; the provider is told once that is on record, for as long as that takes. */
  const disconnect: Command<Place, boolean> = {
    name: 'connections.disconnect',
    decide(tx, place, { at }) {
      const { orgId, agentId } = place
      if (agentId !== undefined && !findAgent(tx, { orgId, agentId })) return notFound
      const before = agentId === undefined ? credentialAt(tx, place) : undefined
      if (before) rememberEnded(tx, before, at)
      return dropped(tx, place)
    },
  }

  function dropped(tx: Tx, place: Place): boolean {
    const credential = credentialAt(tx, place)
    if (!credential) return false
    end(tx, credential)
    announce(tx, credential, credential.status, walk(credential.status, 'disconnected')!)
    return true
  }

  /** Called in the commit that deletes an agent. */
  function removed(tx: Tx, { orgId, agentId }: AgentPlace): void {
    forgetAllPending(tx, { orgId, agentId })
    for (const credential of credentialsOf(tx, { orgId, agentId })) end(tx, credential)
  }

  /** Ends the sign-in of a tool whose binding a change of the document takes away, as its other secrets go. */
  function onDocumentChanged(tx: Tx, place: AgentPlace, before: AgentDocument, after: AgentDocument): undefined {
    if (before.toolBindings === after.toolBindings) return
    const left = new Set(after.toolBindings.map(({ toolId }) => toolId))
    for (const { toolId: id } of before.toolBindings) if (!left.has(id)) dropped(tx, { ...place, id })
  }

  const commands = { ...pendingCommands, keep, report, claim, release, renewed, disconnect }
  return { commands, removed, onDocumentChanged }
}
export type ConnectionCommands = ReturnType<typeof createConnectionCommands>['commands']

/** Where the table has no such move the status stays. */
function moved(credential: Credential, from: Standing, on: Trigger): Credential {
  const to = walk(from, on)
  return to === undefined || to === 'not-connected' ? credential : { ...credential, status: to }
}

function end(tx: Tx, credential: Credential): void {
  const { orgId, provider, tokens } = credential
  tx.remove(credentialTable, [...keyOf(credential), credential.id])
  const payload: Revocation = { orgId, provider, tokens }
  tx.effect({ kind: revocationEffect, payload, destination: provider })
}
