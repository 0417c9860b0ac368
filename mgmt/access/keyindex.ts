/**
 * Where every key is, by its hash: how a node that knows nothing of a key finds the org to ask about it. A row belongs to
 * an owner of its own and never changes. It says nothing about whether the key is good, which its org alone does.
 */
import type { Command, Query } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import type { KeyPlace } from './store.js'

const indexTable = table<[hashHex: string], KeyPlace>('apiKey.index')

interface OfHash {
  readonly hash: Uint8Array
}

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')

export function ownerOfHash(hash: Uint8Array): string {
  return `apikey:${hex(hash)}`
}

/** Answers the place that is on record from now on: one that was there already stays. */
const put: Command<OfHash & KeyPlace, KeyPlace> = {
  name: 'apiKey.index.put',
  decide(tx, { hash, orgId, keyId }) {
    const before = tx.get(indexTable, [hex(hash)])
    if (!before) tx.put(indexTable, [hex(hash)], { orgId, keyId })
    return before ?? { orgId, keyId }
  },
}

/** Puts that place on record whatever was there before: for a key whose record was made first. */
const claim: Command<OfHash & KeyPlace, true> = {
  name: 'apiKey.index.claim',
  decide(tx, { hash, orgId, keyId }) {
    tx.put(indexTable, [hex(hash)], { orgId, keyId })
    return true
  },
}

const remove: Command<OfHash & Pick<KeyPlace, 'keyId'>, boolean> = {
  name: 'apiKey.index.remove',
  decide(tx, { hash, keyId }) {
    if (tx.get(indexTable, [hex(hash)])?.keyId !== keyId) return false
    tx.remove(indexTable, [hex(hash)])
    return true
  },
}

const find: Query<OfHash, KeyPlace | null> = {
  name: 'apiKey.index.find',
  read: (reader, { hash }) => reader.get(indexTable, [hex(hash)]) ?? null,
}

export const keyIndex = { put, claim, remove, find }
