/** The audit trail of an org in its shard: entries by time, appended, never changed, and removed when they are old. */
import type { Actor } from '../../core/access.js'
import type { AgentRef } from '../../core/agentref.js'
import { audit as limits } from '../../core/limits/access.js'
import type { Command, Query } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import { orgTable } from '../orgs/store.js'
import { isActivity } from './actions.js'
import type { AuditEntry } from './schema.js'

/** The content of an entry beside its id and time. Ids only: never a secret, a body or an address of a person. */
export interface AuditEvent {
  readonly actor: Actor
  readonly action: string
  readonly agentId?: string
  readonly target?: string
  readonly requestId?: string
  readonly code?: string
  readonly count?: number
}

type StoredEntry = AuditEvent & { readonly id: string }
export type AuditPosition = readonly [at: number, id: string]

const auditTable = table<[orgId: string, at: number, id: string], StoredEntry>('audit')
/** Index from an agent to the audit entries that its activity lists. */
const agentTable = table<[orgId: string, agentId: string, at: number, id: string], true>('audit.agents')

export interface AuditTrailQuery {
  readonly orgId: string
  readonly actor?: string
  readonly action?: string
  readonly start?: number
  readonly end?: number
  readonly limit: number
  readonly before?: AuditPosition
}

export interface AgentAuditQuery extends AgentRef {
  /** When the agent was created: an earlier entry may be about another agent of the same id. */
  readonly since: number
  readonly before?: AuditPosition
  readonly limit: number
  readonly now: number
}

export function createAuditStore({ timeScale }: { readonly timeScale: number }) {
  /** Writes nothing for an org that does not exist: callers may name any org. */
  const record: Command<{ readonly orgId: string; readonly event: AuditEvent }, boolean> = {
    name: 'audit.record',
    decide(tx, { orgId, event }, { at, mint }) {
      if (!tx.get(orgTable, [orgId])) return false
      const id = mint('aud')
      tx.put(auditTable, [orgId, at, id], { ...event, id })
      const { agentId, action } = event
      if (agentId !== undefined && isActivity(action)) tx.put(agentTable, [orgId, agentId, at, id], true)
      const cutoff = at - limits.retentionMs / timeScale
      const oldest = [...tx.range(auditTable, { prefix: [orgId], limit: limits.removedPerWrite })]
      for (const { key, value } of oldest) {
        if (key[1] >= cutoff) break
        tx.remove(auditTable, key)
        if (value.agentId !== undefined) tx.remove(agentTable, [orgId, value.agentId, key[1], key[2]])
      }
      return true
    },
  }

  /**
   * Newest first. One call reads a bounded number of entries; `last` is the position to continue from, absent at the
   * end.
   */
  const list: Query<AuditTrailQuery & { readonly now: number }, { data: AuditEntry[]; last?: AuditPosition }> = {
    name: 'audit.list',
    read(reader, { orgId, actor, action, start = 0, end, limit, before, now }) {
      const from = Math.max(start, now - limits.retentionMs / timeScale)
      const after = before ? [orgId, ...before] : end === undefined ? undefined : [orgId, end]
      const data: AuditEntry[] = []
      let scanned = 0
      for (const { key, value } of reader.range(auditTable, { prefix: [orgId], after, reverse: true })) {
        const [, at, id] = key
        if (at < from) return { data }
        if (!matches(value, actor, action)) {
          if (++scanned >= limits.scannedPerCall) return { data, last: [at, id] }
          continue
        }
        data.push(entryView(value, at))
        if (data.length >= limit) return { data, last: [at, id] }
      }
      return { data }
    },
  }

  /** Audit entries that an agent's activity lists, newest first: after position `before`, none older than `since`. */
  const ofAgent: Query<AgentAuditQuery, AuditEntry[]> = {
    name: 'audit.ofAgent',
    read(reader, { orgId, agentId, since, before, limit, now }) {
      const from = Math.max(since, now - limits.retentionMs / timeScale)
      const after = before && [orgId, agentId, ...before]
      const rows = reader.range(agentTable, { prefix: [orgId, agentId], after, reverse: true, limit })
      return Array.from(rows, ({ key: [, , at, id] }) => [at, id] as const)
        .filter(([at]) => at >= from)
        .flatMap(([at, id]) => {
          const entry = reader.get(auditTable, [orgId, at, id])
          return entry ? [entryView(entry, at)] : []
        })
    },
  }

  return { commands: { record }, queries: { list, ofAgent } }
}
export type AuditStore = ReturnType<typeof createAuditStore>

/** An action matches itself and every action that begins with it and a dot. */
function matches({ actor: entryActor, action: entryAction }: StoredEntry, actor?: string, action?: string): boolean {
  if (actor !== undefined && entryActor.id !== actor && entryActor.keyId !== actor) return false
  return action === undefined || entryAction === action || entryAction.startsWith(`${action}.`)
}

function entryView({ id, ...event }: StoredEntry, at: number): AuditEntry {
  return { id, at: new Date(at).toISOString(), ...event }
}
