/**
 * The ids that an org's agents have taken, in the org's own shard: names are given out by one writer, and the org knows
 * its agents without asking every shard. A claim tells the agent's shard to make the agent in the same commit, so a
 * process that dies after it leaves no id without an agent. What an agent is, its own shard alone says.
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
  /** What the agent proves itself with: drawn and sealed before any command is asked. */
  readonly credentials: Credentials
}

export interface CreateAgent extends NewAgent {
  readonly agentId: string
  readonly incarnation: number
  /** Who claimed the id; a command that another shard sends has no caller. */
  readonly by?: Actor
}

export interface ReservedId {
  readonly agentId: string
  readonly incarnation: number
}

/** The serial is that of the agent which has the id: no two agents of an org ever share one. */
const reservationTable = table<[orgId: string, agentId: string], { readonly incarnation: number }>(
  'agents.reservations',
)
const incarnationTable = table<[orgId: string], number>('agents.lastIncarnation')

export interface ReserveAgentId extends NewAgent {
  /** Absent: one is made from the name. */
  readonly id?: string
}

/** Gives out an id and has the agent made under it. `create` is told, not asked: this commit does not wait for another shard. */
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

/** Frees an id. The serial keeps a release that comes late from freeing the id of the next agent that has it. */
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

/** In the order of ids; `last` is where the next page goes on, absent at the end of the list. */
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
