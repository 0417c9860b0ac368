/** The limit of the turn-flow scenario: lmdb alone, writing for each turn the records that a node writes for it. */
import { join } from 'node:path'
import { open } from 'lmdb'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import type { RecordWrite } from '../messages/records.js'
import type { RecordKey } from '../store/keys.js'
import { ourSettings } from '../store/settings.js'
import { transactionsOf } from '../store/transactions.js'
import { commitsOf } from './records.js'

const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = open<object, RecordKey>({ path, ...ourSettings })
/** Turns whose last commit is pending. */
const lastCommits = new Set<Promise<void>>()

async function commit(records: readonly RecordWrite[]): Promise<void> {
  await db.batch(() => {
    for (const [key, value] of records) {
      if (value === undefined) db.remove(key)
      else db.put(key, value)
    }
  })
  await db.flushed
}

/** Done when the commit of the reply is on the disk, since it is then handed over; the last one follows. */
async function putDurably(_worker: number, sequence: number): Promise<void> {
  const { accepted, answered, handedOver } = commitsOf(sequence, Date.now())
  await commit(accepted)
  await commit(answered)
  const lastCommit = commit(handedOver)
  lastCommits.add(lastCommit)
  void lastCommit.finally(() => lastCommits.delete(lastCommit))
}

const { accepted, answered, handedOver } = commitsOf(0, Date.now())
const records = [...accepted, ...answered, ...handedOver]
const put = records.flatMap(([, value]) => value ?? [])
const bytes = put.reduce((sum, value) => sum + JSON.stringify(value).length, 0)

serveCandidate({
  ready: {
    notes: [
      `Counted for a turn: ${put.length} puts (${bytes} bytes as JSON, beside their keys) and`,
      `${records.length - put.length} removals, in three durable commits one after the other; an operation is done with`,
      `the second. Settings: ${JSON.stringify(ourSettings)}.`,
    ],
  },
  work: closedLoop(putDurably, () => ({ transactions: transactionsOf(path) })),
  async close() {
    await Promise.all(lastCommits)
    await db.close()
  },
})
