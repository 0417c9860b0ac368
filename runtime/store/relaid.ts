/**
 * Keys as they were laid out before some tables lay by owner. What was written then, in a file, a log or a snapshot, is
 * given the keys that it has now: nothing else about it is another.
 */
import type { Change } from './contract.js'
import type { Environment } from './environment.js'
import { keyBytes, keyParts, tableOfKey } from './key.js'
import { boundsOf } from './range.js'

/** The tables that lie by owner since then; one that is new lies as it says from its first record on. */
const moved: ReadonlySet<string> = new Set([
  ...['bulk.line', 'bulk.waiting', 'conversation', 'conversation.caller', 'conversation.directive'],
  ...['conversation.event', 'conversation.outgoing', 'conversation.parked', 'conversation.provider'],
  ...['conversation.seen', 'conversation.turn', 'shard.answered', 'shard.timerNames', 'webchat.head', 'webchat.line'],
])

const rowsAtOnce = 1_000

/** The same bytes where the key is that of another table, or was laid out anew before. */
export function relaidKey(key: Buffer): Buffer {
  const name = tableOfKey(key)
  return moved.has(name) ? keyBytes({ name, isByOwner: true }, keyParts(key)) : key
}

export function relaid(changes: readonly Change[]): Change[] {
  return changes.map(({ key, value }) => ({ key: relaidKey(key), value }))
}

/** Moves all rows of a space, some at a time: what was cut short is finished by whoever begins again. */
export async function relay(environment: Pick<Environment, 'slice' | 'write'>, space: number): Promise<void> {
  for (const name of moved) {
    for (;;) {
      const rows = environment.slice(space, boundsOf({ name }, {}), rowsAtOnce)
      if (rows.length === 0) break
      const changes = rows.flatMap((row) => [...relaid([row]), { key: row.key, value: undefined }])
      await environment.write([{ space, changes }])
    }
  }
}
