/**
 * The first start: an org, its data key and an API key with every scope, made together or not at all. Nodes that start at
 * once on an empty installation all try; the shards decide who did it, and only that one has a key to show.
 */
import { scopes } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { firstStart } from '../../core/limits.js'
import { addKey, type KeyCommands } from '../../mgmt/access/commands.js'
import { newKeyId } from '../../mgmt/access/issue.js'
import { keyIndex, ownerOfHash } from '../../mgmt/access/keyindex.js'
import { hashKey, makeKey, shownPrefix } from '../../mgmt/access/keys.js'
import { recoveredAction } from '../../mgmt/audit/actions.js'
import type { Trail } from '../../mgmt/audit/trail.js'
import { anyOrg, createOrg, orgName, orgTable } from '../../mgmt/orgs/store.js'
import type { Command, Query, Repertoire, Shards } from '../shard/contract.js'
import { table } from '../store/contract.js'
import { dataKeyTable, type Sealer } from '../store/sealer.js'

const installation = 'installation:'
const unshownKind = 'firstKey'
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
  /** The key itself, sealed, of a first start that has to show it. */
  readonly unshown?: Uint8Array
}

/** A key that was made here and that no start has shown yet. */
const unshownTable = table<[orgId: string], { readonly keyId: string; readonly sealed: Uint8Array }>(
  'installation.unshown',
)

const findUnshown: Query<{ readonly orgId: string }, { readonly keyId: string; readonly sealed: Uint8Array } | null> = {
  name: 'bootstrap.unshown',
  read: (reader, { orgId }) => reader.get(unshownTable, [orgId]) ?? null,
}

const noteShown: Command<{ readonly orgId: string }, true> = {
  name: 'bootstrap.shown',
  decide(tx, { orgId }) {
    tx.remove(unshownTable, [orgId])
    return true
  },
}

/** Answers whether it made the org; one that is there stays as it is. */
const makeFirstOrg: Command<FirstOrg, boolean> = {
  name: 'bootstrap.make',
  decide(tx, { orgId, name, dataKey, keyId, keyPrefix, keyHash, unshown }, told) {
    if (tx.get(orgTable, [orgId])) return false
    createOrg.decide(tx, { id: orgId, name }, told)
    tx.put(dataKeyTable, [orgId], dataKey)
    if (unshown) tx.put(unshownTable, [orgId], { keyId, sealed: unshown })
    const key = { orgId, id: keyId, name: 'Bootstrap key', scopes: [...scopes], prefix: keyPrefix, hash: keyHash }
    const made = addKey(tx, { ...key, sysop: true }, told)
    return isRefusal(made) ? made : true
  },
}

export const bootstrapRepertoire: Pick<Repertoire, 'commands' | 'queries'> = {
  commands: [settleFirstOrg, makeFirstOrg, noteShown],
  queries: [findUnshown],
}

export interface Bootstrapped {
  readonly orgId: string
  /** Present on the first start only, and there on one node only; and again at each start until one has shown it. */
  readonly key?: string
  /** To be called once a key that was made here has been shown: no later start shows it then. */
  readonly shown?: () => Promise<void>
}

export async function bootstrap(options: {
  shards: Shards
  sealer: Sealer
  orgId: string
  key?: string
  randomBytes: (count: number) => Uint8Array
  /** Present when the given key is to be the system operator's again. */
  recovery?: { readonly recover: KeyCommands['recover']; readonly note: Trail['note'] }
}): Promise<Bootstrapped> {
  const { shards, sealer, randomBytes, recovery } = options
  const known = await orgThere(shards, options.orgId)
  if (known !== undefined && recovery && options.key) await recoverOperator(known, options.key, recovery)
  if (known !== undefined) return unshownOf(known)

  /** Other operators' keys stay as they are. Done again, at a start or by another node, it changes nothing more. */
  async function recoverOperator(orgId: string, key: string, { recover, note }: NonNullable<typeof recovery>) {
    const hash = hashKey(key)
    const place = await insist(() => shards.read(ownerOfHash(hash), keyIndex.find, { hash }))
    if (place && place.orgId !== orgId) {
      throw new Error(`PARLEY_BOOTSTRAP_KEY is a key of another org than ${orgId}. Recover with another one.`)
    }
    const about = { orgId, id: newKeyId(randomBytes), name: 'Recovered operator key', prefix: shownPrefix(key), hash }
    const keyId = await ask(orgId, recover, about)
    // The row comes last and replaces the one before: that of a key that was revoked may only now be taken away.
    await ask(ownerOfHash(hash), keyIndex.claim, { hash, orgId, keyId })
    await note(orgId, { actor: { kind: 'system', id: 'start' }, action: recoveredAction, target: keyId })
  }

  async function unshownOf(orgId: string): Promise<Bootstrapped> {
    const kept = await insist(() => shards.read(orgId, findUnshown, { orgId }))
    const key = kept && (await insist(() => sealer.open(orgId, unshownKind, kept.keyId, kept.sealed)))
    return key ? { orgId, key, shown: shownIn(orgId) } : { orgId }
  }

  function shownIn(orgId: string) {
    return async () => {
      await ask(orgId, noteShown, { orgId })
    }
  }

  function ask<I, R>(owner: string, command: Command<I, R>, input: I): Promise<R> {
    const id = idFromBytes('cmd', randomBytes(17))
    return insist(() => shards.ask(owner, command, input, { id }))
  }
  const orgId = await ask(installation, settleFirstOrg, { orgId: options.orgId })
  const key = options.key ?? makeKey(randomBytes)
  const hash = hashKey(key)
  // Nodes that were given the same key find the same id here. Nobody takes a row back: it may be the one another uses.
  const { keyId } = await ask(ownerOfHash(hash), keyIndex.put, { hash, orgId, keyId: newKeyId(randomBytes) })
  const dataKey = sealer.newKeyFor(orgId)
  const unshown = options.key ? undefined : sealer.sealWith(dataKey, orgId, unshownKind, keyId, key)
  const isMade = await ask(orgId, makeFirstOrg, {
    orgId,
    name: orgId.replace(/-/g, ' ').replace(/^./, (letter) => letter.toUpperCase()),
    dataKey,
    keyId,
    keyPrefix: shownPrefix(key),
    keyHash: hash,
    ...(unshown && { unshown }),
  })
  if (!isMade) return { orgId }
  return options.key ? { orgId, key } : { orgId, key, shown: shownIn(orgId) }
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
