/** The commands that change an org's API keys, and all that this area has running where its shards are. */
import type { Scope } from '../../core/access.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { apiKey as limits } from '../../core/limits.js'
import type { OrgEventName, OrgEventPayload } from '../../core/orgevents.js'
import type { Command, Repertoire, Told, Tx } from '../../runtime/shard/contract.js'
import { keyIndex, ownerOfHash } from './keyindex.js'
import type { ApiKey, ApiKeyPatch } from './schema.js'
import { type KeyPlace, type KeyRecord, keyQueries, keyTable, shownKey } from './store.js'

export interface NewKey {
  readonly orgId: string
  /** Made before the command is asked, because by then any node can find the key by its hash. */
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly scopes: Scope[]
  readonly expiresAt?: string
  readonly prefix: string
  readonly hash: Uint8Array
  readonly sysop?: true
}

export function addKey(tx: Tx, input: NewKey, told: Told): KeyRecord | Refusal {
  if (input.expiresAt && Date.parse(input.expiresAt) <= told.at) return invalid('expiresAt', 'must be in the future')
  let count = 0
  for (const _ of tx.range(keyTable, { prefix: [input.orgId] })) count++
  if (count >= limits.perOrg) return invalid('name', `an org has at most ${limits.perOrg} keys; delete one first`)
  const now = new Date(told.at).toISOString()
  const record: KeyRecord = { ...input, createdAt: now, updatedAt: now }
  tx.put(keyTable, [input.orgId, record.id], record)
  return record
}

const patch: Command<KeyPlace & { readonly patch: ApiKeyPatch }, ApiKey> = {
  name: 'apiKey.patch',
  decide(tx, { orgId, keyId, patch }, told) {
    const record = tx.get(keyTable, [orgId, keyId])
    if (!record) return refuse('resource.not_found')
    if (patch.scopes && told.by?.id === keyId) return invalid('scopes', 'a key cannot change its own scopes')
    if (patch.expiresAt && Date.parse(patch.expiresAt) <= told.at) return invalid('expiresAt', 'must be in the future')
    const { description, expiresAt, ...rest } = { ...record, ...patch }
    const changed: KeyRecord = { ...rest, updatedAt: new Date(told.at).toISOString() }
    if (description) changed.description = description
    if (expiresAt) changed.expiresAt = expiresAt
    tx.put(keyTable, [orgId, keyId], changed)
    return shownKey(changed)
  },
}

/** Several nodes may note the use of one key; it is written as seldom as if there were one. */
const used: Command<KeyPlace & { readonly at: number }, boolean> = {
  name: 'apiKey.used',
  decide(tx, { orgId, keyId, at }) {
    const record = tx.get(keyTable, [orgId, keyId])
    if (!record) return false
    if (record.lastUsedAt && at - Date.parse(record.lastUsedAt) < limits.lastUsedEveryMs) return false
    tx.put(keyTable, [orgId, keyId], { ...record, lastUsedAt: new Date(at).toISOString() })
    return true
  },
}

/** `orgEvent` is the command by which the org's webhooks are told. */
export function keyCommands(orgEvent: Command<OrgEventPayload, unknown>) {
  function announce(tx: Tx, type: OrgEventName, { orgId, id, name, prefix, scopes }: KeyRecord, { by }: Told): void {
    tx.tell(orgId, orgEvent, { type, orgId, data: { id, name, prefix, scopes, by } })
  }

  const create: Command<NewKey, ApiKey> = {
    name: 'apiKey.create',
    decide(tx, input, told) {
      const record = addKey(tx, input, told)
      if (isRefusal(record)) return record
      announce(tx, 'api_key.created', record, told)
      return shownKey(record)
    },
  }

  const revoke: Command<KeyPlace, true> = {
    name: 'apiKey.revoke',
    decide(tx, { orgId, keyId }, told) {
      const record = tx.get(keyTable, [orgId, keyId])
      if (!record) return refuse('resource.not_found')
      tx.remove(keyTable, [orgId, keyId])
      tx.tell(ownerOfHash(record.hash), keyIndex.remove, { hash: record.hash, keyId })
      announce(tx, 'api_key.revoked', record, told)
      return true
    },
  }

  return { create, patch, revoke, used }
}
export type KeyCommands = ReturnType<typeof keyCommands>

export function accessRepertoire(commands: KeyCommands): Pick<Repertoire, 'commands' | 'queries'> {
  return {
    commands: [...Object.values(commands), keyIndex.put, keyIndex.remove],
    queries: [...Object.values(keyQueries), keyIndex.find],
  }
}
