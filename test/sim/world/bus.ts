/** The simulated bus: one set of servers, and for each process a Bus over its own link. */
import type { Bus } from '../../../runtime/nats/contract.js'
import { createServerBucket, type ServerBucket } from './bucket.js'
import type { NodeClock } from './clock.js'
import type { Incarnation } from './life.js'
import type { Link } from './link.js'
import { createServerLog, type Entry, type ServerLog } from './log.js'
import type { Rng } from './rng.js'
import { createServerRpc, type ServerRpc } from './rpc.js'
import { type Connection, openServers, type Servers } from './servers.js'
import { createServerSnapshots } from './snapshots.js'
import type { Timeline } from './timeline.js'

export interface SimBus {
  readonly servers: Servers
  readonly rpc: ServerRpc
  readonly members: ServerBucket
  log(shard: number): ServerLog
  connect(incarnation: Incarnation, link: Link, clock: NodeClock): Bus
}

export interface BusOptions {
  readonly timeline: Timeline
  readonly rng: Rng
  readonly entryBytes: number
  readonly appended: (shard: number, entry: Entry) => void
  /** A node learnt that the servers have its heartbeat of that moment. */
  readonly beat: (incarnation: Incarnation, requestedAt: number) => void
}

/** How long the servers take to notice the end of a process, at least and at most. */
const removalDelayMs = [0, 3_000] as const

export function openSimBus(options: BusOptions): SimBus {
  const { timeline } = options
  const rng = options.rng
  const servers = openServers(timeline, rng.fork('servers'))
  const rpc = createServerRpc(timeline, rng.fork('wire'), servers)
  const bucket = (name: string, onRequest: (connection: Connection, requestedAt: number) => void) =>
    createServerBucket({ timeline, rng: rng.fork(name), servers, onRequest })
  const members = bucket('members', ({ incarnation }, requestedAt) => options.beat(incarnation, requestedAt))
  const settings = bucket('settings', () => {})
  const snapshots = createServerSnapshots(servers)
  const logs = new Map<number, ServerLog>()

  function log(shard: number): ServerLog {
    const serverLog =
      logs.get(shard) ??
      createServerLog({
        timeline,
        rng: rng.fork(`log-${shard}`),
        servers,
        entryBytes: options.entryBytes,
        appended: (entry) => options.appended(shard, entry),
      })
    logs.set(shard, serverLog)
    return serverLog
  }

  return {
    servers,
    rpc,
    members,
    log,
    connect(incarnation, link, clock) {
      let open = true
      incarnation.ended(() => {
        timeline.after(rng.between(...removalDelayMs), () => {
          open = false
        })
      })
      const connection: Connection = { incarnation, link, clock, isOpen: () => open }
      return {
        ...rpc.of(connection),
        log: (shard) => servers.request(connection, () => log(shard).of(connection)),
        members: members.of(connection),
        settings: settings.of(connection),
        objects: snapshots.of(connection),
        failure: () => (link.isKnownDown() || !servers.isUp() ? 'The simulated servers are away.' : undefined),
        warnings: () => [],
        async close() {
          open = false
        },
      }
    },
  }
}
