/** The state of a local cluster between commands: its ports, secrets and started processes. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { localCluster as limits } from '../../runtime/shard/limits.js'

export interface StartedProcess {
  readonly name: string
  readonly pid: number
  /** Distinguishes this process from a later one with the same pid. */
  readonly identity: string
}

export interface NatsPorts {
  readonly client: number
  readonly route: number
  readonly monitor: number
}

export interface State {
  readonly version: 1
  readonly ports: {
    readonly nats: readonly NatsPorts[]
    readonly redis: number
    readonly nodes: readonly { readonly gateway: number; readonly mgmt: number }[]
  }
  readonly natsPassword: string
  readonly routePassword: string
  readonly redisPassword: string
  readonly secretKeyHex: string
  readonly bootstrapKey: string
  readonly processes: readonly StartedProcess[]
}

const serversPerKind = 3

const fileOf = (dir: string) => join(dir, 'cluster.json')

export function readState(dir: string): State | undefined {
  return existsSync(fileOf(dir)) ? (JSON.parse(readFileSync(fileOf(dir), 'utf8')) as State) : undefined
}

/** It contains keys, so only its owner may read it. */
export function writeState(dir: string, state: State): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  writeFileSync(`${fileOf(dir)}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${fileOf(dir)}.new`, fileOf(dir))
}

export async function newState(): Promise<State> {
  const usedPorts = new Set<number>()
  const each = Array.from({ length: serversPerKind }, (_, at) => at * limits.portStep)
  const nats = []
  const nodes = []
  for (const step of each) {
    nats.push({
      client: await nearestFreePort(limits.natsPort + step, usedPorts),
      route: await nearestFreePort(limits.natsRoutePort + step, usedPorts),
      monitor: await nearestFreePort(limits.natsMonitorPort + step, usedPorts),
    })
    nodes.push({
      gateway: await nearestFreePort(limits.gatewayPort + step, usedPorts),
      mgmt: await nearestFreePort(limits.mgmtPort + step, usedPorts),
    })
  }
  // Begins with a letter, so that the servers' configuration never reads it as a number.
  const secret = () => `k${randomBytes(18).toString('base64url')}`
  return {
    version: 1,
    ports: { nats, nodes, redis: await nearestFreePort(limits.redisPort, usedPorts) },
    natsPassword: secret(),
    routePassword: secret(),
    redisPassword: secret(),
    secretKeyHex: randomBytes(32).toString('hex'),
    bootstrapKey: `sk-svc-${randomBytes(24).toString('base64url')}`,
    processes: [],
  }
}

/** The wanted port, or a free one when it is in use. */
async function nearestFreePort(preferred: number, usedPorts: Set<number>): Promise<number> {
  for (let port = preferred; ; port = 0) {
    const freePort = await tryListen(port)
    if (freePort === undefined || usedPorts.has(freePort)) continue
    usedPorts.add(freePort)
    return freePort
  }
}

async function tryListen(port: number): Promise<number | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return undefined
  }
  const freePort = (server.address() as { port: number }).port
  server.close()
  await once(server, 'close')
  return freePort
}
