/** Seals and opens secrets of an org with its own data key, which is itself kept sealed by the root key. */
import { type Reader, table } from './contract.js'
import { newDataKey, open, openDataKey, seal, sealDataKey } from './seal.js'

export const dataKeyTable = table<[orgId: string], Uint8Array>('org.dataKey')

export interface Sealer {
  /** A new data key, already sealed: to be put into `dataKeyTable` in the command that makes the org. */
  newKeyFor(orgId: string): Uint8Array
  seal(orgId: string, kind: string, id: string, plaintext: string): Uint8Array
  /** Throws when the secret was changed, or sealed for another org, kind or id. */
  open(orgId: string, kind: string, id: string, sealed: Uint8Array): string
}

export function openSealer(root: Uint8Array, reader: Reader): Sealer {
  function keyOf(orgId: string): Buffer {
    const sealed = reader.get(dataKeyTable, [orgId])
    if (!sealed) throw new Error('an org has no data key')
    return openDataKey(root, sealed, orgId)
  }
  return {
    newKeyFor: (orgId) => sealDataKey(root, newDataKey(), orgId),
    seal: (orgId, kind, id, plaintext) => seal(keyOf(orgId), { orgId, kind, id }, plaintext),
    open: (orgId, kind, id, sealed) => open(keyOf(orgId), { orgId, kind, id }, sealed).toString(),
  }
}
