/**
 * Key prefixes of rows that belong to one agent. A new agent with the id of a deleted one has another incarnation, so
 * it sees none of the old rows.
 */
import type { AgentRef } from '../agentref.js'

/** The first members of such a key. */
export type AgentScope = readonly [orgId: string, agentId: string, incarnation: number]

/** A key below an agent's scope. */
export type ScopedKey<Rest extends readonly (string | number)[]> = readonly [...scope: AgentScope, ...rest: Rest]

/** One of the agents that have had this id. */
export interface AgentIncarnation extends AgentRef {
  readonly incarnation: number
}

export function scopeOf({ orgId, agentId, incarnation }: AgentIncarnation): AgentScope {
  return [orgId, agentId, incarnation]
}
