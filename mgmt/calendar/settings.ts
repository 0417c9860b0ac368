/** Which calendar an agent has: its bound and enabled calendar tool, and the sign-in by which it is reached. */
import { hash } from 'node:crypto'
import { findItem } from '../../core/agent/index.js'
import { connectionOf } from '../../core/agent/toolbindings.js'
import type { AgentRef } from '../../core/agentref.js'
import { calendar as limits } from '../../core/limits/index.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import { secretsOf } from '../agents/secrets.js'
import { type CredentialRef, getCredential } from '../connections/store.js'

export const calendarTool = '@svc/tool.calendar'

export type SignIn =
  | { readonly kind: 'password'; readonly username: string; readonly sealed: Uint8Array }
  /** A connection of the org, or the tool's own sign-in. */
  | { readonly kind: 'token'; readonly ref: CredentialRef }

export interface CalendarSettings {
  readonly url: string
  readonly bufferMinutes: number
  /** The agent's zone, for a calendar that names none. */
  readonly zone: string
  readonly signIn: SignIn
  /** Differs after a change of any of this. */
  readonly digest: string
}

export function settingsQuery(documents: Pick<AgentDocuments, 'load'>): Query<AgentRef, CalendarSettings | null> {
  return {
    name: 'calendar.settings',
    read(reader, { orgId, agentId }) {
      const agent = { orgId, agentId }
      const document = documents.load(reader, agent, ['toolBindings', 'scheduling'])?.document
      const binding = document && findItem(document, 'toolBindings', calendarTool)
      if (!binding?.enabled) return null
      const { calendarUrl: url, bufferMinutes: minutes } = binding.config
      const signIn = signInOf(reader, agent, binding.config)
      if (typeof url !== 'string' || !signIn) return null
      const bufferMinutes = typeof minutes === 'number' ? Math.min(Math.max(minutes, 0), limits.bufferMinutes) : 0
      const zone = document?.scheduling?.timezone ?? 'UTC'
      const identity =
        signIn.kind === 'token' ? signIn.ref : [signIn.username, Buffer.from(signIn.sealed).toString('base64')]
      const digest = hash('sha256', JSON.stringify([orgId, agentId, url, bufferMinutes, zone, identity]), 'base64url')
      return { url, bufferMinutes, zone, signIn, digest }
    },
  }
}

/** A connection that the config names, else a password, else the sign-in of the tool itself. */
function signInOf(reader: Reader, agent: AgentRef, config: Readonly<Record<string, unknown>>): SignIn | undefined {
  const connectionId = connectionOf(calendarTool, config)
  if (connectionId !== undefined) return { kind: 'token', ref: { orgId: agent.orgId, id: connectionId } }
  const sealed = secretsOf(reader, agent, 'toolBindings', calendarTool).get(passwordField)?.sealed
  if (typeof config.username === 'string' && sealed) return { kind: 'password', username: config.username, sealed }
  const ref = { ...agent, id: calendarTool }
  return getCredential(reader, ref) ? { kind: 'token', ref } : undefined
}

export const passwordField = 'password'
