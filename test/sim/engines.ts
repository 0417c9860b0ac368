/** The simulated engines, each opened on a simulated process. */
import type { Bus } from '../../runtime/nats/contract.js'
import { openCluster } from '../../runtime/shard/cluster.js'
import type { Engine } from '../../runtime/shard/contract.js'
import { openEmbedded } from '../../runtime/shard/embedded.js'
import type { EngineOptions } from '../../runtime/shard/options.js'
import type { Store } from '../../runtime/store/contract.js'
import type { EngineKind } from './plan.js'
import type { Life } from './world/life.js'

export interface EnginePlace {
  readonly life: Life
  readonly store?: Store
  /** Connects; for an engine that uses a bus. */
  readonly bus: () => Bus
  readonly randomBytes: (count: number) => Uint8Array
}

export const engines: Record<EngineKind, (options: EngineOptions, place: EnginePlace) => Promise<Engine>> = {
  embedded: async (options, { store }) => openEmbedded({ ...options, store: store! }),
  cluster: (options, { life, store, bus, randomBytes }) =>
    openCluster({
      ...options,
      store,
      bus: bus(),
      node: { id: store?.identity.node ?? life.node, incarnation: life.name.replace('.', '-'), info: {} },
      rootKeyName: 'simulated',
      randomBytes,
    }),
}
