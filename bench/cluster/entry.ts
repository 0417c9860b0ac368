/** What our engine appends to a shard's log for one commit of that many commands. */
import { messagesOf, newLine } from '../../runtime/shard/cluster/entry.js'
import { commitTable, outboxTable } from '../../runtime/shard/tables.js'
import type { Write } from '../../runtime/store/contract.js'
import { encodeWrites } from '../../runtime/store/space.js'
import { surroundings } from '../commit/asking.js'
import { delivery, owners, recordsOf } from '../commit/command.js'

/** Their records, the effects they owe, the removal of as many that were owed before, and the number of the commit. */
export function entryOf(commands: number): Uint8Array {
  const at = Date.now()
  const writes = owners.slice(0, commands).flatMap((owner, place): Write[] => {
    const lane = `${delivery.kind} ${owner}`
    const effect = { ...delivery, owner, id: `${owner}:${surroundings.newCommandId()}:0`, at }
    return [
      ...recordsOf(owner, place, at),
      { table: outboxTable as never, key: [lane, 1, place], value: effect },
      { table: outboxTable as never, key: [lane, 0, place] },
    ]
  })
  const changes = encodeWrites([...writes, { table: commitTable as never, key: [], value: 1 }])
  const holder = `node/${surroundings.newCommandId()}`
  const line = newLine((bytes) => Buffer.alloc(bytes))
  const [message] = messagesOf(line, { kind: 'commit', epoch: 1, holder, changes }, Number.MAX_SAFE_INTEGER)
  return message!
}
