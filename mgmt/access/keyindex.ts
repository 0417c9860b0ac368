/**
 * Index from key hash to org and key id, by which a node that has not cached a key finds its org. Each row belongs to
 * an owner of its own and never changes. The org's shard alone knows the status of the key.
 */
import type { Command, Query } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import type { KeyRef } from './store.js'

const indexTable = table<[hashHex: string], KeyRef>('apiKey.index')

interface KeyHash {
  readonly hash: Uint8Array
}

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')

export function ownerOfHash(hash: Uint8Array): string {
  return `apikey:${hex(hash)}`
}

/** Inserts the key's location unless the hash has one; answers the location on record. */
const put: Command<KeyHash & KeyRef, KeyRef> = {
  name: 'apiKey.index.put',
  decide(tx, { hash, orgId, keyId }) {
    const before = tx.get(indexTable, [hex(hash)])
    if (!before) tx.put(indexTable, [hex(hash)], { orgId, keyId })
    return before ?? { orgId, keyId }
  },
}

/** Replaces the location on record: for a key whose record was created first. */
const overwrite: Command<KeyHash & KeyRef, true> = {
  name: 'apiKey.index.overwrite',
  decide(tx, { hash, orgId, keyId }) {
    tx.put(indexTable, [hex(hash)], { orgId, keyId })
    return true
  },
}

const remove: Command<KeyHash & Pick<KeyRef, 'keyId'>, boolean> = {
  name: 'apiKey.index.remove',
  decide(tx, { hash, keyId }) {
    if (tx.get(indexTable, [hex(hash)])?.keyId !== keyId) return false
    tx.remove(indexTable, [hex(hash)])
    return true
  },
}

const find: Query<KeyHash, KeyRef | null> = {
  name: 'apiKey.index.find',
  read: (reader, { hash }) => reader.get(indexTable, [hex(hash)]) ?? null,
}

export const keyIndex = { put, overwrite, remove, find }
