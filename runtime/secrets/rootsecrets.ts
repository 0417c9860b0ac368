/**
 * The root secrets, from which an installation derives ids and tokens. The root key seals them, so they outlive a
 * rotation of that key, and an envelope of another key shows that a node was started with the wrong one.
 */
import { randomBytes } from 'node:crypto'
import { type Key, type Reader, type Store, type Table, table } from '../store/contract.js'
import { keyBytes, keyId, open, openDataKey, type SealContext, seal, sealKeyId } from './seal.js'
import { dataKeyTable } from './sealer.js'

export interface RootSecrets {
  /** For values that stay the same for the life of the data: user ids, and addresses of people's files. */
  readonly identity: Buffer
  /** For signatures of the installation: sessions, grants, page tokens. A rotation of the root key replaces it. */
  readonly signing: Buffer
}

/** The root key is not the one that seals the data; `message` is a sentence for the operator. */
export class RootKeyMismatch extends Error {
  override readonly name = 'RootKeyMismatch'
}

/** In the space that belongs to no shard. */
export const rootSecretsTable: Table<[], Uint8Array> = table<[], Uint8Array>('_rootSecrets')

const context: SealContext = { orgId: '', kind: 'rootSecrets', id: '' }

export function sealRootSecrets(root: Uint8Array, { identity, signing }: RootSecrets): Buffer {
  return seal(root, context, Buffer.concat([identity, signing]))
}

/** Undefined when another key sealed them. Throws when the envelope was changed. */
export function openRootSecrets(root: Uint8Array, sealed: Uint8Array): RootSecrets | undefined {
  if (sealKeyId(sealed) !== keyId(root)) return undefined
  const bytes = open(root, context, sealed)
  return { identity: bytes.subarray(0, keyBytes), signing: bytes.subarray(keyBytes) }
}

export function newRootSecrets(): RootSecrets {
  return { identity: randomBytes(keyBytes), signing: randomBytes(keyBytes) }
}

/** Older installations derived everything from the root key itself, and their user ids must stay the same. */
export function legacySecrets(root: Buffer): RootSecrets {
  return { identity: root, signing: root }
}

/** The part of a store that this file reads. */
export interface Spaces {
  readonly own: Reader
  space(shard: number): Reader
}

/** The verdict of the data on the root key. `absent`: the data has no sealed value. */
export type KeyVerdict = { readonly secrets: RootSecrets; readonly isStored: boolean } | 'wrong' | 'absent'

/** Older data without stored secrets is checked by the keys of its orgs: the root key must open every one. */
export function checkRootKey({ own, space }: Spaces, shards: number, root: Buffer): KeyVerdict {
  const stored = own.get(rootSecretsTable, [])
  if (stored) {
    const secrets = openRootSecrets(root, stored)
    return secrets ? { secrets, isStored: true } : 'wrong'
  }
  let isSealed = false
  for (const { orgId, sealed } of dataKeysIn({ space }, shards)) {
    if (sealKeyId(sealed) !== keyId(root)) return 'wrong'
    openDataKey(root, sealed, orgId)
    isSealed = true
  }
  return isSealed ? { secrets: legacySecrets(root), isStored: false } : 'absent'
}

/** The sealed data key of every org, with the shard that keeps it. */
export function* dataKeysIn({ space }: Pick<Spaces, 'space'>, shards: number) {
  for (let shard = 0; shard < shards; shard++) {
    for (const { key, value } of space(shard).range(dataKeyTable)) yield { shard, orgId: key[0], sealed: value }
  }
}

/** Stores the secrets in the node's own space. */
export async function saveRootSecrets({ own }: Pick<Store, 'own'>, sealed: Uint8Array): Promise<void> {
  await own.commit(own.encode([{ table: rootSecretsTable as Table<Key, unknown>, key: [], value: sealed }]))
}

export function rootKeyError(dir: string): RootKeyMismatch {
  return new RootKeyMismatch(
    `The data in ${dir} was made under another root key than the one given. Put its secret.key back, or set ` +
      'PARLEY_SECRET_KEY to the key that the data was made with; `parley keys rotate-root` changes the key of data.',
  )
}
