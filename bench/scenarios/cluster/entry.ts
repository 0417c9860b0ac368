/** The log entry that the engine appends for one commit of this many commands. */
import { encodeEntry, newLineageId } from '../../../runtime/shard/cluster/entry.js'
import { commitTable, outboxTable } from '../../../runtime/shard/tables.js'
import type { Write } from '../../../runtime/store/contract.js'
import { encodeWrites } from '../../../runtime/store/space.js'
import { delivery, owners, recordsOf } from '../commit/command.js'
import { engineOptions } from '../commit/engine.js'

/** The commands' records, their effects, the removal of as many earlier effects, and the number of the commit. */
export function entryOf(commands: number): Uint8Array {
  const at = Date.now()
  const writes = owners.slice(0, commands).flatMap((owner, index): Write[] => {
    const lane = `${delivery.kind} ${owner}`
    const effect = { ...delivery, owner, id: `${owner}:${engineOptions.newCommandId()}:0`, at }
    return [
      ...recordsOf(owner, index, at),
      { table: outboxTable as never, key: [lane, 1, index], value: effect },
      { table: outboxTable as never, key: [lane, 0, index] },
    ]
  })
  const changes = encodeWrites([...writes, { table: commitTable as never, key: [], value: 1 }])
  const holder = `node/${engineOptions.newCommandId()}`
  const lineage = newLineageId((bytes) => Buffer.alloc(bytes))
  const [message] = encodeEntry(lineage, { kind: 'commit', epoch: 1, owner: holder, changes }, Number.MAX_SAFE_INTEGER)
  return message!
}
