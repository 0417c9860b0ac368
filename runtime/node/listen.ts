/**
 * A node with its listeners: open, listen, publish the addresses, and close in the order that loses no accepted work.
 */
import { shutdown } from '../../core/limits/index.js'
import type { Config } from '../config/config.js'
import { trustedProxies } from '../http/proxies.js'
import type { Plane } from '../http/route.js'
import { type HttpListener, listen } from '../http/server.js'
import { compileBodyChecks } from '../http/validator.js'
import { runInSlices } from '../slices.js'
import type { Urls } from './addresses.js'
import { type Node, type NodeContext, openNode } from './compose.js'

export interface RunningNode {
  readonly node: Node
  readonly urls: Urls
  /** Stops accepting work, finishes work in flight, flushes and closes everything. */
  stop(): Promise<void>
}

export async function runNode(config: Config, context: NodeContext): Promise<RunningNode> {
  const node = await openNode(config, context)
  const listeners: HttpListener[] = []
  async function stop(): Promise<void> {
    node.health.drain()
    await Promise.all(listeners.map((listener) => listener.close(shutdown.requestsMs)))
    await node.close()
  }
  try {
    const urls = { mgmt: config.publicMgmtUrl ?? '', gateway: config.publicGatewayUrl ?? '' }
    const { host, trustedProxies: proxyList } = config
    const proxyOptions = proxyList && { proxies: trustedProxies(proxyList) }
    for (const plane of ['gateway', 'mgmt'] as const) {
      if (!listensOn(plane, config)) continue
      const port = plane === 'mgmt' ? config.mgmtPort : config.gatewayPort
      const { serve, meters, sockets } = node.planes[plane]
      const listener = await listen({
        host,
        port,
        serve,
        meters,
        socketsTotal: node.maxSockets[plane],
        style: plane === 'gateway' ? 'gateway' : 'problem',
        ...(sockets && { sockets }),
        ...proxyOptions,
        log: context.log,
      })
      listeners.push(listener)
      urls[plane] ||= urlOf(listener)
    }
    node.health.add({ name: 'connections', critical: false, check: () => describeFull(listeners) })
    node.setPublicUrls(urls)
    if (runsEmulator(config)) await node.emulator.start(emulatorPorts(config))
    if (runsSample(config)) await node.sample.start(config.mgmtPort === 0 ? undefined : config.mgmtPort + 3)
    compileChecks(node, context)
    return { node, urls, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Compiles the validators of all request bodies, so that the first request to a route does not wait for that. */
function compileChecks({ planes }: Node, { clock }: NodeContext): void {
  const routes = Object.values(planes).flatMap((plane) => plane.routes)
  const schemas = routes.flatMap(({ body, bodyUnchecked }) => (body && !bodyUnchecked ? [body] : []))
  void runInSlices(compileBodyChecks(schemas), clock)
}

function describeFull(listeners: readonly HttpListener[]): string | undefined {
  const full = listeners.find((listener) => listener.isFull())
  return full && `All connections of port ${full.port} are taken.`
}

/**
 * Whether the emulator runs: only on a node with the management plane, and by default only on a developer's machine. A
 * public URL or a trusted proxy means that others reach the node, even when it listens on a loopback address.
 */
export function runsEmulator({ roles, emulator, host, ...rest }: Config): boolean {
  const { publicGatewayUrl, publicMgmtUrl, trustedProxies: proxyList } = rest
  const isExposed = publicGatewayUrl !== undefined || publicMgmtUrl !== undefined || proxyList !== undefined
  return roles.includes('mgmt') && (emulator ?? (isLoopback(host) && !isExposed))
}

/** In a cluster each node would bind the sample agents to its own emulator. */
function runsSample(config: Config): boolean {
  return runsEmulator(config) && config.natsServers === undefined
}

/**
 * Ports next to the management API, so that addresses in bindings stay valid over a restart. A free port replaces one
 * that is taken.
 */
function emulatorPorts({ mgmtPort }: Config): { httpPort?: number; smppPort?: number } {
  return mgmtPort === 0 ? {} : { httpPort: mgmtPort + 1, smppPort: mgmtPort + 2 }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host)
}

/** A process with shards only serves its health checks on the management port. */
function listensOn(plane: Plane, { roles }: Config): boolean {
  return roles.includes(plane) || (plane === 'mgmt' && !roles.includes('gateway'))
}

/** Replaces an address that means every interface by one that can be called. */
function urlOf({ host, port }: HttpListener): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${reachable}:${port}`
}
