/** The embedded engine in the actors scenario: one small command for each of many new owners. */
import { join } from 'node:path'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { serveCandidate } from '../../harness/rpc.js'
import { engineOptions, executeFor } from '../commit/engine.js'
import { shards } from '../store/settings.js'
import { benchModule, touch } from './command.js'
import { countReads } from './readcounter.js'
import { createTouchWork } from './touch.js'

const store = await openStore({ dir: join(process.env.BENCH_SCRATCH ?? '.', `ours-${process.pid}`), shards })

/** Counts the store reads of one command for a new owner, on an engine that does no other work. */
async function countColdReads(): Promise<string> {
  const counter = countReads(store)
  const engine = openEmbedded({ ...engineOptions, store: counter.store, handlers: benchModule })
  await engine.start()
  const before = { ...counter.reads }
  await executeFor(engine, 'cold', touch)
  const gets = counter.reads.gets - before.gets
  await engine.stop()
  return `A command on a cold actor reads ${gets} ${gets === 1 ? 'record' : 'records'}.`
}

const notes = [await countColdReads()]
const engine = openEmbedded({ ...engineOptions, store, handlers: benchModule })
await engine.start()

serveCandidate({
  ready: { notes },
  work: createTouchWork((owner) => executeFor(engine, owner, touch)),
  async close() {
    await engine.stop()
    await store.close()
  },
})
