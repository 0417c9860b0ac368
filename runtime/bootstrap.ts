/**
 * The first start: an org, its data key and an API key with every scope, made together or not at all. Nodes that start at
 * once on an empty installation all try; the shards decide who did it, and only that one has a key to show.
 */
import { scopes } from '../core/access.js'
import { isRefusal, type Refusal } from '../core/errors.js'
import { idFromBytes } from '../core/ids.js'
import { firstStart } from '../core/limits.js'
import { addKey } from '../mgmt/access/commands.js'
import { newKeyId } from '../mgmt/access/issue.js'
import { keyIndex, ownerOfHash } from '../mgmt/access/keyindex.js'
import { hashKey, makeKey, shownPrefix } from '../mgmt/access/keys.js'
import { anyOrg, createOrg, orgName, orgTable } from '../mgmt/orgs/store.js'
import type { Command, Repertoire, Shards } from './shard/contract.js'
import { table } from './store/contract.js'
import { dataKeyTable, type Sealer } from './store/sealer.js'

const installation = 'installation:'
const firstOrgTable = table<[], string>('installation.firstOrg')

/** Nodes that were told different orgs agree on one here. */
const settleFirstOrg: Command<{ readonly orgId: string }, string> = {
  name: 'bootstrap.settle',
  decide(tx, { orgId }) {
    const before = tx.get(firstOrgTable, [])
    if (before === undefined) tx.put(firstOrgTable, [], orgId)
    return before ?? orgId
  },
}

interface FirstOrg {
  readonly orgId: string
  readonly name: string
  readonly dataKey: Uint8Array
  readonly keyId: string
  readonly keyPrefix: string
  readonly keyHash: Uint8Array
}

/** Answers whether it made the org; one that is there stays as it is. */
const makeFirstOrg: Command<FirstOrg, boolean> = {
  name: 'bootstrap.make',
  decide(tx, { orgId, name, dataKey, keyId, keyPrefix, keyHash }, told) {
    if (tx.get(orgTable, [orgId])) return false
    createOrg.decide(tx, { id: orgId, name }, told)
    tx.put(dataKeyTable, [orgId], dataKey)
    const key = { orgId, id: keyId, name: 'Bootstrap key', scopes: [...scopes], prefix: keyPrefix, hash: keyHash }
    const made = addKey(tx, { ...key, sysop: true }, told)
    return isRefusal(made) ? made : true
  },
}

export const bootstrapRepertoire: Pick<Repertoire, 'commands' | 'queries'> = {
  commands: [settleFirstOrg, makeFirstOrg],
  queries: [],
}

export interface Bootstrapped {
  readonly orgId: string
  /** Present on the first start only, and there on one node only. */
  readonly key?: string
}

export async function bootstrap(options: {
  shards: Shards
  sealer: Sealer
  orgId: string
  key?: string
  randomBytes: (count: number) => Uint8Array
}): Promise<Bootstrapped> {
  const { shards, sealer, randomBytes } = options
  const known = await orgThere(shards, options.orgId)
  if (known !== undefined) return { orgId: known }
  function ask<I, R>(owner: string, command: Command<I, R>, input: I): Promise<R> {
    const id = idFromBytes('cmd', randomBytes(17))
    return insist(() => shards.ask(owner, command, input, { id }))
  }
  const orgId = await ask(installation, settleFirstOrg, { orgId: options.orgId })
  const key = options.key ?? makeKey(randomBytes)
  const hash = hashKey(key)
  // Nodes that were given the same key find the same id here. Nobody takes a row back: it may be the one another uses.
  const { keyId } = await ask(ownerOfHash(hash), keyIndex.put, { hash, orgId, keyId: newKeyId(randomBytes) })
  const isMade = await ask(orgId, makeFirstOrg, {
    orgId,
    name: orgId.replace(/-/g, ' ').replace(/^./, (letter) => letter.toUpperCase()),
    dataKey: sealer.newKeyFor(orgId),
    keyId,
    keyPrefix: shownPrefix(key),
    keyHash: hash,
  })
  return isMade ? { orgId, key } : { orgId }
}

/** The org of the configuration is the usual one, and looking for it needs one shard only. */
async function orgThere(shards: Shards, orgId: string): Promise<string | undefined> {
  if ((await insist(() => shards.read(orgId, orgName, { orgId }))) !== null) return orgId
  const found = await insist(() => shards.readAll(anyOrg, {}))
  return found.find((each) => each !== null) ?? undefined
}

/** A cluster that is just coming up needs a while until every shard is served. */
async function insist<R>(question: () => Promise<R | Refusal>): Promise<R> {
  let answer = await question()
  for (
    let asked = 1;
    isRefusal(answer) && answer.refused === 'service.unavailable' && asked < firstStart.asks;
    asked++
  ) {
    answer = await question()
  }
  if (!isRefusal(answer)) return answer
  throw new Error(
    `The first org could not be looked for or made. ${answer.detail ?? 'Nobody serves its shard just now.'}`,
  )
}
