/** Outreach links in the agent's shard, and the index rows from a code to its link. */
import type { AgentRef } from '../../core/agentref.js'
import type { Link } from '../../core/links/link.js'
import type { Command, Query } from '../../runtime/shard/contract.js'
import { type Reader, table } from '../../runtime/store/contract.js'

/** A link of an agent. */
export interface LinkRef extends AgentRef {
  readonly linkId: string
}

export const linkTable = table<[orgId: string, agentId: string, linkId: string], Link>('links')

/**
 * The identities that used a link, with the time of their first use. Phone numbers are not stored. At most as many
 * entries as the link has uses.
 */
export interface Redemptions {
  readonly redeemed: readonly { readonly asid: string; readonly at: number }[]
}
export const redemptionTable = table<[orgId: string, agentId: string, linkId: string], Redemptions>('links.redemptions')

export function linkAt(reader: Reader, { orgId, agentId, linkId }: LinkRef): Link | undefined {
  return reader.get(linkTable, [orgId, agentId, linkId])
}

/** An agent's links, newest first. */
export function linksOf(reader: Reader, { orgId, agentId }: AgentRef): Link[] {
  const links = Array.from(reader.range(linkTable, { prefix: [orgId, agentId] }), ({ value }) => value)
  return links.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
}

/** A row in a shard of its own, so that a code reveals neither org nor agent. A row never changes. */
const codeTable = table<[code: string], LinkRef>('links.codes')

export function ownerOfCode(code: string): string {
  return `link:${code}`
}

const put: Command<LinkRef & { readonly code: string }, true> = {
  name: 'links.codes.put',
  decide(tx, { orgId, agentId, linkId, code }) {
    tx.put(codeTable, [code], { orgId, agentId, linkId })
    return true
  },
}

const remove: Command<{ readonly code: string }, true> = {
  name: 'links.codes.remove',
  decide(tx, { code }) {
    tx.remove(codeTable, [code])
    return true
  },
}

const find: Query<{ readonly code: string }, LinkRef | null> = {
  name: 'links.codes.find',
  read: (reader, { code }) => reader.get(codeTable, [code]) ?? null,
}

export const linkCodes = { put, remove, find }
