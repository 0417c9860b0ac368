/** A node on its sockets: opened, listening, reachable, and closed in the order that loses nothing. */
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
  /** Stops taking work, finishes what is in flight, flushes and lets go of everything. */
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

/** Compiles the checks of all request bodies, so that the first request to a route is not delayed by that, nor any other. */
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
 * Only where operators can reach it, and by itself only on a developer's machine: a public URL says that others call in,
 * and so does a proxy in front, even where the node listens on a loopback address only.
 */
export function runsEmulator({ roles, emulator, host, ...rest }: Config): boolean {
  const { publicGatewayUrl, publicMgmtUrl, trustedProxies: proxyList } = rest
  const isExposed = publicGatewayUrl !== undefined || publicMgmtUrl !== undefined || proxyList !== undefined
  return roles.includes('mgmt') && (emulator ?? (isLoopback(host) && !isExposed))
}

/** Nodes of a cluster would each bind it to their own emulator. */
function runsSample(config: Config): boolean {
  return runsEmulator(config) && config.natsServers === undefined
}

/** Beside the management API, so that addresses in bindings hold over a restart; a port that is taken is left for a free one. */
function emulatorPorts({ mgmtPort }: Config): { httpPort?: number; smppPort?: number } {
  return mgmtPort === 0 ? {} : { httpPort: mgmtPort + 1, smppPort: mgmtPort + 2 }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host)
}

/** A process that keeps shards only is still asked whether it is well, on its management port. */
function listensOn(plane: Plane, { roles }: Config): boolean {
  return roles.includes(plane) || (plane === 'mgmt' && !roles.includes('gateway'))
}

/** An address that means every interface is not one to call. */
function urlOf({ host, port }: HttpListener): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${reachable}:${port}`
}
