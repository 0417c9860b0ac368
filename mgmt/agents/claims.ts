/**
 * The ids that an org's agents have taken, in the org's own shard: names are given out by one writer, and the org knows
 * its agents without asking every shard. A claim tells the agent's shard to make the agent in the same commit, so a
 * process that dies after it leaves no id without an agent. What an agent is, its own shard alone says.
 */
import type { Actor } from '../../core/access.js'
import { freeSlug } from '../../core/agent/slug.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { refuse } from '../../core/errors.js'
import { agent as limits } from '../../core/limits.js'
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

export interface MakeAgent extends NewAgent {
  readonly agentId: string
  readonly serial: number
  /** Who claimed the id; a command that another shard sends has no caller. */
  readonly by?: Actor
}

export interface Claimed {
  readonly agentId: string
  readonly serial: number
}

/** The serial is that of the agent which has the id: no two agents of an org ever share one. */
const claimTable = table<[orgId: string, agentId: string], { readonly serial: number }>('agents.claims')
const serialTable = table<[orgId: string], number>('agents.lastSerial')

export interface ClaimAgent extends NewAgent {
  /** Absent: one is made from the name. */
  readonly id?: string
}

/** Gives out an id and has the agent made under it. `make` is told, not asked: this commit does not wait for another shard. */
export function claimCommand(make: Command<MakeAgent, unknown>): Command<ClaimAgent, Claimed> {
  return {
    name: 'agents.claim',
    decide(tx, { id, ...about }, { by }) {
      const { orgId } = about
      let count = 0
      for (const _ of tx.range(claimTable, { prefix: [orgId] })) count++
      if (count >= limits.perOrg) {
        return refuse('request.invalid', { detail: `An org has at most ${limits.perOrg} agents.` })
      }
      if (id !== undefined && tx.get(claimTable, [orgId, id])) {
        return refuse('agent.id_taken', { errors: [{ field: 'id', message: 'is taken' }] })
      }
      const isTaken = (slug: string) => tx.get(claimTable, [orgId, slug]) !== undefined
      const agentId = id ?? freeSlug(about.name, 'agent', isTaken)
      const serial = (tx.get(serialTable, [orgId]) ?? 0) + 1
      tx.put(serialTable, [orgId], serial)
      tx.put(claimTable, [orgId, agentId], { serial })
      tx.tell(agentKeyOf({ orgId, agentId }), make, { ...about, agentId, serial, ...(by && { by }) })
      return { agentId, serial }
    },
  }
}

/** Frees an id. The serial keeps a release that comes late from freeing the id of the next agent that has it. */
const release: Command<AgentPlace & { readonly serial: number }, boolean> = {
  name: 'agents.release',
  decide(tx, { orgId, agentId, serial }) {
    if (tx.get(claimTable, [orgId, agentId])?.serial !== serial) return false
    tx.remove(claimTable, [orgId, agentId])
    return true
  },
}

interface WantedPage {
  readonly orgId: string
  readonly after?: string
  readonly limit: number
}

/** In the order of ids; `last` is where the next page goes on, absent at the end of the list. */
const ids: Query<WantedPage, { readonly ids: string[]; readonly last?: string }> = {
  name: 'agents.ids',
  read(reader, { orgId, after, limit }) {
    const start = after === undefined ? undefined : [orgId, after]
    const rows = reader.range(claimTable, { prefix: [orgId], after: start, limit: limit + 1 })
    const found = Array.from(rows, ({ key: [, agentId] }) => agentId)
    const shown = found.slice(0, limit)
    return found.length > limit ? { ids: shown, last: shown.at(-1)! } : { ids: shown }
  },
}

export const claims = { release, ids }
