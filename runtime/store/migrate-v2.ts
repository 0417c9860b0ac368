/**
 * The migration from format 2, in which no table lay by owner: rows of a file, a log or a snapshot get the keys of format 3,
 * and nothing else of them changes.
 */

import type { Change } from './contract.js'
import type { Environment } from './environment.js'
import { keyBytes, keyParts, tableOfKey } from './key.js'
import { dataFormat, type Manifest, manifestTable } from './manifest.js'
import { boundsOf } from './range.js'
import { encodeWrites, ownSpace, spaceOfShard } from './space.js'

/** The tables that lie by owner since format 3; a newer table lies as its declaration says from its first record on. */
const movedTables: ReadonlySet<string> = new Set([
  ...['bulk.line', 'bulk.waiting', 'conversation', 'conversation.caller', 'conversation.directive'],
  ...['conversation.event', 'conversation.outgoing', 'conversation.parked', 'conversation.provider'],
  ...['conversation.seen', 'conversation.turn', 'shard.answered', 'shard.timerNames', 'webchat.head', 'webchat.line'],
])

const rowsAtOnce = 1_000

/** The same bytes where the key is that of another table, or was migrated before. */
function migrateKey(key: Buffer): Buffer {
  const name = tableOfKey(key)
  return movedTables.has(name) ? keyBytes({ name, isByOwner: true }, keyParts(key)) : key
}

export function migrateKeys(changes: readonly Change[]): Change[] {
  return changes.map(({ key, value }) => ({ key: migrateKey(key), value }))
}

type Migrated = Pick<Environment, 'slice' | 'write'>

/**
 * Migrates a data file, some rows at a time; a migration that was cut short goes on when it is begun again. The manifest
 * names the new format first, so that no older program takes half-migrated data for whole.
 */
export async function migrate(
  environment: Migrated,
  { isHalfCarried: _begun, ...before }: Manifest,
): Promise<Manifest> {
  const manifest: Manifest = { ...before, format: dataFormat }
  const save = (value: Manifest) =>
    environment.write([{ space: ownSpace, changes: encodeWrites([{ table: manifestTable, key: [], value }]) }])
  await save({ ...manifest, isHalfCarried: true })
  for (let space = ownSpace; space <= spaceOfShard(manifest.shards - 1); space++) await moveRows(environment, space)
  await save(manifest)
  return manifest
}

async function moveRows(environment: Migrated, space: number): Promise<void> {
  for (const name of movedTables) {
    for (;;) {
      const rows = environment.slice(space, boundsOf({ name }, {}), rowsAtOnce)
      if (rows.length === 0) break
      const changes = rows.flatMap((row) => [...migrateKeys([row]), { key: row.key, value: undefined }])
      await environment.write([{ space, changes }])
    }
  }
}
