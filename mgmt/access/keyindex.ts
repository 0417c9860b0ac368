/**
 * Where every key is, by its hash: how a node that knows nothing of a key finds the org to ask about it. A row belongs to
 * an owner of its own and never changes. It says nothing about whether the key is good, which its org alone does.
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

/** Answers the place that is on record from now on: one that was there already stays. */
const put: Command<KeyHash & KeyRef, KeyRef> = {
  name: 'apiKey.index.put',
  decide(tx, { hash, orgId, keyId }) {
    const before = tx.get(indexTable, [hex(hash)])
    if (!before) tx.put(indexTable, [hex(hash)], { orgId, keyId })
    return before ?? { orgId, keyId }
  },
}

/** Puts that place on record whatever was there before: for a key whose record was made first. */
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
