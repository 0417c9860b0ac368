/**
 * The commands that create and delete an agent; later areas create and delete their rows of the agent in the same
 * commit.
 */

import type { Actor } from '../../core/access.js'
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import type { OrgEventName, OrgEventPayload } from '../../core/orgevents.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import type { Credentials } from './credentials.js'
import type { AgentDocuments } from './documentoperations.js'
import {
  type CreateAgent,
  createReserveCommand,
  type ReserveAgentId,
  type ReservedId,
  reservations,
} from './reservations.js'
import type { Agent } from './schema.js'
import { type AgentRecord, agentTable, agentView } from './store.js'

/** Listener of a later area on agents; runs in the agent's shard. */
export interface AgentListener {
  /** Called in the commit that creates the agent. */
  created?(tx: Tx, agent: AgentRef & { readonly credentials: Credentials }, meta: CommandMeta): void
  /** Called in the commit that deletes the agent, when its record still exists and its document does not. */
  removed?(tx: Tx, agent: AgentRef): void
}

export interface AgentCommandsDeps {
  /** The command that sends an event to the org's webhooks. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly documents: Pick<AgentDocuments, 'lifecycle'>
  /** In the order of the areas. */
  readonly listeners: readonly AgentListener[]
}

/**
 * The last incarnation under an id, which stays when the agent is deleted: a late repeat of a create must not bring it
 * back.
 */
const createdTable = table<[orgId: string, agentId: string], number>('agents.created')

/** `reserveId` runs in the org's shard, the others in the agent's. */
export interface AgentCommands {
  readonly reserveId: Command<ReserveAgentId, ReservedId>
  readonly create: Command<CreateAgent, Agent>
  readonly remove: Command<AgentRef & Conditions, RemovedAgent>
}

export interface RemovedAgent {
  readonly incarnation: number
}

export function createAgentCommands({ orgEvent, documents, listeners }: AgentCommandsDeps): AgentCommands {
  function emitOrgEvent(tx: Tx, type: OrgEventName, agent: AgentRecord, by: Actor | undefined): void {
    const { orgId, id, name } = agent
    tx.send(orgId, orgEvent, { type, orgId, agentId: id, data: { id, name, ...(by && { by }) } })
  }

  /**
   * Both the caller and the reservation send this command with the same incarnation; the first one creates the agent.
   */
  const create: Command<CreateAgent, Agent> = {
    name: 'agents.create',
    decide(tx, { orgId, agentId, incarnation, name, description, identity, credentials, by }, meta) {
      const before = tx.get(agentTable, [orgId, agentId])
      if (before?.incarnation === incarnation) return agentView(before)
      if ((tx.get(createdTable, [orgId, agentId]) ?? 0) >= incarnation) return refuse('resource.not_found')
      const { at } = meta
      const agent: AgentRecord = {
        id: agentId,
        orgId,
        incarnation,
        name,
        ...(description && { description }),
        ...(identity && Object.keys(identity).length > 0 && { identity }),
        createdAt: at,
        updatedAt: at,
      }
      tx.put(createdTable, [orgId, agentId], incarnation)
      tx.put(agentTable, [orgId, agentId], agent)
      const creator = by ?? meta.by
      emitOrgEvent(tx, 'agent.created', agent, creator)
      const creatorMeta = creator ? { ...meta, by: creator } : meta
      documents.lifecycle.created(tx, { orgId, agentId }, creatorMeta)
      for (const listener of listeners) listener.created?.(tx, { orgId, agentId, credentials }, creatorMeta)
      return agentView(agent)
    },
  }

  /** Answers the incarnation, with which the route releases the id in the org's shard before it answers its caller. */
  const remove: AgentCommands['remove'] = {
    name: 'agents.remove',
    decide(tx, { orgId, agentId, ifMatch, ifNoneMatch }, { by }) {
      const agentRef = { orgId, agentId }
      const agent = tx.get(agentTable, [orgId, agentId])
      if (!agent) return refuse('resource.not_found')
      const mismatch = documents.lifecycle.mismatch(tx, agentRef, { ifMatch, ifNoneMatch })
      if (mismatch) return mismatch
      documents.lifecycle.removed(tx, agentRef)
      for (const listener of listeners) listener.removed?.(tx, agentRef)
      tx.remove(agentTable, [orgId, agentId])
      const { incarnation } = agent
      tx.send(orgId, reservations.release, { orgId, agentId, incarnation })
      emitOrgEvent(tx, 'agent.deleted', agent, by)
      return { incarnation }
    },
  }

  return { reserveId: createReserveCommand(create), create, remove }
}
