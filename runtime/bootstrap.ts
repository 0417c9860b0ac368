/** The first start: an org, its data key and an API key with every scope, made together or not at all. */
import { scopes } from '../core/access.js'
import { isRefusal } from '../core/errors.js'
import { hashKey, makeKey, shownPrefix } from '../mgmt/access/keys.js'
import { createKey } from '../mgmt/access/store.js'
import { anyOrg, createOrg } from '../mgmt/orgs/store.js'
import type { Command, Shards } from './shard/contract.js'
import type { Reader } from './store/contract.js'
import { dataKeyTable, type Sealer } from './store/sealer.js'

interface FirstOrg {
  orgId: string
  name: string
  dataKey: Uint8Array
  keyPrefix: string
  keyHash: Uint8Array
}

const makeFirstOrg: Command<FirstOrg, true> = {
  name: 'bootstrap',
  decide(tx, { orgId, name, dataKey, keyPrefix, keyHash }, told) {
    createOrg.decide(tx, { id: orgId, name }, told)
    tx.put(dataKeyTable, [orgId], dataKey)
    const key = { orgId, name: 'Bootstrap key', scopes: [...scopes], prefix: keyPrefix, hash: keyHash, sysop: true }
    const made = createKey.decide(tx, key as typeof key & { sysop: true }, told)
    return isRefusal(made) ? made : true
  },
}

export interface Bootstrapped {
  readonly orgId: string
  /** Present on the first start only. */
  readonly key?: string
}

export async function bootstrap(options: {
  shards: Shards
  reader: Reader
  sealer: Sealer
  orgId: string
  key?: string
  randomBytes: (count: number) => Uint8Array
}): Promise<Bootstrapped> {
  const known = anyOrg(options.reader)
  if (known) return { orgId: known.id }
  const { orgId, shards, sealer } = options
  const key = options.key ?? makeKey(options.randomBytes)
  const first: FirstOrg = {
    orgId,
    name: orgId.replace(/-/g, ' ').replace(/^./, (letter) => letter.toUpperCase()),
    dataKey: sealer.newKeyFor(orgId),
    keyPrefix: shownPrefix(key),
    keyHash: hashKey(key),
  }
  const made = await shards.ask(orgId, makeFirstOrg, first)
  if (isRefusal(made)) throw new Error(`the first org could not be made: ${made.refused}`)
  return { orgId, key }
}
