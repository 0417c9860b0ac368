/** The commands that create and delete an agent; what later areas keep for it comes and goes in the same commit. */

import type { Actor } from '../../core/access.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { refuse } from '../../core/errors.js'
import type { OrgEventName, OrgEventPayload } from '../../core/orgevents.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import { type ClaimAgent, type Claimed, claimCommand, claims, type MakeAgent } from './claims.js'
import type { Credentials } from './credentials.js'
import type { AgentDocuments } from './documents.js'
import type { Agent } from './schema.js'
import { type AgentRecord, agentAsRead, agentTable } from './store.js'

/** What a later area keeps for every agent, in the agent's shard. */
export interface AgentListener {
  /** Called in the commit that creates the agent. */
  created?(tx: Tx, agent: AgentPlace & { readonly credentials: Credentials }, told: Told): void
  /** Called in the commit that deletes the agent, while its record is still there and its document is not. */
  removed?(tx: Tx, agent: AgentPlace): void
}

export interface AgentCommandsDeps {
  /** The command by which the org's webhooks are told. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly documents: Pick<AgentDocuments, 'lifecycle'>
  /** In the order of the areas. */
  readonly listeners: readonly AgentListener[]
}

/** All that stays of an agent that was deleted: a repeat of its making, however late, must not bring it back. */
const madeTable = table<[orgId: string, agentId: string], number>('agents.made')

/** `claim` is of the org's shard; the others are of the agent's. */
export interface AgentCommands {
  readonly claim: Command<ClaimAgent, Claimed>
  readonly make: Command<MakeAgent, Agent>
  readonly remove: Command<AgentPlace & Conditions, Removed>
}

export interface Removed {
  readonly serial: number
}

export function createAgentCommands({ orgEvent, documents, listeners }: AgentCommandsDeps): AgentCommands {
  function announce(tx: Tx, type: OrgEventName, agent: AgentRecord, by: Actor | undefined): void {
    const { orgId, id, name } = agent
    tx.tell(orgId, orgEvent, { type, orgId, agentId: id, data: { id, name, ...(by && { by }) } })
  }

  /** Asked by whoever claimed the id and told by the claim itself: whichever comes first makes the agent. */
  const make: Command<MakeAgent, Agent> = {
    name: 'agents.make',
    decide(tx, { orgId, agentId, serial, name, description, identity, credentials, by }, told) {
      const before = tx.get(agentTable, [orgId, agentId])
      if (before?.serial === serial) return agentAsRead(before)
      if ((tx.get(madeTable, [orgId, agentId]) ?? 0) >= serial) return refuse('resource.not_found')
      const { at } = told
      const agent: AgentRecord = {
        id: agentId,
        orgId,
        serial,
        name,
        ...(description && { description }),
        ...(identity && Object.keys(identity).length > 0 && { identity }),
        createdAt: at,
        updatedAt: at,
      }
      tx.put(madeTable, [orgId, agentId], serial)
      tx.put(agentTable, [orgId, agentId], agent)
      const maker = by ?? told.by
      announce(tx, 'agent.created', agent, maker)
      const as = maker ? { ...told, by: maker } : told
      documents.lifecycle.created(tx, { orgId, agentId }, as)
      for (const listener of listeners) listener.created?.(tx, { orgId, agentId, credentials }, as)
      return agentAsRead(agent)
    },
  }

  /** Answers the serial, by which the org is asked to free the id before the caller is told. */
  const remove: AgentCommands['remove'] = {
    name: 'agents.remove',
    decide(tx, { orgId, agentId, ifMatch, ifNoneMatch }, { by }) {
      const place = { orgId, agentId }
      const agent = tx.get(agentTable, [orgId, agentId])
      if (!agent) return refuse('resource.not_found')
      const stale = documents.lifecycle.mismatch(tx, place, { ifMatch, ifNoneMatch })
      if (stale) return stale
      documents.lifecycle.removed(tx, place)
      for (const listener of listeners) listener.removed?.(tx, place)
      tx.remove(agentTable, [orgId, agentId])
      const { serial } = agent
      tx.tell(orgId, claims.release, { orgId, agentId, serial })
      announce(tx, 'agent.deleted', agent, by)
      return { serial }
    },
  }

  return { claim: claimCommand(make), make, remove }
}
