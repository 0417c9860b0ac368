/** One node of the cluster engine in the cluster scenario: the commands of `commit`, committed to logs on JetStream. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openNats } from '../../../runtime/nats/bus.js'
import type { Bus } from '../../../runtime/nats/contract.js'
import { openCluster } from '../../../runtime/shard/cluster.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import { moduleWith } from '../commit/command.js'
import { engineOptions, roundRobin } from '../commit/engine.js'
import { shards } from '../store/settings.js'
import { alone, scaleWindow } from './fixtures.js'
import { startNats } from './server.js'

const counts = { transactions: 0, bytes: 0 }

/** The bus, with a count of the appended bytes and entries. */
function withCounts(bus: Bus): Bus {
  return {
    ...bus,
    async log(shard) {
      const log = await bus.log(shard)
      return {
        ...log,
        append(entry, after) {
          counts.transactions++
          counts.bytes += entry.length
          return log.append(entry, after)
        },
      }
    },
  }
}

const servers = await startNats(alone)
const { log } = engineOptions
const bus = await openNats({ servers: servers.urls, syncAlways: false, log, name: 'bench' })
const dir = join(process.env.BENCH_SCRATCH ?? '.', `ours-${process.pid}`)
const store = await openStore({ dir, shards, durability: 'async' })
const engine = await openCluster({
  ...engineOptions,
  handlers: moduleWith(async () => {}),
  bus: withCounts(bus),
  store,
  node: { id: store.identity.node, incarnation: 'bench', info: {} },
  rootKeyName: 'bench',
  randomBytes,
})
await engine.start()

const executeLoop = closedLoop(roundRobin(engine), () => ({ ...counts }))

serveCandidate({
  ready: { notes: [`${servers.about}, with one stream for each of ${shards} shards.`] },
  work: (window) => executeLoop(scaleWindow(window)),
  async close() {
    await engine.stop()
    await bus.close()
    await store.close()
    await servers.stop()
  },
})
