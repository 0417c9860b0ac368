/**
 * The secrets of an installation that ids and tokens are derived from. The root key seals them, so they outlive a change
 * of that key, and an envelope that another key cannot open tells that a node was started with the wrong one.
 */
import { randomBytes } from 'node:crypto'
import { type Key, type Reader, type Store, type Table, table } from '../store/contract.js'
import { keyBytes, keyId, open, openDataKey, type SealContext, seal, sealKeyId } from './seal.js'
import { dataKeyTable } from './sealer.js'

export interface RootSecrets {
  /** For what must stay the same for the life of the data: user ids, and addresses of what people sent. */
  readonly identity: Buffer
  /** For what the installation signs: sessions, grants, page tokens. A new root key comes with a new one. */
  readonly signing: Buffer
}

/** The root key is not the one that the data was made with; `message` is a sentence for the operator. */
export class RootKeyMismatch extends Error {
  override readonly name = 'RootKeyMismatch'
}

/** Kept among what belongs to no shard. */
export const rootSecretsTable: Table<[], Uint8Array> = table<[], Uint8Array>('_rootSecrets')

const context: SealContext = { orgId: '', kind: 'rootSecrets', id: '' }

export function sealRootSecrets(root: Uint8Array, { identity, signing }: RootSecrets): Buffer {
  return seal(root, context, Buffer.concat([identity, signing]))
}

/** Undefined when another key sealed them. Rejects what was changed since. */
export function openRootSecrets(root: Uint8Array, sealed: Uint8Array): RootSecrets | undefined {
  if (sealKeyId(sealed) !== keyId(root)) return undefined
  const bytes = open(root, context, sealed)
  return { identity: bytes.subarray(0, keyBytes), signing: bytes.subarray(keyBytes) }
}

export function newRootSecrets(): RootSecrets {
  return { identity: randomBytes(keyBytes), signing: randomBytes(keyBytes) }
}

/** Installations of before derived everything from the root key itself, and their user ids stay as they are. */
export function legacySecrets(root: Buffer): RootSecrets {
  return { identity: root, signing: root }
}

/** A store as far as it is looked at here. */
export interface Spaces {
  readonly own: Reader
  space(shard: number): Reader
}

/** What the data says about the root key. `absent`: nothing in it was ever sealed. */
export type KeyVerdict = { readonly secrets: RootSecrets; readonly isStored: boolean } | 'wrong' | 'absent'

/** Data from before the secrets were kept is judged by the keys of its orgs: the root key must open every one. */
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

/** Puts the secrets on record beside the data. */
export async function saveRootSecrets({ own }: Pick<Store, 'own'>, sealed: Uint8Array): Promise<void> {
  await own.commit(own.encode([{ table: rootSecretsTable as Table<Key, unknown>, key: [], value: sealed }]))
}

export function rootKeyError(dir: string): RootKeyMismatch {
  return new RootKeyMismatch(
    `The data in ${dir} was made under another root key than the one given. Put its secret.key back, or set ` +
      'PARLEY_SECRET_KEY to the key that the data was made with; `parley keys rotate-root` changes the key of data.',
  )
}
