/** The audit trail of an org in its shard: entries by time, appended and never changed, and dropped when they are old. */
import type { Actor } from '../../core/access.js'
import { audit as limits } from '../../core/accesslimits.js'
import type { AgentPlace } from '../../core/agentkey.js'
import type { Command, Query } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import { orgTable } from '../orgs/store.js'
import { isActivity } from './actions.js'
import type { AuditEntry } from './schema.js'

/** What an entry says beside its id and time. Ids only: never a secret, a body or an address of a person. */
export interface Noted {
  readonly actor: Actor
  readonly action: string
  readonly agentId?: string
  readonly target?: string
  readonly requestId?: string
  readonly code?: string
  readonly count?: number
}

type Kept = Noted & { readonly id: string }
export type AuditPosition = readonly [at: number, id: string]

const auditTable = table<[orgId: string, at: number, id: string], Kept>('audit')
/** Leads from an agent to the entries about it that its activity lists. */
const agentTable = table<[orgId: string, agentId: string, at: number, id: string], true>('audit.agents')

export interface Wanted {
  readonly orgId: string
  readonly actor?: string
  readonly action?: string
  readonly start?: number
  readonly end?: number
  readonly limit: number
  readonly before?: AuditPosition
}

export interface WantedOfAgent extends AgentPlace {
  /** When the agent was made: one before it may have had its id. */
  readonly since: number
  readonly before?: AuditPosition
  readonly limit: number
  readonly now: number
}

export function createAuditStore({ timeScale }: { readonly timeScale: number }) {
  /** Callers may name orgs that are not there, and then nothing is written. */
  const note: Command<{ readonly orgId: string; readonly noted: Noted }, boolean> = {
    name: 'audit.note',
    decide(tx, { orgId, noted }, { at, mint }) {
      if (!tx.get(orgTable, [orgId])) return false
      const id = mint('aud')
      tx.put(auditTable, [orgId, at, id], { ...noted, id })
      const { agentId, action } = noted
      if (agentId !== undefined && isActivity(action)) tx.put(agentTable, [orgId, agentId, at, id], true)
      const over = at - limits.keptMs / timeScale
      const oldest = [...tx.range(auditTable, { prefix: [orgId], limit: limits.droppedPerWrite })]
      for (const { key, value } of oldest) {
        if (key[1] >= over) break
        tx.remove(auditTable, key)
        if (value.agentId !== undefined) tx.remove(agentTable, [orgId, value.agentId, key[1], key[2]])
      }
      return true
    },
  }

  /** Newest first. A call looks at a bounded number of entries: `last` is where to go on, absent at the end. */
  const list: Query<Wanted & { readonly now: number }, { data: AuditEntry[]; last?: AuditPosition }> = {
    name: 'audit.list',
    read(reader, { orgId, actor, action, start = 0, end, limit, before, now }) {
      const from = Math.max(start, now - limits.keptMs / timeScale)
      const after = before ? [orgId, ...before] : end === undefined ? undefined : [orgId, end]
      const data: AuditEntry[] = []
      let looked = 0
      for (const { key, value } of reader.range(auditTable, { prefix: [orgId], after, reverse: true })) {
        const [, at, id] = key
        if (at < from) return { data }
        if (!isWanted(value, actor, action)) {
          if (++looked >= limits.lookedAtPerCall) return { data, last: [at, id] }
          continue
        }
        data.push(shown(value, at))
        if (data.length >= limit) return { data, last: [at, id] }
      }
      return { data }
    },
  }

  /** Entries about one agent that its activity lists, newest first, from behind `before` on and not from before `since`. */
  const ofAgent: Query<WantedOfAgent, AuditEntry[]> = {
    name: 'audit.ofAgent',
    read(reader, { orgId, agentId, since, before, limit, now }) {
      const from = Math.max(since, now - limits.keptMs / timeScale)
      const after = before && [orgId, agentId, ...before]
      const rows = reader.range(agentTable, { prefix: [orgId, agentId], after, reverse: true, limit })
      return Array.from(rows, ({ key: [, , at, id] }) => [at, id] as const)
        .filter(([at]) => at >= from)
        .flatMap(([at, id]) => {
          const entry = reader.get(auditTable, [orgId, at, id])
          return entry ? [shown(entry, at)] : []
        })
    },
  }

  return { commands: { note }, queries: { list, ofAgent } }
}
export type AuditStore = ReturnType<typeof createAuditStore>

/** An action stands for all that begin with it and a dot. */
function isWanted({ actor: by, action: did }: Kept, actor?: string, action?: string): boolean {
  if (actor !== undefined && by.id !== actor && by.keyId !== actor) return false
  return action === undefined || did === action || did.startsWith(`${action}.`)
}

function shown({ id, ...noted }: Kept, at: number): AuditEntry {
  return { id, at: new Date(at).toISOString(), ...noted }
}
