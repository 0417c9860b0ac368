/** Emulator links in the agent's shard: a link gives access to personas only while its record exists. */
import type { Actor } from '../../core/access.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { emulatorLink as limits } from '../../core/limits/access.js'
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

interface EmulatorLinkRef extends AgentRef {
  readonly linkId: string
}

const linkTable = table<[orgId: string, agentId: string, linkId: string], EmulatorLink>('personas.emulatorLinks')

/** The agent that a grant names; the incarnation distinguishes it from earlier and later agents of the same id. */
export interface NamedGrant extends AgentRef {
  readonly form: 'link' | 'sitting'
  readonly id: string
  readonly incarnation?: number
}

const notFound = refuse('resource.not_found')

const create: Command<
  EmulatorLinkRef & { label?: string; expiresAt?: string },
  EmulatorLinkView & { incarnation: number }
> = {
  name: 'emulatorLinks.create',
  decide(tx, { orgId, agentId, linkId, label, expiresAt }, { at, by }) {
    const agent = findAgent(tx, { orgId, agentId })
    if (!agent) return notFound
    const endsAt = expiresAt === undefined ? at + limits.lifetimeMs : Date.parse(expiresAt)
    if (endsAt <= at) return invalid('expiresAt', 'must be in the future')
    if (endsAt > at + limits.lifetimeMaxMs) return invalid('expiresAt', 'must be within 365 days')
    const active = linksOf(tx, { orgId, agentId }).filter(
      (link) => link.expiresAt > at || !removeLink(tx, orgId, agentId, link),
    )
    if (active.length >= limits.perAgent) {
      return invalid('label', `an agent has at most ${limits.perAgent} links; delete one first`)
    }
    const details = { ...(label !== undefined && { label }), ...(by && { createdBy: by }) }
    const link: EmulatorLink = { id: linkId, createdAt: at, expiresAt: endsAt, ...details }
    tx.put(linkTable, [orgId, agentId, linkId], link)
    return { ...linkView(link), incarnation: agent.incarnation }
  },
}

const remove: Command<EmulatorLinkRef, true> = {
  name: 'emulatorLinks.remove',
  decide(tx, { orgId, agentId, linkId }) {
    if (!tx.get(linkTable, [orgId, agentId, linkId])) return notFound
    tx.remove(linkTable, [orgId, agentId, linkId])
    return true
  },
}

/** Several nodes may note the use of one link; the minimum interval between writes holds for all of them together. */
const noteUse: Command<EmulatorLinkRef, boolean> = {
  name: 'emulatorLinks.noteUse',
  decide(tx, { orgId, agentId, linkId }, { at }) {
    const link = tx.get(linkTable, [orgId, agentId, linkId])
    if (!link || at - (link.lastUsedAt ?? 0) < limits.lastUsedEveryMs) return false
    tx.put(linkTable, [orgId, agentId, linkId], { ...link, lastUsedAt: at })
    return true
  },
}

const list: Query<AgentRef, EmulatorLinkView[]> = {
  name: 'emulatorLinks.list',
  read: (reader, agentRef) => (findAgent(reader, agentRef) ? linksOf(reader, agentRef).map(linkView) : notFound),
}

/** Null for a grant that is no longer valid. */
const grantStatus: Query<NamedGrant, { readonly expiresAt?: number; readonly lastUsedAt?: number } | null> = {
  name: 'emulatorLinks.grantStatus',
  read(reader, { orgId, agentId, form, id, incarnation }) {
    const agent = findAgent(reader, { orgId, agentId })
    if (!agent || agent.incarnation !== incarnation) return null
    if (form === 'sitting') return {}
    const link = reader.get(linkTable, [orgId, agentId, id])
    return link ? { expiresAt: link.expiresAt, lastUsedAt: link.lastUsedAt ?? 0 } : null
  },
}

const incarnation: Query<AgentRef, number> = {
  name: 'emulatorLinks.incarnation',
  read: (reader, agentRef) => findAgent(reader, agentRef)?.incarnation ?? notFound,
}

/** Called in the commit that deletes an agent. */
export function removeLinks(tx: Tx, { orgId, agentId }: AgentRef): void {
  for (const link of linksOf(tx, { orgId, agentId })) removeLink(tx, orgId, agentId, link)
}

/** Checks with the agent's shard whether a grant signed by this installation is still valid. */
export function createGrantCheck(shards: Shards, now: () => number) {
  return async (grant: NamedGrant): Promise<boolean | Refusal> => {
    const owner = formatAgentKey(grant)
    const { orgId, agentId, form, id } = grant
    const status = await shards.query(owner, grantStatus, {
      orgId,
      agentId,
      form,
      id,
      incarnation: grant.incarnation ?? -1,
    })
    if (!status || isRefusal(status)) return status ?? false
    if (status.expiresAt !== undefined && status.expiresAt <= now()) return false
    if (status.lastUsedAt !== undefined && now() - status.lastUsedAt >= limits.lastUsedEveryMs) {
      shards.execute(owner, noteUse, { orgId, agentId, linkId: id }).catch(() => {
        // A lost note of use does no harm; a store that cannot write refuses the callers that depend on it.
      })
    }
    return true
  }
}

export const emulatorLinkCommands = { create, remove, noteUse }
export const emulatorLinkQueries = { list, grantStatus, incarnation }

function removeLink(tx: Tx, orgId: string, agentId: string, { id }: EmulatorLink): true {
  tx.remove(linkTable, [orgId, agentId, id])
  return true
}

/** An agent's links, oldest first. */
function linksOf(reader: Reader, { orgId, agentId }: AgentRef): EmulatorLink[] {
  const links = Array.from(reader.range(linkTable, { prefix: [orgId, agentId] }), ({ value }) => value)
  return links.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
}

const iso = (at: number) => new Date(at).toISOString()

function linkView({ id, label, createdAt, expiresAt, lastUsedAt, createdBy }: EmulatorLink): EmulatorLinkView {
  return {
    id,
    ...(label !== undefined && { label }),
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    ...(lastUsedAt !== undefined && { lastUsedAt: iso(lastUsedAt) }),
    ...(createdBy && { createdBy: { kind: createdBy.kind, id: createdBy.id } }),
  }
}
