/** The store in the store scenario: the same records through its one durable write path. */
import { join } from 'node:path'
import { table } from '../../../runtime/store/contract.js'
import { dataFileName } from '../../../runtime/store/directory.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { serveCandidate } from '../../harness/rpc.js'
import { transactionsOf } from './transactions.js'
import { createWriterWork, type Entry, entry } from './writers.js'

const dir = join(process.env.BENCH_SCRATCH ?? '.', `ours-${process.pid}`)
const entries = table<[number, number], Entry>('entry')
const durability = process.argv.includes('--async') ? 'async' : 'synced'
const store = await openStore({ dir, shards: 1, durability })
const space = store.space(0)

serveCandidate({
  ready: {},
  work: createWriterWork(
    (writer, sequence) =>
      space.commit(space.encode([{ table: entries, key: [writer, sequence], value: entry(writer, sequence) }])),
    () => transactionsOf(join(dir, dataFileName)),
  ),
  close: () => store.close(),
})
