/** The org table, its commands and its queries. */
import { invalid, refuse } from '../../core/errors.js'
import { isTimeZone } from '../../core/zones.js'
import type { Command, Query } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import type { Org, OrgPatch } from './schema.js'

export const orgTable = table<[orgId: string], Org>('org')

export const readOrg: Query<{ readonly orgId: string }, Org> = {
  name: 'org.read',
  read: (reader, { orgId }) => reader.get(orgTable, [orgId]) ?? refuse('resource.not_found'),
}

export const orgName: Query<{ readonly orgId: string }, string | null> = {
  name: 'org.name',
  read: (reader, { orgId }) => reader.get(orgTable, [orgId])?.name ?? null,
}

/** The id of some org of this shard. */
export const anyOrg: Query<Record<never, never>, string | null> = {
  name: 'org.any',
  read(reader) {
    for (const { value } of reader.range(orgTable, { limit: 1 })) return value.id
    return null
  },
}

export const createOrg: Command<{ id: string; name: string }, Org> = {
  name: 'org.create',
  decide(tx, { id, name }, { at }) {
    const now = new Date(at).toISOString()
    const org: Org = { id, name, features: [], products: [], createdAt: now, updatedAt: now }
    tx.put(orgTable, [id], org)
    return org
  },
}

export const patchOrg: Command<{ id: string; patch: OrgPatch }, Org> = {
  name: 'org.patch',
  decide(tx, { id, patch }, { at }) {
    const org = tx.get(orgTable, [id])
    if (!org) return refuse('resource.not_found')
    if (patch.timeZone && !isTimeZone(patch.timeZone)) return invalid('timeZone', 'must be an IANA time zone')
    const { name = org.name, description, timeZone, ...rest } = { ...org, ...patch }
    const changed: Org = { ...rest, name, updatedAt: new Date(at).toISOString() }
    if (description) changed.description = description
    if (timeZone) changed.timeZone = timeZone
    tx.put(orgTable, [id], changed)
    return changed
  },
}
