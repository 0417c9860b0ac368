/** The programs of a local cluster and their settings. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from '../../runtime/config/flags.js'
import type { Program } from './process.js'
import type { State } from './state.js'

export interface Planned extends Program {
  /** Answers 200 once the program is ready; without it, a listening port is enough. */
  readonly healthUrl?: string
  readonly port: number
}

export interface Plan {
  readonly servers: readonly Planned[]
  readonly nodes: readonly Planned[]
  /** Written before the first program starts. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

const host = '127.0.0.1'
/** The configuration of ops/runbooks/cluster.md, found from the sources and from the build. */
const natsFolder = fileURLToPath(new URL('../../../ops/nats/', import.meta.url))
const main = fileURLToPath(new URL('../../runtime/main.js', import.meta.url))

export const natsUrl = ({ ports, natsPassword }: State) =>
  ports.nats.map(({ client }) => `nats://parley:${natsPassword}@${host}:${client}`).join()

export const redisUrl = ({ ports, redisPassword }: State) => `redis://:${redisPassword}@${host}:${ports.redis}`

export const nodeUrls = ({ ports }: State) =>
  ports.nodes.map(({ gateway, mgmt }) => ({ gateway: `http://${host}:${gateway}`, mgmt: `http://${host}:${mgmt}` }))

/** `syncAlways`: the installed NATS can sync every message before it acknowledges it. */
export function planCluster(dir: string, state: State, syncAlways: boolean): Plan {
  const at = (...names: string[]) => join(dir, ...names)
  const redisConf = at('redis.conf')
  const { ports } = state

  const nats = ports.nats.map(({ client, route, monitor }, index): Planned => {
    const name = `nats-${index + 1}`
    const others = ports.nats.filter((_, other) => other !== index)
    const routes = others.map((other) => `"nats://route:${state.routePassword}@${host}:${other.route}"`)
    return {
      name,
      command: 'nats-server',
      args: ['-c', join(natsFolder, syncAlways ? 'server.conf' : 'server-2.9.conf')],
      env: {
        NATS_NAME: name,
        NATS_LISTEN: `${host}:${client}`,
        NATS_MONITOR: `${host}:${monitor}`,
        NATS_CLUSTER_LISTEN: `${host}:${route}`,
        NATS_ROUTES: `[${routes.join()}]`,
        NATS_ROUTE_PASSWORD: state.routePassword,
        NATS_PASSWORD: state.natsPassword,
        NATS_STORE_DIR: JSON.stringify(at(name)),
      },
      logFile: at('logs', `${name}.log`),
      healthUrl: `http://${host}:${monitor}/healthz`,
      port: client,
    }
  })

  const redis: Planned = {
    name: 'redis',
    command: 'redis-server',
    args: [redisConf],
    env: {},
    logFile: at('logs', 'redis.log'),
    port: ports.redis,
  }

  const nodes = ports.nodes.map(({ gateway, mgmt }, index): Planned => {
    const name = `parley-${index + 1}`
    return {
      name,
      command: process.execPath,
      args: [...nodeFlags, main],
      env: {
        PARLEY_DATA_DIR: at(name),
        PARLEY_HOST: host,
        PARLEY_GATEWAY_PORT: String(gateway),
        PARLEY_MGMT_PORT: String(mgmt),
        PARLEY_NATS_URL: natsUrl(state),
        PARLEY_NATS_SYNC_ALWAYS: String(syncAlways),
        PARLEY_REDIS_URL: redisUrl(state),
        PARLEY_SECRET_KEY: state.secretKeyHex,
        PARLEY_BOOTSTRAP_KEY: state.bootstrapKey,
      },
      logFile: at('logs', `${name}.log`),
      healthUrl: `http://${host}:${mgmt}/readyz`,
      port: mgmt,
    }
  })

  // Redis holds rate limits, which need not survive a restart.
  const redisLines = [
    `bind ${host}`,
    `port ${ports.redis}`,
    `requirepass ${state.redisPassword}`,
    'save ""',
    'appendonly no',
    `dir ${JSON.stringify(dir)}`,
  ]
  return { servers: [...nats, redis], nodes, files: [{ path: redisConf, text: `${redisLines.join('\n')}\n` }] }
}
