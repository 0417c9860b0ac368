/** The embedded engine in the commit scenario: commands to many owners, each answered when its commit is durable. */
import { join } from 'node:path'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { dataFileName } from '../../../runtime/store/directory.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import { shards } from '../store/settings.js'
import { transactionsOf } from '../store/transactions.js'
import { moduleWith } from './command.js'
import { engineOptions, roundRobin } from './engine.js'

const dir = join(process.env.BENCH_SCRATCH ?? '.', `ours-${process.pid}`)
const store = await openStore({ dir, shards })
const engine = openEmbedded({ ...engineOptions, store, handlers: moduleWith(async () => {}) })
await engine.start()

serveCandidate({
  ready: {},
  work: closedLoop(roundRobin(engine), () => ({ transactions: transactionsOf(join(dir, dataFileName)) })),
  async close() {
    await engine.stop()
    await store.close()
  },
})
