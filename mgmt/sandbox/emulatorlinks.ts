/** Emulator links, kept beside their agent in its shard: a link opens personas only while its record is there. */
import type { Actor } from '../../core/access.js'
import { emulatorLink as limits } from '../../core/accesslimits.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import type { Command, Query, Shards, Tx } from '../../runtime/shard/contract.js'
import { type Reader, table } from '../../runtime/store/contract.js'
import { findAgent } from '../agents/store.js'
import type { EmulatorLinkView } from './schema.js'

interface EmulatorLink {
  readonly id: string
  readonly label?: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly lastUsedAt?: number
  readonly createdBy?: Actor
}

interface OneEmulatorLink extends AgentPlace {
  readonly linkId: string
}

const linkTable = table<[orgId: string, agentId: string, linkId: string], EmulatorLink>('personas.emulatorLinks')

/** What a grant names of its agent: the serial tells it from another agent of the same id before or after. */
export interface NamedGrant extends AgentPlace {
  readonly form: 'link' | 'sitting'
  readonly id: string
  readonly serial?: number
}

const notFound = refuse('resource.not_found')

const create: Command<OneEmulatorLink & { label?: string; expiresAt?: string }, EmulatorLinkView & { serial: number }> =
  {
    name: 'emulatorLinks.create',
    decide(tx, { orgId, agentId, linkId, label, expiresAt }, { at, by }) {
      const agent = findAgent(tx, { orgId, agentId })
      if (!agent) return notFound
      const endsAt = expiresAt === undefined ? at + limits.lifetimeMs : Date.parse(expiresAt)
      if (endsAt <= at) return invalid('expiresAt', 'must be in the future')
      if (endsAt > at + limits.lifetimeMostMs) return invalid('expiresAt', 'must be within 365 days')
      const kept = linksOf(tx, { orgId, agentId }).filter(
        (link) => link.expiresAt > at || !drop(tx, orgId, agentId, link),
      )
      if (kept.length >= limits.perAgent) {
        return invalid('label', `an agent has at most ${limits.perAgent} links; delete one first`)
      }
      const about = { ...(label !== undefined && { label }), ...(by && { createdBy: by }) }
      const link: EmulatorLink = { id: linkId, createdAt: at, expiresAt: endsAt, ...about }
      tx.put(linkTable, [orgId, agentId, linkId], link)
      return { ...shown(link), serial: agent.serial }
    },
  }

const remove: Command<OneEmulatorLink, true> = {
  name: 'emulatorLinks.remove',
  decide(tx, { orgId, agentId, linkId }) {
    if (!tx.get(linkTable, [orgId, agentId, linkId])) return notFound
    tx.remove(linkTable, [orgId, agentId, linkId])
    return true
  },
}

/** Several nodes may note the use of one link; it is written as seldom as if there were one. */
const used: Command<OneEmulatorLink, boolean> = {
  name: 'emulatorLinks.used',
  decide(tx, { orgId, agentId, linkId }, { at }) {
    const link = tx.get(linkTable, [orgId, agentId, linkId])
    if (!link || at - (link.lastUsedAt ?? 0) < limits.lastUsedEveryMs) return false
    tx.put(linkTable, [orgId, agentId, linkId], { ...link, lastUsedAt: at })
    return true
  },
}

const list: Query<AgentPlace, EmulatorLinkView[]> = {
  name: 'emulatorLinks.list',
  read: (reader, place) => (findAgent(reader, place) ? linksOf(reader, place).map(shown) : notFound),
}

/** Null for a grant that opens nothing any more. */
const standing: Query<NamedGrant, { readonly expiresAt?: number; readonly lastUsedAt?: number } | null> = {
  name: 'emulatorLinks.standing',
  read(reader, { orgId, agentId, form, id, serial }) {
    const agent = findAgent(reader, { orgId, agentId })
    if (!agent || agent.serial !== serial) return null
    if (form === 'sitting') return {}
    const link = reader.get(linkTable, [orgId, agentId, id])
    return link ? { expiresAt: link.expiresAt, lastUsedAt: link.lastUsedAt ?? 0 } : null
  },
}

const serial: Query<AgentPlace, number> = {
  name: 'emulatorLinks.serial',
  read: (reader, place) => findAgent(reader, place)?.serial ?? notFound,
}

/** Called in the commit that deletes an agent. */
export function removeLinks(tx: Tx, { orgId, agentId }: AgentPlace): void {
  for (const link of linksOf(tx, { orgId, agentId })) drop(tx, orgId, agentId, link)
}

/** Whether a grant that this installation signed still opens its agent, as the agent's shard says. */
export function createGrantCheck(shards: Shards, now: () => number) {
  return async (grant: NamedGrant): Promise<boolean | Refusal> => {
    const owner = agentKeyOf(grant)
    const { orgId, agentId, form, id } = grant
    const found = await shards.read(owner, standing, { orgId, agentId, form, id, serial: grant.serial ?? -1 })
    if (!found || isRefusal(found)) return found ?? false
    if (found.expiresAt !== undefined && found.expiresAt <= now()) return false
    if (found.lastUsedAt !== undefined && now() - found.lastUsedAt >= limits.lastUsedEveryMs) {
      shards.ask(owner, used, { orgId, agentId, linkId: id }).catch(() => {
        // A store that cannot write says so to every caller that needs it; a use that is not noted harms nobody.
      })
    }
    return true
  }
}

export const emulatorLinkCommands = { create, remove, used }
export const emulatorLinkQueries = { list, standing, serial }

function drop(tx: Tx, orgId: string, agentId: string, { id }: EmulatorLink): true {
  tx.remove(linkTable, [orgId, agentId, id])
  return true
}

/** An agent's links, oldest first. */
function linksOf(reader: Reader, { orgId, agentId }: AgentPlace): EmulatorLink[] {
  const found = Array.from(reader.range(linkTable, { prefix: [orgId, agentId] }), ({ value }) => value)
  return found.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
}

const iso = (at: number) => new Date(at).toISOString()

function shown({ id, label, createdAt, expiresAt, lastUsedAt, createdBy }: EmulatorLink): EmulatorLinkView {
  return {
    id,
    ...(label !== undefined && { label }),
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    ...(lastUsedAt !== undefined && { lastUsedAt: iso(lastUsedAt) }),
    ...(createdBy && { createdBy: { kind: createdBy.kind, id: createdBy.id } }),
  }
}
