/** Issues an API key that any node recognises from the moment of the answer. */
import type { Actor } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { KeyCommands, NewKey } from './commands.js'
import { keyIndex, ownerOfHash } from './keyindex.js'
import { generateKey, hashKey, keyPrefix } from './keys.js'
import type { ApiKey } from './schema.js'

export interface IssueKeyDeps {
  readonly shards: Shards
  readonly commands: Pick<KeyCommands, 'create'>
  readonly randomBytes: (count: number) => Uint8Array
}

export const newKeyId = (randomBytes: IssueKeyDeps['randomBytes']): string => idFromBytes('key', randomBytes(17))

/**
 * Writes the index first: an index row without its key is harmless, while a key without its row would be listed and not
 * usable.
 */
export async function issueKey(
  { shards, commands, randomBytes }: IssueKeyDeps,
  input: Omit<NewKey, 'id' | 'prefix' | 'hash'>,
  by?: Actor,
): Promise<(ApiKey & { readonly key: string }) | Refusal> {
  const key = generateKey(randomBytes)
  const hash = hashKey(key)
  const id = newKeyId(randomBytes)
  const indexed = await shards.execute(ownerOfHash(hash), keyIndex.put, { hash, orgId: input.orgId, keyId: id })
  if (isRefusal(indexed)) return indexed
  const created = await shards.execute(
    input.orgId,
    commands.create,
    { ...input, id, prefix: keyPrefix(key), hash },
    { by },
  )
  if (!isRefusal(created)) return { ...created, key }
  shards.execute(ownerOfHash(hash), keyIndex.remove, { hash, keyId: id }).catch(() => {
    // A row that stays is harmless: its key was never given out.
  })
  return created
}
