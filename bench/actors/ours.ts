/** Our embedded engine in the actors scenario: one small command for each owner, none of which it has met before. */
import { join } from 'node:path'
import { openEmbedded } from '../../runtime/shard/embedded.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { askFor, shards, surroundings } from '../commit/asking.js'
import { present } from '../control.js'
import { repertoire, touch } from './command.js'
import { countingReads } from './reads.js'
import { touching } from './touching.js'

const store = await openStore({ dir: join(process.env.BENCH_SCRATCH ?? '.', `ours-${process.pid}`), shards })

/** What one command on an owner that was never met reads of the store, told by an engine that does nothing else. */
async function readsWhenCold(): Promise<string> {
  const counting = countingReads(store)
  const engine = openEmbedded({ ...surroundings, store: counting.store, repertoire })
  await engine.start()
  const before = { ...counting.reads }
  await askFor(engine, 'cold', touch)
  const gets = counting.reads.gets - before.gets
  await engine.stop()
  return `A command on a cold actor reads ${gets} ${gets === 1 ? 'record' : 'records'}.`
}

const notes = [await readsWhenCold()]
const engine = openEmbedded({ ...surroundings, store, repertoire })
await engine.start()

present({
  ready: { notes },
  work: touching((owner) => askFor(engine, owner, touch)),
  async close() {
    await engine.stop()
    await store.close()
  },
})
