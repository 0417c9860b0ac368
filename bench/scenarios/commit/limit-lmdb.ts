/**
 * The limit of the commit scenario: lmdb alone, six puts per command awaited until they are on the disk, one removal
 * later.
 */
import { join } from 'node:path'
import { open } from 'lmdb'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import { ourSettings } from '../store/settings.js'
import { transactionsOf } from '../store/transactions.js'
import { delivery, owners, recordsOf } from './command.js'

/** With the argument the effect's row stays; without it the row is removed later, which the command does not await. */
const removesOutboxRow = !process.argv.includes('--unsettled')

const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = open<unknown, (string | number)[]>({ path, ...ourSettings })
const messages = new Uint32Array(owners.length)

async function putDurably(_worker: number, sequence: number): Promise<void> {
  const index = sequence % owners.length
  const owner = owners[index]!
  const at = Date.now()
  const outboxKey = ['shard.outbox', `${delivery.kind} ${owner}`, sequence, 0]
  await db.batch(() => {
    for (const { table, key, value } of recordsOf(owner, ++messages[index]!, at)) db.put([table.name, ...key], value)
    db.put(outboxKey, { ...delivery, owner, id: `${owner}:cmd_${sequence}:0`, at })
  })
  await db.flushed
  if (removesOutboxRow) void db.remove(outboxKey)
}

serveCandidate({
  ready: { notes: [`Settings: ${JSON.stringify(ourSettings)}.`] },
  work: closedLoop(putDurably, () => ({ transactions: transactionsOf(path) })),
  close: () => db.close(),
})
