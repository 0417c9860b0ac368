/**
 * The first start: creates an org, its data key and an API key with every scope in one transaction. When several nodes
 * start on an empty installation, the shards decide which command creates the org; only that node shows a key.
 */
import { scopes } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { firstStart } from '../../core/limits/index.js'
import { addKey, type KeyCommands } from '../../mgmt/access/commands.js'
import { newKeyId } from '../../mgmt/access/issue.js'
import { keyIndex, ownerOfHash } from '../../mgmt/access/keyindex.js'
import { generateKey, hashKey, keyPrefix } from '../../mgmt/access/keys.js'
import { recoveredAction } from '../../mgmt/audit/actions.js'
import type { Trail } from '../../mgmt/audit/trail.js'
import { anyOrg, createOrg, orgName, orgTable } from '../../mgmt/orgs/store.js'
import { dataKeyTable, type Sealer } from '../secrets/sealer.js'
import type { Command, Handlers, Query, Shards } from '../shard/contract.js'
import { table } from '../store/contract.js'

const installation = 'installation:'
const pendingKeyKind = 'firstKey'
const firstOrgTable = table<[], string>('installation.firstOrg')

/** Nodes that are configured with different orgs agree on one here. */
const chooseFirstOrg: Command<{ readonly orgId: string }, string> = {
  name: 'bootstrap.chooseOrg',
  decide(tx, { orgId }) {
    const existing = tx.get(firstOrgTable, [])
    if (existing === undefined) tx.put(firstOrgTable, [], orgId)
    return existing ?? orgId
  },
}

interface FirstOrg {
  readonly orgId: string
  readonly name: string
  readonly dataKey: Uint8Array
  readonly keyId: string
  readonly keyPrefix: string
  readonly keyHash: Uint8Array
  /** The sealed key itself, for a first start that generated it. */
  readonly unshown?: Uint8Array
}

/** Generated keys that no start has shown yet. */
const pendingKeyTable = table<[orgId: string], { readonly keyId: string; readonly sealed: Uint8Array }>(
  'installation.unshown',
)

const findPendingKey: Query<
  { readonly orgId: string },
  { readonly keyId: string; readonly sealed: Uint8Array } | null
> = {
  name: 'bootstrap.unshown',
  read: (reader, { orgId }) => reader.get(pendingKeyTable, [orgId]) ?? null,
}

const markShown: Command<{ readonly orgId: string }, true> = {
  name: 'bootstrap.markShown',
  decide(tx, { orgId }) {
    tx.remove(pendingKeyTable, [orgId])
    return true
  },
}

/** Returns whether it created the org; an existing org stays unchanged. */
const createFirstOrg: Command<FirstOrg, boolean> = {
  name: 'bootstrap.createOrg',
  decide(tx, { orgId, name, dataKey, keyId, keyPrefix, keyHash, unshown }, meta) {
    if (tx.get(orgTable, [orgId])) return false
    createOrg.decide(tx, { id: orgId, name }, meta)
    tx.put(dataKeyTable, [orgId], dataKey)
    if (unshown) tx.put(pendingKeyTable, [orgId], { keyId, sealed: unshown })
    const key = { orgId, id: keyId, name: 'Bootstrap key', scopes: [...scopes], prefix: keyPrefix, hash: keyHash }
    const made = addKey(tx, { ...key, sysop: true }, meta)
    return isRefusal(made) ? made : true
  },
}

export const bootstrapModule: Pick<Handlers, 'commands' | 'queries'> = {
  commands: [chooseFirstOrg, createFirstOrg, markShown],
  queries: [findPendingKey],
}

export interface BootstrapResult {
  readonly orgId: string
  /** Present at the first start, on one node only, and at each later start until one has shown the key. */
  readonly key?: string
  /** Called once a generated key has been shown; later starts then do not show it. */
  readonly markShown?: () => Promise<void>
}

export async function bootstrap(options: {
  shards: Shards
  sealer: Sealer
  orgId: string
  key?: string
  randomBytes: (count: number) => Uint8Array
  /** Present when the given key is to be the system operator's key again. */
  recovery?: { readonly recover: KeyCommands['recover']; readonly note: Trail['record'] }
}): Promise<BootstrapResult> {
  const { shards, sealer, randomBytes, recovery } = options
  const existingOrg = await findExistingOrg(shards, options.orgId)
  if (existingOrg !== undefined && recovery && options.key) await recoverOperator(existingOrg, options.key, recovery)
  if (existingOrg !== undefined) return pendingKeyOf(existingOrg)

  /** Makes the key the system operator's again; keys of other operators stay. Idempotent over starts and nodes. */
  async function recoverOperator(orgId: string, key: string, { recover, note }: NonNullable<typeof recovery>) {
    const hash = hashKey(key)
    const keyOwner = await retryUntilServed(() => shards.query(ownerOfHash(hash), keyIndex.find, { hash }))
    if (keyOwner && keyOwner.orgId !== orgId) {
      throw new Error(`PARLEY_BOOTSTRAP_KEY is a key of another org than ${orgId}. Recover with another one.`)
    }
    const input = { orgId, id: newKeyId(randomBytes), name: 'Recovered operator key', prefix: keyPrefix(key), hash }
    const keyId = await execute(orgId, recover, input)
    // The index row comes last and replaces the previous one: a revoked key's row may be removed only now.
    await execute(ownerOfHash(hash), keyIndex.overwrite, { hash, orgId, keyId })
    await note(orgId, { actor: { kind: 'system', id: 'start' }, action: recoveredAction, target: keyId })
  }

  async function pendingKeyOf(orgId: string): Promise<BootstrapResult> {
    const pending = await retryUntilServed(() => shards.query(orgId, findPendingKey, { orgId }))
    const key =
      pending && (await retryUntilServed(() => sealer.open(orgId, pendingKeyKind, pending.keyId, pending.sealed)))
    return key ? { orgId, key, markShown: createMarkShown(orgId) } : { orgId }
  }

  function createMarkShown(orgId: string) {
    return async () => {
      await execute(orgId, markShown, { orgId })
    }
  }

  function execute<I, R>(owner: string, command: Command<I, R>, input: I): Promise<R> {
    const id = idFromBytes('cmd', randomBytes(17))
    return retryUntilServed(() => shards.execute(owner, command, input, { id }))
  }
  const orgId = await execute(installation, chooseFirstOrg, { orgId: options.orgId })
  const key = options.key ?? generateKey(randomBytes)
  const hash = hashKey(key)
  // Nodes with the same key get the same id here. The row is never rolled back: another node may use it.
  const { keyId } = await execute(ownerOfHash(hash), keyIndex.put, { hash, orgId, keyId: newKeyId(randomBytes) })
  const dataKey = sealer.newDataKeyFor(orgId)
  const unshown = options.key ? undefined : sealer.sealWith(dataKey, orgId, pendingKeyKind, keyId, key)
  const isMade = await execute(orgId, createFirstOrg, {
    orgId,
    name: orgId.replace(/-/g, ' ').replace(/^./, (letter) => letter.toUpperCase()),
    dataKey,
    keyId,
    keyPrefix: keyPrefix(key),
    keyHash: hash,
    ...(unshown && { unshown }),
  })
  if (!isMade) return { orgId }
  return options.key ? { orgId, key } : { orgId, key, markShown: createMarkShown(orgId) }
}

/** Checks the configured org first, which takes one shard only. */
async function findExistingOrg(shards: Shards, orgId: string): Promise<string | undefined> {
  if ((await retryUntilServed(() => shards.query(orgId, orgName, { orgId }))) !== null) return orgId
  const found = await retryUntilServed(() => shards.queryAll(anyOrg, {}))
  return found.find((each) => each !== null) ?? undefined
}

/** Retries while a starting cluster does not yet serve every shard. */
async function retryUntilServed<R>(request: () => Promise<R | Refusal>): Promise<R> {
  let answer = await request()
  for (
    let attempts = 1;
    isRefusal(answer) && answer.refused === 'service.unavailable' && attempts < firstStart.attempts;
    attempts++
  ) {
    answer = await request()
  }
  if (!isRefusal(answer)) return answer
  throw new Error(
    `The first org could not be found or created. ${answer.detail ?? 'Its shard has no owner at the moment.'}`,
  )
}
