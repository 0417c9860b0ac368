/** Does something to a cluster under load, as often as asked, and looks what became of it. */
import { type Cluster, openClusterUnderLoad } from './cluster.js'
import { judge } from './judge.js'
import type { Cycles } from './kills.js'
import { acceptsAgainMs, type FaultReport } from './report.js'

export interface ClusterFault {
  readonly name: string
  /** What is promised, as a sentence. */
  readonly title: string
  /** Does it and heals what does not heal by itself. Calls `result` at the moment of harm. */
  inject(cluster: Cluster, result: () => void, strength: Strength): Promise<void>
  /** Figures beside the usual ones, from what clients were told since then; adds to the history what was wrong. */
  notes?(cluster: Cluster, since: number): string[]
  /** Whether writes are wanted back within a certain time; not where the servers themselves are gone for a while. */
  readonly isQuick: boolean
}

export interface Strength {
  /** How many times as long as its lease a paused node stands still. */
  readonly pauseLeases: number
  /** Writes that servers had acknowledged and then forget. */
  readonly writesLost: number
}

export interface InjectionResult {
  readonly at: number
  /** The longest that a client had to ask until its write was accepted. */
  readonly waitedMs: number
}

export async function injectOnce(cluster: Cluster, fault: ClusterFault, strength: Strength): Promise<InjectionResult> {
  let at = 0
  function result(): void {
    at = performance.now()
  }
  await fault.inject(cluster, result, strength)
  await cluster.acceptsAgain(performance.now())
  return { at, waitedMs: cluster.history.longestWait(at) }
}

/** On a cluster of its own, so that what one kind of fault leaves behind cannot excuse another. */
export async function injectRepeatedly(
  fault: ClusterFault,
  options: Cycles & { strength: Strength },
): Promise<FaultReport> {
  const { cycles, seed, strength, note = () => {} } = options
  const cluster = await openClusterUnderLoad(seed)
  try {
    let acceptedAgainMs = 0
    for (let cycle = 1; cycle <= cycles; cycle++) {
      const { waitedMs } = await injectOnce(cluster, fault, strength)
      acceptedAgainMs = Math.max(acceptedAgainMs, waitedMs)
      const acknowledged = cluster.history.acknowledged().length
      note(`${fault.name} ${cycle}: ${acknowledged} acknowledged, accepted again after ${Math.round(waitedMs)} ms`)
    }
    await cluster.clients.stop()
    const notes = fault.notes?.(cluster, 0)
    const wantedMs = fault.isQuick ? acceptsAgainMs : undefined
    return { fault: fault.name, seed, cycles, acceptedAgainMs, wantedMs, notes, ...(await judge(cluster)) }
  } finally {
    await cluster.close()
  }
}
