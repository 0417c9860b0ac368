/** The plan of a run as its seed draws it: the size of the world, the load, and the faults. */
import { type DrawnLimits, drawLimits } from './limits.js'
import { type Rng, seededRng } from './world/rng.js'

export type EngineKind = 'embedded' | 'cluster'

export interface Plan {
  readonly seed: number
  readonly engine: EngineKind
  /** Nodes that own shards, and nodes that only send commands. */
  readonly nodes: number
  readonly askers: number
  /** How long the first node runs alone, with the embedded engine, before the cluster begins on its data. */
  readonly aloneMs: number
  readonly shards: number
  readonly owners: number
  readonly clients: number
  /** The number of actions of all clients. */
  readonly steps: number
  readonly burst: number
  readonly destinations: number
  /** How long faults may begin. */
  readonly troubleMs: number
  readonly faults: number
  /** Whether the time of day may be wrong. */
  readonly clockSteps: boolean
  /** Whether the servers may lose acknowledged writes. */
  readonly disasters: boolean
  readonly entryBytes: number
  readonly limits: DrawnLimits
}

export interface Wishes {
  readonly engine?: EngineKind
  readonly steps?: number
}

export function drawPlan(seed: number, wishes: Wishes = {}): Plan {
  const rng = seededRng(seed).fork('plan')
  const engine = wishes.engine ?? rng.pick(['embedded', 'cluster', 'cluster'] as const)
  const isCluster = engine === 'cluster'
  return {
    seed,
    engine,
    nodes: isCluster ? rng.pick([1, 2, 2, 3, 3, 3, 4, 5]) : 1,
    askers: isCluster ? rng.pick([0, 1, 1, 2]) : 0,
    aloneMs: isCluster && rng.chance(0.08) ? rng.between(500, 4_000) : 0,
    shards: 1 + rng.below(4),
    owners: 1 + rng.below(6),
    clients: 1 + rng.below(6),
    steps: wishes.steps ?? 20 + rng.below(100),
    burst: rng.pick([2, 6, 12, 24]),
    destinations: rng.pick([1, 2, 8, 40]),
    troubleMs: rng.between(4_000, 20_000),
    faults: rng.pick([0, 1, 2, 3, 5, 8, 12, 20]),
    clockSteps: rng.chance(0.2),
    disasters: isCluster && rng.chance(0.1),
    entryBytes: rng.pick([16 * 1024, 64 * 1024, 1024 ** 2]),
    limits: drawLimits(rng),
  }
}

export function planText(plan: Plan): string {
  return JSON.stringify(plan)
}

export function rngOf(plan: Plan): Rng {
  return seededRng(plan.seed)
}
