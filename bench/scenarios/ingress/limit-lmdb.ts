/** The limit of the ingress scenario: lmdb alone, writing for each message the records that a node writes for it. */
import { join } from 'node:path'
import { open } from 'lmdb'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import type { RecordKey } from '../store/keys.js'
import { ourSettings } from '../store/settings.js'
import { transactionsOf } from '../store/transactions.js'
import { recordsOf } from './records.js'

const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = open<object, RecordKey>({ path, ...ourSettings })

async function putDurably(_worker: number, sequence: number): Promise<void> {
  await db.batch(() => {
    for (const [key, value] of recordsOf(sequence, Date.now())) db.put(key, value)
  })
  await db.flushed
}

const records = recordsOf(0, Date.now())
const bytes = records.reduce((sum, [, value]) => sum + JSON.stringify(value).length, 0)

serveCandidate({
  ready: {
    notes: [
      `${records.length} puts a message (${bytes} bytes as JSON, beside their keys), each message awaited until it is`,
      `flushed. Settings: ${JSON.stringify(ourSettings)}.`,
    ],
  },
  work: closedLoop(putDurably, () => ({ transactions: transactionsOf(path) })),
  close: () => db.close(),
})
