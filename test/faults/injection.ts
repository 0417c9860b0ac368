/** Injects a fault into a cluster under load, repeatedly, and checks the result. */
import { type Cluster, openClusterUnderLoad } from './cluster.js'
import { judge } from './judge.js'
import type { Cycles } from './kills.js'
import { type FaultReport, maxRecoveryMs } from './report.js'

export interface ClusterFault {
  readonly name: string
  /** The promise under test, as a sentence. */
  readonly title: string
  /** Injects the fault and heals what does not heal by itself. Calls `result` at the moment of harm. */
  inject(cluster: Cluster, result: () => void, strength: Strength): Promise<void>
  /** Further figures from the clients' answers since then; adds violations to the history. */
  notes?(cluster: Cluster, since: number): string[]
  /** Whether writes must be accepted again within a certain time; false where the servers themselves are away. */
  readonly isQuick: boolean
}

export interface Strength {
  /** How many times its lease a paused node stays suspended. */
  readonly pauseLeases: number
  /** Acknowledged writes that the servers then lose. */
  readonly writesLost: number
}

export interface InjectionResult {
  readonly at: number
  /** The longest time until a client's write was accepted. */
  readonly waitedMs: number
}

export async function injectOnce(cluster: Cluster, fault: ClusterFault, strength: Strength): Promise<InjectionResult> {
  let at = 0
  function result(): void {
    at = performance.now()
  }
  await fault.inject(cluster, result, strength)
  await cluster.waitUntilAccepting(performance.now())
  return { at, waitedMs: cluster.history.longestWait(at) }
}

/** Uses a new cluster for each kind of fault, so that one kind cannot excuse another. */
export async function injectRepeatedly(
  fault: ClusterFault,
  options: Cycles & { strength: Strength },
): Promise<FaultReport> {
  const { cycles, seed, strength, note = () => {} } = options
  const cluster = await openClusterUnderLoad(seed)
  try {
    let recoveryMs = 0
    for (let cycle = 1; cycle <= cycles; cycle++) {
      const { waitedMs } = await injectOnce(cluster, fault, strength)
      recoveryMs = Math.max(recoveryMs, waitedMs)
      const acknowledged = cluster.history.acknowledged().length
      note(`${fault.name} ${cycle}: ${acknowledged} acknowledged, accepted again after ${Math.round(waitedMs)} ms`)
    }
    await cluster.clients.stop()
    const notes = fault.notes?.(cluster, 0)
    const limitMs = fault.isQuick ? maxRecoveryMs : undefined
    return { fault: fault.name, seed, cycles, recoveryMs, limitMs, notes, ...(await judge(cluster)) }
  } finally {
    await cluster.close()
  }
}
