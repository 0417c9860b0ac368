/**
 * Keys as they were laid out before some tables lay by owner. What was written then, in a file, a log or a snapshot, is
 * given the keys that it has now: nothing else about it is another.
 */
import { type About, aboutTable, dataFormat } from './about.js'
import type { Change } from './contract.js'
import type { Environment } from './environment.js'
import { keyBytes, keyParts, tableOfKey } from './key.js'
import { boundsOf } from './range.js'
import { encodeWrites, ownSpace, spaceOfShard } from './space.js'

/** The tables that lie by owner since then; one that is new lies as it says from its first record on. */
const moved: ReadonlySet<string> = new Set([
  ...['bulk.line', 'bulk.waiting', 'conversation', 'conversation.caller', 'conversation.directive'],
  ...['conversation.event', 'conversation.outgoing', 'conversation.parked', 'conversation.provider'],
  ...['conversation.seen', 'conversation.turn', 'shard.answered', 'shard.timerNames', 'webchat.head', 'webchat.line'],
])

const rowsAtOnce = 1_000

/** The same bytes where the key is that of another table, or was laid out anew before. */
function relaidKey(key: Buffer): Buffer {
  const name = tableOfKey(key)
  return moved.has(name) ? keyBytes({ name, isByOwner: true }, keyParts(key)) : key
}

export function relaid(changes: readonly Change[]): Change[] {
  return changes.map(({ key, value }) => ({ key: relaidKey(key), value }))
}

type Half = Pick<Environment, 'slice' | 'write'>

/**
 * Brings data of the format before to this one, some rows at a time: what was cut short is finished by whoever begins again.
 * The data says first that it is of this format, so that no older program takes what is half moved for whole.
 */
export async function carryOver(environment: Half, { isHalfCarried: _begun, ...before }: About): Promise<About> {
  const about: About = { ...before, format: dataFormat }
  const say = (value: About) =>
    environment.write([{ space: ownSpace, changes: encodeWrites([{ table: aboutTable, key: [], value }]) }])
  await say({ ...about, isHalfCarried: true })
  for (let space = ownSpace; space <= spaceOfShard(about.shards - 1); space++) await moveRows(environment, space)
  await say(about)
  return about
}

async function moveRows(environment: Half, space: number): Promise<void> {
  for (const name of moved) {
    for (;;) {
      const rows = environment.slice(space, boundsOf({ name }, {}), rowsAtOnce)
      if (rows.length === 0) break
      const changes = rows.flatMap((row) => [...relaid([row]), { key: row.key, value: undefined }])
      await environment.write([{ space, changes }])
    }
  }
}
