/** The commands that change an org's API keys. */
import { timingSafeEqual } from 'node:crypto'
import { type Scope, scopes } from '../../core/access.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { apiKey as limits } from '../../core/limits/index.js'
import type { OrgEventName, OrgEventPayload } from '../../core/orgevents.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { keyIndex, ownerOfHash } from './keyindex.js'
import type { ApiKey, ApiKeyPatch } from './schema.js'
import { type KeyRecord, type KeyRef, keyTable, keyView } from './store.js'

export interface NewKey {
  readonly orgId: string
  /** Generated before the command runs, because any node must be able to find the key by its hash by then. */
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly scopes: Scope[]
  readonly expiresAt?: string
  readonly prefix: string
  readonly hash: Uint8Array
  readonly sysop?: true
}

export function addKey(tx: Tx, input: NewKey, meta: CommandMeta): KeyRecord | Refusal {
  if (input.expiresAt && Date.parse(input.expiresAt) <= meta.at) return invalid('expiresAt', 'must be in the future')
  let count = 0
  for (const _ of tx.range(keyTable, { prefix: [input.orgId] })) count++
  if (count >= limits.perOrg) return invalid('name', `an org has at most ${limits.perOrg} keys; delete one first`)
  const now = new Date(meta.at).toISOString()
  const record: KeyRecord = { ...input, createdAt: now, updatedAt: now }
  tx.put(keyTable, [input.orgId, record.id], record)
  return record
}

/** A key, and whether a system operator makes the request: other callers may not change or revoke an operator's key. */
export interface KeyRequest extends KeyRef {
  readonly isSysop: boolean
}

function loadEditableKey(tx: Tx, { orgId, keyId, isSysop }: KeyRequest): KeyRecord | Refusal {
  const record = tx.get(keyTable, [orgId, keyId])
  if (!record) return refuse('resource.not_found')
  if (record.sysop && !isSysop) {
    return refuse('auth.forbidden', { detail: 'Only a system operator changes or removes a system operator’s key.' })
  }
  return record
}

const patch: Command<KeyRequest & { readonly patch: ApiKeyPatch }, ApiKey> = {
  name: 'apiKey.patch',
  decide(tx, { patch, ...request }, meta) {
    const record = loadEditableKey(tx, request)
    if (isRefusal(record)) return record
    const { orgId, keyId } = request
    if (patch.scopes && (meta.by?.id === keyId || meta.by?.keyId === keyId))
      return invalid('scopes', 'a key cannot change its own scopes')
    if (patch.expiresAt && Date.parse(patch.expiresAt) <= meta.at) return invalid('expiresAt', 'must be in the future')
    const { description, expiresAt, ...rest } = { ...record, ...patch }
    const changed: KeyRecord = { ...rest, updatedAt: new Date(meta.at).toISOString() }
    if (description) changed.description = description
    if (expiresAt) changed.expiresAt = expiresAt
    tx.put(keyTable, [orgId, keyId], changed)
    return keyView(changed)
  },
}

/**
 * Makes the key of that hash a system operator's, or adds it as one; answers its id. The limit on keys does not apply.
 */
const recover: Command<Pick<NewKey, 'orgId' | 'id' | 'name' | 'prefix' | 'hash'>, string> = {
  name: 'apiKey.recover',
  decide(tx, input, meta) {
    const { orgId, hash } = input
    const now = new Date(meta.at).toISOString()
    const existing = [...tx.range(keyTable, { prefix: [orgId] })].find(({ value }) => timingSafeEqual(value.hash, hash))
    const before: Omit<KeyRecord, 'scopes' | 'updatedAt'> = existing?.value ?? { ...input, createdAt: now }
    const record: KeyRecord = { ...before, scopes: [...scopes], sysop: true, updatedAt: now }
    delete record.expiresAt
    tx.put(keyTable, [orgId, record.id], record)
    return record.id
  },
}

/** Several nodes may report uses of one key; the owner writes as seldom as for one node. */
const recordUse: Command<KeyRef & { readonly at: number }, boolean> = {
  name: 'apiKey.recordUse',
  decide(tx, { orgId, keyId, at }) {
    const record = tx.get(keyTable, [orgId, keyId])
    if (!record) return false
    if (record.lastUsedAt && at - Date.parse(record.lastUsedAt) < limits.lastUsedEveryMs) return false
    tx.put(keyTable, [orgId, keyId], { ...record, lastUsedAt: new Date(at).toISOString() })
    return true
  },
}

/** `orgEvent` is the command that sends an event to the org's webhooks. */
export function createKeyCommands(orgEvent: Command<OrgEventPayload, unknown>) {
  function emitOrgEvent(
    tx: Tx,
    type: OrgEventName,
    { orgId, id, name, prefix, scopes }: KeyRecord,
    { by }: CommandMeta,
  ): void {
    tx.send(orgId, orgEvent, { type, orgId, data: { id, name, prefix, scopes, by } })
  }

  const create: Command<NewKey, ApiKey> = {
    name: 'apiKey.create',
    decide(tx, input, meta) {
      const record = addKey(tx, input, meta)
      if (isRefusal(record)) return record
      emitOrgEvent(tx, 'api_key.created', record, meta)
      return keyView(record)
    },
  }

  const revoke: Command<KeyRequest, true> = {
    name: 'apiKey.revoke',
    decide(tx, request, meta) {
      const record = loadEditableKey(tx, request)
      if (isRefusal(record)) return record
      const { orgId, keyId } = request
      tx.remove(keyTable, [orgId, keyId])
      tx.send(ownerOfHash(record.hash), keyIndex.remove, { hash: record.hash, keyId })
      emitOrgEvent(tx, 'api_key.revoked', record, meta)
      return true
    },
  }

  return { create, patch, revoke, recover, recordUse }
}
export type KeyCommands = ReturnType<typeof createKeyCommands>
