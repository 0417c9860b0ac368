/** A node, as a process and tests have it, and what it runs in. */
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
import type { Urls } from './addresses.js'
import type { BootstrapResult } from './bootstrap.js'

export interface PlaneParts {
  readonly routes: readonly Route[]
  readonly serve: Serve
  /** Accepts requests as sockets, on the plane that has sockets. */
  readonly sockets?: SocketAcceptor
  readonly meters: SocketMeter
  readonly document: () => OpenApiDocument
}

/** A node without its sockets: what tests inject requests into, and what the listeners serve. */
export interface Node {
  readonly planes: Readonly<Record<Plane, PlaneParts>>
  readonly bootstrapResult: BootstrapResult
  readonly engine: Engine
  readonly health: Health
  readonly grants: Grants
  /** Connections that each listener may have, within the open files that the process may have. */
  readonly maxSockets: Readonly<Record<Plane, number>>
  /** Servers that stand in for providers; they are there once they were started. */
  readonly emulator: Pick<Emulator, 'start' | 'stop' | 'providers'>
  /** Somebody to talk to, once providers run; `link` opens the page. */
  readonly sample: { start(port?: number): Promise<void>; link(): string | undefined }
  /** The user id of a person: the same on every node of an installation. */
  readonly asidOf: AsidOf
  /** Gives the node its public addresses; effects are performed from then on. */
  setPublicUrls(urls: Urls): void
  /** Finishes what was asked, flushes, and lets go of the data. */
  close(): Promise<void>
}

export interface NodeContext {
  readonly clock: Clock
  readonly log: Log
  readonly randomBytes?: (count: number) => Uint8Array
  readonly checkReplies?: boolean
  /** Stands between the node and its shards, for tests. */
  readonly wrapShards?: <S extends Shards>(shards: S) => S
  /** Routes, commands and queries beside the product's own, for tests and benchmarks. */
  readonly extraRoutes?: readonly Route[]
  readonly extraModule?: Handlers
}
