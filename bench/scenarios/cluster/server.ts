/** NATS servers of one candidate: with the package's defaults, ended with the candidate. */
import { spawnSync } from 'node:child_process'
import { TestNats, TestNatsCluster } from '../../../test/harness/nats.js'

const version = spawnSync('nats-server', ['--version'], { encoding: 'utf8' })

export function natsMissing(): string | undefined {
  return version.error && 'nats-server is not installed here'
}

export interface NatsServers {
  readonly urls: readonly string[]
  /** Replicas of each stream. */
  readonly copies: number
  readonly about: string
  stop(): Promise<void>
}

/** Starts three servers, or one. Every other setting is the server's default, including how it syncs to the disk. */
export async function startNats(alone: boolean): Promise<NatsServers> {
  const about = version.stdout.trim()
  // Their storage is in the bench's scratch folder, which is removed however the run ends.
  if (process.env.BENCH_SCRATCH) process.env.TMPDIR = process.env.BENCH_SCRATCH
  if (alone) {
    const server = await TestNats.start()
    return { urls: [server.url], copies: 1, about: `One ${about}`, stop: () => server.stop() }
  }
  const cluster = await TestNatsCluster.start()
  return { urls: cluster.urls, copies: 3, about: `Three of ${about}`, stop: () => cluster.stop() }
}
