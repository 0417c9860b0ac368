/** Where API keys are kept, and the changes they go through. The key itself never comes here: only its hash does. */
import type { Scope } from '../../core/access.js'
import { invalid, refuse } from '../../core/errors.js'
import { apiKey as limits } from '../../core/limits.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { type Reader, table } from '../../runtime/store/contract.js'
import type { ApiKey, ApiKeyPatch } from './schema.js'

export interface KeyRecord extends ApiKey {
  orgId: string
  scopes: Scope[]
  /** SHA-256 of the key. */
  hash: Uint8Array
  /** The key the installation was born with: it may call what only system operators may. */
  sysop?: true
}

export const keyTable = table<[orgId: string, keyId: string], KeyRecord>('apiKey')

export function keysOf(reader: Reader, orgId: string): KeyRecord[] {
  const records = [...reader.range(keyTable, { prefix: [orgId] })].map(({ value }) => value)
  return records.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1))
}

export function shownKey({ orgId: _o, hash: _h, sysop: _s, ...shown }: KeyRecord): ApiKey {
  return shown
}

interface NewKey {
  orgId: string
  name: string
  description?: string
  scopes: Scope[]
  expiresAt?: string
  prefix: string
  hash: Uint8Array
  sysop?: true
}

export const createKey: Command<NewKey, KeyRecord> = {
  name: 'apiKey.create',
  decide(tx, input, told) {
    if (input.expiresAt && Date.parse(input.expiresAt) <= told.at) return invalid('expiresAt', 'must be in the future')
    let count = 0
    for (const _ of tx.range(keyTable, { prefix: [input.orgId] })) count++
    if (count >= limits.perOrg) return invalid('name', `an org has at most ${limits.perOrg} keys; delete one first`)
    const now = new Date(told.at).toISOString()
    const record: KeyRecord = { id: told.mint('key'), ...input, createdAt: now, updatedAt: now }
    tx.put(keyTable, [input.orgId, record.id], record)
    announce(tx, 'api_key.created', record, told.by)
    return record
  },
}

export const patchKey: Command<{ orgId: string; keyId: string; patch: ApiKeyPatch }, KeyRecord> = {
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
    return changed
  },
}

export const revokeKey: Command<{ orgId: string; keyId: string }, true> = {
  name: 'apiKey.revoke',
  decide(tx, { orgId, keyId }, told) {
    const record = tx.get(keyTable, [orgId, keyId])
    if (!record) return refuse('resource.not_found')
    tx.remove(keyTable, [orgId, keyId])
    announce(tx, 'api_key.revoked', record, told.by)
    return true
  },
}

export const markKeyUsed: Command<{ orgId: string; keyId: string; at: number }, boolean> = {
  name: 'apiKey.used',
  decide(tx, { orgId, keyId, at }) {
    const record = tx.get(keyTable, [orgId, keyId])
    if (!record) return false
    tx.put(keyTable, [orgId, keyId], { ...record, lastUsedAt: new Date(at).toISOString() })
    return true
  },
}

function announce(tx: Tx, type: string, key: KeyRecord, by: unknown): void {
  const { id, name, prefix, scopes } = key
  tx.effect({ kind: 'orgEvent', payload: { type, orgId: key.orgId, data: { id, name, prefix, scopes, by } } })
}
