/** The commands that make, change and end an agent; what other areas keep for it comes and goes in the same commit. */
import type { Actor } from '../../core/access.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { refuse } from '../../core/errors.js'
import type { OrgEventName, OrgEventPayload } from '../../core/orgevents.js'
import type { Command, Repertoire, Told, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import { claimCommand, claims } from './claims.js'
import type { Agent, Identity, IdentityPatch } from './schema.js'
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
  readonly by?: Actor
}

export interface AgentChange {
  readonly name?: string
  /** Null clears it. */
  readonly description?: string | null
  readonly identity?: IdentityPatch
}

/** What another area keeps for every agent, in the agent's shard. */
export interface AgentPart<C> {
  made(tx: Tx, agent: AgentPlace & { readonly credentials: C }, told: Told): void
  removed(tx: Tx, agent: AgentPlace): void
}

export interface AgentCommandsOptions<C> {
  /** The command by which the org's webhooks are told. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly parts: readonly AgentPart<C>[]
}

/** All that stays of an agent that was deleted: a repeat of its making, however late, must not bring it back. */
const madeTable = table<[orgId: string, agentId: string], number>('agents.made')

export function agentCommands<C>({ orgEvent, parts }: AgentCommandsOptions<C>) {
  function announce(tx: Tx, type: OrgEventName, agent: AgentRecord, by: Actor | undefined, more: object = {}): void {
    const { orgId, id, name } = agent
    tx.tell(orgId, orgEvent, { type, orgId, agentId: id, data: { id, name, ...more, ...(by && { by }) } })
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
      announce(tx, 'agent.created', agent, by ?? told.by)
      for (const part of parts) part.made(tx, { orgId, agentId, credentials }, told)
      return agentAsRead(agent)
    },
  }

  /** Keeps the agent with what changed; when nothing did, nothing is written and nobody told. */
  function saved(tx: Tx, before: AgentRecord, change: Partial<AgentRecord>, { at, by }: Told): Agent {
    const names = Object.keys(change) as (keyof AgentRecord)[]
    const changed = names.filter((name) => !isSame(before[name], change[name]))
    if (changed.length === 0) return agentAsRead(before)
    const after = { ...before, ...change, updatedAt: at }
    tx.put(agentTable, [after.orgId, after.id], after)
    announce(tx, 'agent.updated', after, by, { changed })
    return agentAsRead(after)
  }

  const update: Command<AgentPlace & { readonly change: AgentChange }, Agent> = {
    name: 'agents.update',
    decide(tx, { orgId, agentId, change }, told) {
      const agent = tx.get(agentTable, [orgId, agentId])
      if (!agent) return refuse('resource.not_found')
      const { name, description, identity } = change
      const changes = {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description: description || undefined }),
        ...(identity && { identity: kept({ ...agent.identity, ...identity }) }),
      }
      return saved(tx, agent, changes, told)
    },
  }

  const setIdentity: Command<AgentPlace & { readonly identity: Identity }, Agent> = {
    name: 'agents.setIdentity',
    decide(tx, { orgId, agentId, identity }, told) {
      const agent = tx.get(agentTable, [orgId, agentId])
      return agent ? saved(tx, agent, { identity: kept(identity) }, told) : refuse('resource.not_found')
    },
  }

  /** Answers the serial, by which the org is asked to free the id before the caller is told. */
  const remove: Command<AgentPlace, { readonly serial: number }> = {
    name: 'agents.remove',
    decide(tx, place, { by }) {
      const { orgId, agentId } = place
      const agent = tx.get(agentTable, [orgId, agentId])
      if (!agent) return refuse('resource.not_found')
      for (const part of parts) part.removed(tx, place)
      tx.remove(agentTable, [orgId, agentId])
      const { serial } = agent
      tx.tell(orgId, claims.release, { orgId, agentId, serial })
      announce(tx, 'agent.deleted', agent, by)
      return { serial }
    },
  }

  return { claim: claimCommand(make), make, update, setIdentity, remove }
}
export type AgentCommands<C> = ReturnType<typeof agentCommands<C>>

/** What is left of an identity without the fields that were taken away; nothing at all when none is left. */
function kept(identity: IdentityPatch): Identity | undefined {
  const left = Object.entries(identity).filter(([, value]) => value !== null && value !== undefined)
  return left.length === 0 ? undefined : (Object.fromEntries(left) as Identity)
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => one[name as keyof typeof one] === other[name as keyof typeof other])
}

export function agentRepertoire<C>(commands: AgentCommands<C>): Pick<Repertoire, 'commands' | 'queries'> {
  return {
    commands: [...Object.values(commands), claims.release] as Repertoire['commands'],
    queries: [...Object.values(agentQueries), claims.ids],
  }
}
