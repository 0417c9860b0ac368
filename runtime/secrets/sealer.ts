/** Seals and opens secrets of an org with its data key, which is stored sealed by the root key. */
import { isRefusal, type Refusal } from '../../core/errors.js'
import { sealing } from '../../core/limits/index.js'
import type { Handlers, Query, Shards } from '../shard/contract.js'
import { table } from '../store/contract.js'
import { newDataKey, open, openDataKey, seal, sealDataKey } from './seal.js'

/** Sealed by the root key, written once with the org and never changed. */
export const dataKeyTable = table<[orgId: string], Uint8Array>('org.dataKey')

const sealedDataKey: Query<{ readonly orgId: string }, Uint8Array | null> = {
  name: 'org.dataKey',
  read: (reader, { orgId }) => reader.get(dataKeyTable, [orgId]) ?? null,
}

export const sealerHandlers: Pick<Handlers, 'commands' | 'queries'> = { commands: [], queries: [sealedDataKey] }

/** A refusal means that the org's shard could not be queried for its data key. */
export interface Sealer {
  /** A new data key, already sealed; the command that creates the org stores it in `dataKeyTable`. */
  newDataKeyFor(orgId: string): Uint8Array
  /** Seals a value that the same command stores, before the data key can be queried. */
  sealWith(dataKey: Uint8Array, orgId: string, kind: string, id: string, plaintext: string): Uint8Array
  seal(orgId: string, kind: string, id: string, plaintext: string): Promise<Uint8Array | Refusal>
  /** Rejects when the secret was changed, or sealed for another org, kind or id. */
  open(orgId: string, kind: string, id: string, sealed: Uint8Array): Promise<string | Refusal>
}

export function createSealer(root: Uint8Array, shards: Shards): Sealer {
  const dataKeys = new Map<string, Buffer>()

  async function dataKeyOf(orgId: string): Promise<Buffer | Refusal> {
    const cached = dataKeys.get(orgId)
    if (cached) return cached
    const sealed = await shards.query(orgId, sealedDataKey, { orgId })
    if (isRefusal(sealed)) return sealed
    if (!sealed) throw new Error('an org has no data key')
    const key = openDataKey(root, sealed, orgId)
    if (dataKeys.size >= sealing.cachedDataKeys) dataKeys.delete(dataKeys.keys().next().value!)
    dataKeys.set(orgId, key)
    return key
  }

  return {
    newDataKeyFor: (orgId) => sealDataKey(root, newDataKey(), orgId),
    sealWith: (dataKey, orgId, kind, id, plaintext) =>
      seal(openDataKey(root, dataKey, orgId), { orgId, kind, id }, plaintext),
    async seal(orgId, kind, id, plaintext) {
      const key = await dataKeyOf(orgId)
      return isRefusal(key) ? key : seal(key, { orgId, kind, id }, plaintext)
    },
    async open(orgId, kind, id, sealed) {
      const key = await dataKeyOf(orgId)
      return isRefusal(key) ? key : open(key, { orgId, kind, id }, sealed).toString()
    },
  }
}
