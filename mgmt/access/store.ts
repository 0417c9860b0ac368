/** Table and queries of API keys. The store holds the hash of a key, never the key. */
import { timingSafeEqual } from 'node:crypto'
import type { Scope } from '../../core/access.js'
import { refuse } from '../../core/errors.js'
import type { Query } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import type { ApiKey } from './schema.js'

export interface KeyRecord extends ApiKey {
  orgId: string
  scopes: Scope[]
  /** SHA-256 of the key. */
  hash: Uint8Array
  /** May call routes of system operators: the key of the first start, and keys that operators create. */
  sysop?: true
}

/** Org and id of a key. */
export interface KeyRef {
  readonly orgId: string
  readonly keyId: string
}

/** The rights of a key by its record. The reader compares `expiresAt` with its own clock. */
export interface KeyStatus {
  readonly scopes: readonly Scope[]
  readonly sysop: boolean
  readonly expiresAt?: number
  readonly lastUsedAt?: number
}

export const keyTable = table<[orgId: string, keyId: string], KeyRecord>('apiKey')

export function keyView({ orgId: _o, hash: _h, sysop, ...view }: KeyRecord): ApiKey {
  return sysop ? { ...view, isSysop: true } : view
}

export function keyStatusOf({ scopes, sysop, expiresAt, lastUsedAt }: KeyRecord): KeyStatus {
  return {
    scopes,
    sysop: sysop === true,
    ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
    ...(lastUsedAt !== undefined && { lastUsedAt: Date.parse(lastUsedAt) }),
  }
}

const list: Query<{ readonly orgId: string }, ApiKey[]> = {
  name: 'apiKey.list',
  read(reader, { orgId }) {
    const keys = Array.from(reader.range(keyTable, { prefix: [orgId] }), ({ value }) => keyView(value))
    return keys.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1))
  },
}

const read: Query<KeyRef, ApiKey> = {
  name: 'apiKey.read',
  read(reader, { orgId, keyId }) {
    const record = reader.get(keyTable, [orgId, keyId])
    return record ? keyView(record) : refuse('resource.not_found')
  },
}

/** Null for a key that was revoked or never created. */
const status: Query<KeyRef, KeyStatus | null> = {
  name: 'apiKey.status',
  read(reader, { orgId, keyId }) {
    const record = reader.get(keyTable, [orgId, keyId])
    return record ? keyStatusOf(record) : null
  },
}

/** As `status`, for a key that a caller presents by its hash: null also when the hash is another key's. */
const verify: Query<KeyRef & { readonly hash: Uint8Array }, KeyStatus | null> = {
  name: 'apiKey.verify',
  read(reader, { orgId, keyId, hash }) {
    const record = reader.get(keyTable, [orgId, keyId])
    return record && timingSafeEqual(record.hash, hash) ? keyStatusOf(record) : null
  },
}

export const keyQueries = { list, read, status, verify }
