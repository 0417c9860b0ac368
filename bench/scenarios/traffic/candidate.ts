/**
 * An engine in the traffic scenario: the newest page of an agent's messages, or of one person's, among many records.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isRefusal } from '../../../core/errors.js'
import { traffic as limits } from '../../../core/limits/index.js'
import { systemClock } from '../../../runtime/clock.js'
import { createGatewayModule } from '../../../runtime/node/gateway.js'
import { createLog } from '../../../runtime/observe/log.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { createTrafficLists } from '../../../runtime/traffic/messages.js'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import { shards } from '../store/settings.js'
import { agentRef, fill, recordsOfRegular, regularAsid } from './fill.js'

const { values } = parseArgs({ options: { records: { type: 'string' }, one: { type: 'boolean', default: false } } })
const records = Number(values.records ?? process.env.BENCH_FILLED)
const store = await openStore({ dir: join(process.env.BENCH_SCRATCH ?? '.', `ours-${process.pid}`), shards })
const now = Date.now()
await fill(store, records, now)

const { commands, queries } = createGatewayModule({ timeScale: 1 })
const engine = openEmbedded({
  shards,
  store,
  handlers: { commands, queries, effectHandlers: () => ({}) },
  clock: systemClock,
  newCommandId: () => 'nothing is asked for',
  log: createLog({ level: 'warn', destination: process.stderr }).log,
})
await engine.start()
const traffic = createTrafficLists({ shards: engine, shardCount: shards, timeScale: 1, clock: systemClock })
const query = {
  window: { from: now - limits.windowMs },
  limit: limits.defaultRows,
  includeTest: false,
  filter: {},
  ...(values.one && { userId: regularAsid }),
}
const rows = values.one ? recordsOfRegular : limits.defaultRows

const pages = closedLoop(async () => {
  const page = await traffic.messages(agentRef, query)
  if (isRefusal(page) || page.data.length !== rows) throw new Error('that is not the page')
  // Gives the process time to answer the bench.
  await new Promise((resolve) => setImmediate(resolve))
})

serveCandidate({
  ready: { notes: [`${records} records of one day, ${rows} on the page.`] },
  // One page after another: the figure is the time of one.
  work: (window) => pages({ ...window, concurrency: 1 }),
  async close() {
    await engine.stop()
    await store.close()
  },
})
