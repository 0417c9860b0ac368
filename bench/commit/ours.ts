/** Our embedded engine in the commit scenario: commands to many owners, each answered when its commit is durable. */
import { join } from 'node:path'
import { openEmbedded } from '../../runtime/shard/embedded.js'
import { dataFileName } from '../../runtime/store/directory.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { present } from '../control.js'
import { closedLoop } from '../loop.js'
import { transactionsOf } from '../store/transactions.js'
import { askingInTurn, shards, surroundings } from './asking.js'
import { repertoireWith } from './command.js'

const dir = join(process.env.BENCH_SCRATCH ?? '.', `ours-${process.pid}`)
const store = await openStore({ dir, shards })
const engine = openEmbedded({ ...surroundings, store, repertoire: repertoireWith(async () => {}) })
await engine.start()

present({
  ready: {},
  work: closedLoop(askingInTurn(engine), () => ({ transactions: transactionsOf(join(dir, dataFileName)) })),
  async close() {
    await engine.stop()
    await store.close()
  },
})
