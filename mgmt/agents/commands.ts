/** The commands that make and end an agent; what other areas keep for it comes and goes in the same commit. */

import type { Actor } from '../../core/access.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { type Refusal, refuse } from '../../core/errors.js'
import type { OrgEventName, OrgEventPayload } from '../../core/orgevents.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { Command, Repertoire, Told, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import { type ClaimAgent, type Claimed, claimCommand, claims } from './claims.js'
import type { Agent, Identity } from './schema.js'
import { type AgentRecord, agentAsRead, agentQueries, agentTable } from './store.js'

export interface AboutAgent<C> {
  readonly orgId: string
  readonly name: string
  readonly description?: string
  readonly identity?: Identity
  /** What the agent proves itself with: drawn and sealed before any command is asked. */
  readonly credentials: C
}

export interface MakeAgent<C> extends AboutAgent<C> {
  readonly agentId: string
  readonly serial: number
  /** Who claimed the id; what is told between shards has nobody who asks. */
  readonly by?: Actor
}

/** What another area keeps for every agent, in the agent's shard. */
export interface AgentPart<C> {
  made(tx: Tx, agent: AgentPlace & { readonly credentials: C }, told: Told): void
  /** Why the agent cannot go, when the caller wants it as it last read it and it is not. */
  holds?(tx: Tx, agent: AgentPlace, conditions: Conditions): Refusal | undefined
  removed(tx: Tx, agent: AgentPlace): void
}

export interface AgentCommandsOptions<C> {
  /** The command by which the org's webhooks are told. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly parts: readonly AgentPart<C>[]
}

/** All that stays of an agent that was deleted: a repeat of its making, however late, must not bring it back. */
const madeTable = table<[orgId: string, agentId: string], number>('agents.made')

export interface AgentCommands<C> {
  /** Of the org's shard; the others are of the agent's. */
  readonly claim: Command<ClaimAgent<C>, Claimed>
  readonly make: Command<MakeAgent<C>, Agent>
  readonly remove: Command<AgentPlace & Conditions, Removed>
}

export interface Removed {
  readonly serial: number
}

export function agentCommands<C>({ orgEvent, parts }: AgentCommandsOptions<C>): AgentCommands<C> {
  function announce(tx: Tx, type: OrgEventName, agent: AgentRecord, by: Actor | undefined): void {
    const { orgId, id, name } = agent
    tx.tell(orgId, orgEvent, { type, orgId, agentId: id, data: { id, name, ...(by && { by }) } })
  }

  /** Asked by whoever claimed the id and told by the claim itself: whichever comes first makes the agent. */
  const make: Command<MakeAgent<C>, Agent> = {
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
      for (const part of parts) {
        part.made(tx, { orgId, agentId, credentials }, maker ? { ...told, by: maker } : told)
      }
      return agentAsRead(agent)
    },
  }

  /** Answers the serial, by which the org is asked to free the id before the caller is told. */
  const remove: AgentCommands<C>['remove'] = {
    name: 'agents.remove',
    decide(tx, { orgId, agentId, ifMatch, ifNoneMatch }, { by }) {
      const place = { orgId, agentId }
      const agent = tx.get(agentTable, [orgId, agentId])
      if (!agent) return refuse('resource.not_found')
      for (const part of parts) {
        const held = part.holds?.(tx, place, { ifMatch, ifNoneMatch })
        if (held) return held
      }
      for (const part of parts) part.removed(tx, place)
      tx.remove(agentTable, [orgId, agentId])
      const { serial } = agent
      tx.tell(orgId, claims.release, { orgId, agentId, serial })
      announce(tx, 'agent.deleted', agent, by)
      return { serial }
    },
  }

  return { claim: claimCommand(make), make, remove }
}

export function agentRepertoire<C>(commands: AgentCommands<C>): Pick<Repertoire, 'commands' | 'queries'> {
  return {
    commands: [...Object.values(commands), claims.release] as Repertoire['commands'],
    queries: [...Object.values(agentQueries), claims.ids],
  }
}
