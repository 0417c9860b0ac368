/** A node as processes and tests use it, and the environment that it runs in. */
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import type { Grants } from '../../mgmt/access/grants.js'
import type { Clock } from '../clock.js'
import type { AsidOf } from '../conversation/asid.js'
import type { Emulator } from '../emulator/emulator.js'
import type { Serve } from '../http/exchange.js'
import type { SocketMeter } from '../http/metrics.js'
import type { OpenApiDocument } from '../http/openapi.js'
import type { Plane, Route } from '../http/route.js'
import type { SocketAcceptor } from '../http/websocket.js'
import type { Health } from '../observe/health.js'
import type { Log } from '../observe/log.js'
import type { Engine, Handlers, Shards } from '../shard/contract.js'
import type { Store } from '../store/contract.js'
import type { Urls } from './addresses.js'
import type { BootstrapResult } from './bootstrap.js'
import type { GatewayDepsOptions } from './gateway.js'

export interface PlaneParts {
  readonly routes: readonly Route[]
  readonly serve: Serve
  /** Accepts WebSocket upgrades, on a plane that has sockets. */
  readonly sockets?: SocketAcceptor
  readonly meters: SocketMeter
  readonly document: () => OpenApiDocument
}

/** A node without listeners: tests inject requests into it, and the listeners serve it. */
export interface Node {
  readonly planes: Readonly<Record<Plane, PlaneParts>>
  readonly bootstrapResult: BootstrapResult
  readonly engine: Engine
  /** Committed state of the shards on this node, for tests; absent in a process without shards. */
  readonly store?: Pick<Store, 'space'>
  readonly health: Health
  readonly grants: Grants
  /** Maximum connections of each listener, within the open-file limit of the process. */
  readonly maxSockets: Readonly<Record<Plane, number>>
  /** Emulated providers; available after `start`. */
  readonly emulator: Pick<Emulator, 'start' | 'stop' | 'providers'>
  /** The sample agents, available once providers run; `link` is the address of their page. */
  readonly sample: { start(port?: number): Promise<void>; link(): string | undefined }
  /** The asid of a person's address: the same on every node of an installation. */
  readonly asidOf: AsidOf
  /** Sets the public addresses of the node; effects run from then on. */
  setPublicUrls(urls: Urls): void
  /** Finishes accepted work, flushes, and closes the store. */
  close(): Promise<void>
}

export interface NodeContext {
  readonly clock: Clock
  readonly log: Log
  readonly randomBytes?: (count: number) => Uint8Array
  readonly checkReplies?: boolean
  /** Wraps the shards that the node uses, for tests. */
  readonly wrapShards?: <S extends Shards>(shards: S) => S
  /** Wraps each adapter except that of web chat, for tests whose provider answers as they say. */
  readonly wrapAdapter?: (adapter: HostedAdapter) => HostedAdapter
  /** Wraps what the stages of the gateway share, for tests that count calls of a part or replace it. */
  readonly wrapGateway?: (parts: GatewayDepsOptions) => GatewayDepsOptions
  /** Additional routes, commands and queries, for tests and benchmarks. */
  readonly extraRoutes?: readonly Route[]
  readonly extraModule?: Handlers
}
