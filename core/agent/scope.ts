/** Keys of rows that belong to one agent. A new agent with the id of a deleted one has another serial, so it sees none of the old rows. */
import type { AgentRef } from '../agentref.js'

/** The first members of such a key. */
export type AgentScope = readonly [orgId: string, agentId: string, serial: number]

/** A key below an agent's scope. */
export type ScopedKey<Rest extends readonly (string | number)[]> = readonly [...scope: AgentScope, ...rest: Rest]

/** One agent among those that have had its id. */
export interface AgentIncarnation extends AgentRef {
  readonly incarnation: number
}

export function scopeOf({ orgId, agentId, incarnation }: AgentIncarnation): AgentScope {
  return [orgId, agentId, incarnation]
}
