/** The commands that create and delete an agent; what later areas keep for it comes and goes in the same commit. */

import type { Actor } from '../../core/access.js'
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import type { OrgEventName, OrgEventPayload } from '../../core/orgevents.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import type { Credentials } from './credentials.js'
import type { AgentDocuments } from './documentcommands.js'
import {
  type CreateAgent,
  createReserveCommand,
  type ReserveAgentId,
  type ReservedId,
  reservations,
} from './reservations.js'
import type { Agent } from './schema.js'
import { type AgentRecord, agentTable, agentView } from './store.js'

/** What a later area keeps for every agent, in the agent's shard. */
export interface AgentListener {
  /** Called in the commit that creates the agent. */
  created?(tx: Tx, agent: AgentRef & { readonly credentials: Credentials }, meta: CommandMeta): void
  /** Called in the commit that deletes the agent, while its record is still there and its document is not. */
  removed?(tx: Tx, agent: AgentRef): void
}

export interface AgentCommandsDeps {
  /** The command by which the org's webhooks are told. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly documents: Pick<AgentDocuments, 'lifecycle'>
  /** In the order of the areas. */
  readonly listeners: readonly AgentListener[]
}

/** All that stays of an agent that was deleted: a repeat of its making, however late, must not bring it back. */
const createdTable = table<[orgId: string, agentId: string], number>('agents.created')

/** `reserveId` is of the org's shard; the others are of the agent's. */
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

  /** Asked by whoever claimed the id and told by the claim itself: whichever comes first makes the agent. */
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

  /** Answers the serial, by which the org is asked to free the id before the caller is told. */
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
