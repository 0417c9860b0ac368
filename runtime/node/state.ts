/** Where state is stored: in this process alone, or divided among the nodes of a cluster. */
import { hostname } from 'node:os'
import { idFromBytes } from '../../core/ids.js'
import type { Clock } from '../clock.js'
import type { Config } from '../config/config.js'
import type { Bus } from '../nats/contract.js'
import { reconnectCounter, registerBusMetrics } from '../nats/metrics.js'
import type { Log } from '../observe/log.js'
import type { Metrics } from '../observe/metrics.js'
import { createBytePool } from '../random.js'
import { resolveDataKey, type SecretKey } from '../secrets/rootkey.js'
import {
  checkRootKey,
  type KeyVerdict,
  newRootSecrets,
  type RootSecrets,
  rootKeyError,
  saveRootSecrets,
  sealRootSecrets,
} from '../secrets/rootsecrets.js'
import { keyId } from '../secrets/seal.js'
import { agreeRootSecrets } from '../shard/cluster/rootsecrets.js'
import { openCluster } from '../shard/cluster.js'
import type { Engine, Handlers } from '../shard/contract.js'
import { openEmbedded } from '../shard/embedded.js'
import type { CommitMetrics } from '../shard/metrics.js'
import { clusterTable, type FileStore, StoreUnusable } from '../store/contract.js'
import { openStore } from '../store/lmdb.js'
import { registerStoreMetrics } from '../store/metrics.js'

export interface State {
  /** Absent in a process without shards. */
  readonly store?: FileStore
  /** Absent without a cluster. */
  readonly bus?: Bus
  /** The secrets that ids and tokens are derived from. */
  readonly secrets: RootSecrets
  /** The key that seals the data. */
  readonly rootKey: Buffer
  openEngine(repertoire: Handlers, meters: CommitMetrics): Promise<Engine>
  close(): Promise<void>
}

export async function openState(options: {
  config: Config
  dir: string
  secretKey: SecretKey
  clock: Clock
  log: Log
  randomBytes: (count: number) => Uint8Array
  metrics: Metrics
}): Promise<State> {
  const { config, dir, secretKey, clock, log, randomBytes, metrics } = options
  const idBytes = createBytePool(randomBytes)
  const newId = (prefix: string) => idFromBytes(prefix, idBytes(17))
  // A single node does not load the NATS client.
  const { openNats } = config.natsServers ? await import('../nats/bus.js') : {}
  const bus = await openNats?.(natsOptions(config, log, metrics))
  const store = config.roles.includes('shards') ? await openDataStore() : undefined
  const rootKey = bus || !store ? secretKey.key : resolveDataKey(dir, secretKey, checkKey)
  const { secrets, sealed, isStored } = await rootSecrets()
  if (bus) registerBusMetrics(metrics, bus)
  if (store) registerStoreMetrics(metrics, dir)

  async function openDataStore(): Promise<FileStore> {
    const durability = bus ? 'async' : 'synced'
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

  function checkKey(key: Buffer): KeyVerdict {
    return store ? checkRootKey(store, config.shards, key) : 'absent'
  }

  /** The nodes of a cluster share the root secrets; a single node has its own. */
  async function rootSecrets(): Promise<{ secrets: RootSecrets; sealed: Uint8Array; isStored: boolean }> {
    try {
      const verdict = checkKey(rootKey)
      if (bus) return { ...(await agreeRootSecrets(bus.settings, rootKey, store && verdict, clock)), isStored: false }
      if (verdict === 'wrong') throw rootKeyError(dir)
      const current = verdict === 'absent' ? { secrets: newRootSecrets(), isStored: false } : verdict
      const sealed = sealRootSecrets(rootKey, current.secrets)
      if (!current.isStored) await saveRootSecrets(store!, sealed)
      return { ...current, sealed, isStored: true }
    } catch (error) {
      await bus?.close()
      await store?.close()
      throw error
    }
  }

  return {
    store,
    bus,
    secrets,
    rootKey,
    async openEngine(repertoire, meters) {
      const common = {
        shards: config.shards,
        handlers: repertoire,
        clock,
        newCommandId: () => newId('cmd'),
        log,
        commitMetrics: meters,
      }
      const host = hostname()
      // Several nodes may share a host, and their ports tell them apart. A port assigned by the system is not known
      // yet.
      const nodeInfo: Record<string, string> = { host, roles: config.roles.join(' ') }
      if (config.mgmtPort !== 0) nodeInfo.address = `${host}:${config.mgmtPort}`
      if (!bus) return openEmbedded({ ...common, store: store!, info: nodeInfo })
      const id = store?.identity.node ?? newId('asks').replace('_', '-')
      const node = { id, incarnation: newId('life'), info: nodeInfo }
      const sharedSecrets = { rootKeyName: keyId(rootKey), rootSecrets: sealed }
      const engine = await openCluster({ ...common, bus, store, node, ...sharedSecrets, randomBytes })
      if (store && !isStored) await saveRootSecrets(store, sealed)
      return engine
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
    reconnects: reconnectCounter(metrics),
    servers: natsServers,
    credsFile: natsCredsFile,
    tlsCaFile: natsTlsCaFile,
    syncAlways: natsSyncAlways,
    log,
    name: `parley ${hostname()}`,
  }
}
