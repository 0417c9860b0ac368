/** The limit of the messages scenario: lmdb alone, writing for each message the records that a node writes for it. */
import { join } from 'node:path'
import { open } from 'lmdb'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import type { RecordKey } from '../store/keys.js'
import { ourSettings } from '../store/settings.js'
import { transactionsOf } from '../store/transactions.js'
import { commitsOf, type RecordWrite } from './records.js'

const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = open<object, RecordKey>({ path, ...ourSettings })
/** Messages whose second commit is pending. */
const secondCommits = new Set<Promise<void>>()

async function commit(records: readonly RecordWrite[]): Promise<void> {
  await db.batch(() => {
    for (const [key, value] of records) {
      if (value === undefined) db.remove(key)
      else db.put(key, value)
    }
  })
  await db.flushed
}

/** Done when the first commit is on the disk, since a request is answered then; the second follows. */
async function putDurably(_worker: number, sequence: number): Promise<void> {
  const { accepted, handedOver } = commitsOf(sequence, Date.now())
  await commit(accepted)
  const secondCommit = commit(handedOver)
  secondCommits.add(secondCommit)
  void secondCommit.finally(() => secondCommits.delete(secondCommit))
}

const { accepted, handedOver } = commitsOf(0, Date.now())
const records = [...accepted, ...handedOver]
const put = records.flatMap(([, value]) => value ?? [])
const bytes = put.reduce((sum, value) => sum + JSON.stringify(value).length, 0)

serveCandidate({
  ready: {
    notes: [
      `Counted for a message: ${put.length} puts (${bytes} bytes as JSON, beside their keys) and`,
      `${records.length - put.length} removal, in two durable commits of which the second follows the first; an operation`,
      `is done with the first. Settings: ${JSON.stringify(ourSettings)}.`,
    ],
  },
  work: closedLoop(putDurably, () => ({ transactions: transactionsOf(path) })),
  async close() {
    await Promise.all(secondCommits)
    await db.close()
  },
})
