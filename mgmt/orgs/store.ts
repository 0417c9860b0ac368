/** Where orgs are kept, and the changes they go through. */
import { invalid, refuse } from '../../core/errors.js'
import { isTimeZone } from '../../core/zones.js'
import type { Command } from '../../runtime/shard/contract.js'
import { type Reader, table } from '../../runtime/store/contract.js'
import type { Org, OrgPatch } from './schema.js'

export const orgTable = table<[orgId: string], Org>('org')

export function anyOrg(reader: Reader): Org | undefined {
  for (const { value } of reader.range(orgTable, { limit: 1 })) return value
  return undefined
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
