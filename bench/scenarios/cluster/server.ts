/** NATS servers of a candidate's own: as they come from their package, and ended with the candidate. */
import { spawnSync } from 'node:child_process'
import { TestNats, TestNatsCluster } from '../../../test/harness/nats.js'

const version = spawnSync('nats-server', ['--version'], { encoding: 'utf8' })

export function natsMissing(): string | undefined {
  return version.error && 'nats-server is not installed here'
}

export interface NatsServers {
  readonly urls: readonly string[]
  /** How many keep a copy of each stream. */
  readonly copies: number
  readonly about: string
  stop(): Promise<void>
}

/** Three, or one alone. Everything that a server is not told is as it comes, syncing to the disk included. */
export async function startNats(alone: boolean): Promise<NatsServers> {
  const about = version.stdout.trim()
  // What they keep goes where the bench cleans up, whatever ends it.
  if (process.env.BENCH_SCRATCH) process.env.TMPDIR = process.env.BENCH_SCRATCH
  if (alone) {
    const server = await TestNats.start()
    return { urls: [server.url], copies: 1, about: `One ${about}`, stop: () => server.stop() }
  }
  const cluster = await TestNatsCluster.start()
  return { urls: cluster.urls, copies: 3, about: `Three of ${about}`, stop: () => cluster.stop() }
}
