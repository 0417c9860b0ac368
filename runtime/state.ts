/** Where state lives, as configured: in this process alone, or divided among the nodes of a cluster. */
import { hostname } from 'node:os'
import { idFromBytes } from '../core/ids.js'
import type { Bus } from './bus/contract.js'
import type { Clock } from './clock.js'
import type { Config } from './config.js'
import type { Log } from './observe/log.js'
import type { Metrics } from './observe/metrics.js'
import { counterOf } from './observe/named.js'
import { busFigures, storeFigures } from './observe/storage.js'
import { pooled } from './random.js'
import { openCluster } from './shard/cluster.js'
import type { Engine, Repertoire } from './shard/contract.js'
import { openEmbedded } from './shard/embedded.js'
import type { ShardMeters } from './shard/meters.js'
import { type FileStore, StoreUnusable, table } from './store/contract.js'
import { openStore } from './store/lmdb.js'
import { keyId } from './store/seal.js'

export interface State {
  /** Absent in a process that keeps no shards. */
  readonly store?: FileStore
  /** Absent when everything is in this process. */
  readonly bus?: Bus
  openEngine(repertoire: Repertoire, meters: ShardMeters): Promise<Engine>
  close(): Promise<void>
}

/** Whether the data follows logs that are kept elsewhere: alone it would go on without them. */
const clusterTable = table<[], true>('cluster')

export async function openState(options: {
  config: Config
  dir: string
  rootKey: Uint8Array
  clock: Clock
  log: Log
  randomBytes: (count: number) => Uint8Array
  metrics: Metrics
}): Promise<State> {
  const { config, dir, rootKey, clock, log, randomBytes, metrics } = options
  const idBytes = pooled(randomBytes)
  const newId = (prefix: string) => idFromBytes(prefix, idBytes(17))
  // A node by itself does not load what talks to others.
  const { openNats } = config.natsServers ? await import('./bus/nats.js') : {}
  const bus = await openNats?.(natsOptions(config, log, metrics))
  const store = config.roles.includes('shards') ? await openData() : undefined
  if (bus) busFigures(metrics, bus)
  if (store) storeFigures(metrics, dir)

  async function openData(): Promise<FileStore> {
    const durability = bus ? 'followed' : 'synced'
    const opened = await openStore({ dir, shards: config.shards, log, durability })
    const { own } = opened
    if (bus) await own.commit(own.encode([{ table: clusterTable, key: [], value: true }]))
    else if (own.get(clusterTable, [])) {
      await opened.close()
      throw new StoreUnusable(
        `The data in ${dir} belongs to a node of a cluster and goes on only with it. Set PARLEY_NATS_URL, or name another data directory.`,
      )
    }
    return opened
  }

  return {
    store,
    bus,
    async openEngine(repertoire, meters) {
      const common = { shards: config.shards, repertoire, clock, newCommandId: () => newId('cmd'), log, meters }
      const about = { host: hostname(), roles: config.roles.join(' ') }
      if (!bus) return openEmbedded({ ...common, store: store!, about })
      const id = store?.about.node ?? newId('asks').replace('_', '-')
      const node = { id, life: newId('life'), about }
      return openCluster({ ...common, bus, store, node, rootKeyName: keyId(rootKey), randomBytes })
    },
    async close() {
      await bus?.close()
      await store?.close()
    },
  }
}

function natsOptions(config: Config, log: Log, metrics: Metrics) {
  const { natsServers = [], natsCredsFile, natsTlsCaFile, natsSyncAlways } = config
  return {
    reconnects: counterOf(metrics, 'parley_bus_reconnects_total')(),
    servers: natsServers,
    credsFile: natsCredsFile,
    tlsCaFile: natsTlsCaFile,
    syncAlways: natsSyncAlways,
    log,
    name: `parley ${hostname()}`,
  }
}
