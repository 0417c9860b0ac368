/** The simulated engines, each opened on a simulated process. */
import type { Bus } from '../../runtime/nats/contract.js'
import { openCluster } from '../../runtime/shard/cluster.js'
import type { Engine } from '../../runtime/shard/contract.js'
import { openEmbedded } from '../../runtime/shard/embedded.js'
import type { EngineOptions } from '../../runtime/shard/options.js'
import type { Store } from '../../runtime/store/contract.js'
import type { EngineKind } from './plan.js'
import type { Incarnation } from './world/life.js'

export interface EngineDeps {
  readonly incarnation: Incarnation
  readonly store?: Store
  /** Connects; for an engine that uses a bus. */
  readonly bus: () => Bus
  readonly randomBytes: (count: number) => Uint8Array
}

export const engines: Record<EngineKind, (options: EngineOptions, deps: EngineDeps) => Promise<Engine>> = {
  embedded: async (options, { store }) => openEmbedded({ ...options, store: store! }),
  cluster: (options, { incarnation, store, bus, randomBytes }) =>
    openCluster({
      ...options,
      store,
      bus: bus(),
      node: { id: store?.identity.node ?? incarnation.node, incarnation: incarnation.name.replace('.', '-'), info: {} },
      rootKeyName: 'simulated',
      randomBytes,
    }),
}
