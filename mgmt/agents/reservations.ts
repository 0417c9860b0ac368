/**
 * The ids that an org's agents have reserved, in the org's shard: one writer gives out ids, and lists of agents need
 * not ask every shard. A reservation sends the command that creates the agent in the same commit, so a crash after it
 * leaves no id without an agent. Everything else about an agent is in its own shard.
 */
import type { Actor } from '../../core/access.js'
import { freeSlug } from '../../core/agent/slug.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import { agent as limits } from '../../core/limits/index.js'
import type { Command, Query } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import type { Credentials } from './credentials.js'
import type { Identity } from './schema.js'

export interface NewAgent {
  readonly orgId: string
  readonly name: string
  readonly description?: string
  readonly identity?: Identity
  /** Generated and sealed before any command runs. */
  readonly credentials: Credentials
}

export interface CreateAgent extends NewAgent {
  readonly agentId: string
  readonly incarnation: number
  /** The caller who reserved the id; a command that another shard sends has no caller. */
  readonly by?: Actor
}

export interface ReservedId {
  readonly agentId: string
  readonly incarnation: number
}

/** The incarnation of the agent that has the id; unique within the org. */
const reservationTable = table<[orgId: string, agentId: string], { readonly incarnation: number }>(
  'agents.reservations',
)
const incarnationTable = table<[orgId: string], number>('agents.lastIncarnation')

export interface ReserveAgentId extends NewAgent {
  /** Absent: derived from the name. */
  readonly id?: string
}

/**
 * Reserves an id and sends `create` to the agent's shard as an outbound command; this commit does not wait for that
 * shard.
 */
export function createReserveCommand(create: Command<CreateAgent, unknown>): Command<ReserveAgentId, ReservedId> {
  return {
    name: 'agents.reserveId',
    decide(tx, { id, ...fields }, { by }) {
      const { orgId } = fields
      let count = 0
      for (const _ of tx.range(reservationTable, { prefix: [orgId] })) count++
      if (count >= limits.perOrg) {
        return refuse('request.invalid', { detail: `An org has at most ${limits.perOrg} agents.` })
      }
      if (id !== undefined && tx.get(reservationTable, [orgId, id])) {
        return refuse('agent.id_taken', { errors: [{ field: 'id', message: 'is taken' }] })
      }
      const isTaken = (slug: string) => tx.get(reservationTable, [orgId, slug]) !== undefined
      const agentId = id ?? freeSlug(fields.name, 'agent', isTaken)
      const incarnation = (tx.get(incarnationTable, [orgId]) ?? 0) + 1
      tx.put(incarnationTable, [orgId], incarnation)
      tx.put(reservationTable, [orgId, agentId], { incarnation })
      tx.send(formatAgentKey({ orgId, agentId }), create, { ...fields, agentId, incarnation, ...(by && { by }) })
      return { agentId, incarnation }
    },
  }
}

/** Frees an id. The incarnation prevents a late release from freeing the id of the next agent that has it. */
const release: Command<AgentRef & { readonly incarnation: number }, boolean> = {
  name: 'agents.release',
  decide(tx, { orgId, agentId, incarnation }) {
    if (tx.get(reservationTable, [orgId, agentId])?.incarnation !== incarnation) return false
    tx.remove(reservationTable, [orgId, agentId])
    return true
  },
}

interface IdPageQuery {
  readonly orgId: string
  readonly after?: string
  readonly limit: number
}

/** In the order of ids; `last` is the position of the next page, absent at the end. */
const ids: Query<IdPageQuery, { readonly ids: string[]; readonly last?: string }> = {
  name: 'agents.ids',
  read(reader, { orgId, after, limit }) {
    const start = after === undefined ? undefined : [orgId, after]
    const rows = reader.range(reservationTable, { prefix: [orgId], after: start, limit: limit + 1 })
    const agentIds = Array.from(rows, ({ key: [, agentId] }) => agentId)
    const page = agentIds.slice(0, limit)
    return agentIds.length > limit ? { ids: page, last: page.at(-1)! } : { ids: page }
  },
}

export const reservations = { release, ids }
