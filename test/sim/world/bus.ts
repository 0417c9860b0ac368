/** The simulated bus: one set of servers, and for each process a Bus over its own link. */
import type { Bus } from '../../../runtime/nats/contract.js'
import { createServerBucket, type ServerBucket } from './bucket.js'
import type { NodeClock } from './clock.js'
import type { Life } from './life.js'
import type { Link } from './link.js'
import { createServerLog, type Entry, type ServerLog } from './log.js'
import type { Rng } from './rng.js'
import { createServerRpc, type ServerRpc } from './rpc.js'
import { type Connection, openServers, type Servers } from './servers.js'
import { createServerSnapshots } from './snapshots.js'
import type { Timeline } from './timeline.js'

export interface SimBus {
  readonly servers: Servers
  readonly wire: ServerRpc
  readonly members: ServerBucket
  log(shard: number): ServerLog
  connect(life: Life, link: Link, clock: NodeClock): Bus
}

export interface BusOptions {
  readonly timeline: Timeline
  readonly rng: Rng
  readonly entryBytes: number
  readonly appended: (shard: number, entry: Entry) => void
  /** A node learnt that the servers have its heartbeat of that moment. */
  readonly beat: (life: Life, askedAt: number) => void
}

/** How long the servers take to notice the end of a process, at least and at most. */
const goneMs = [0, 3_000] as const

export function openSimBus(options: BusOptions): SimBus {
  const { timeline } = options
  const rng = options.rng
  const servers = openServers(timeline, rng.fork('servers'))
  const wire = createServerRpc(timeline, rng.fork('wire'), servers)
  const bucket = (name: string, heard: (connection: Connection, askedAt: number) => void) =>
    createServerBucket({ timeline, rng: rng.fork(name), servers, heard })
  const members = bucket('members', ({ life }, askedAt) => options.beat(life, askedAt))
  const settings = bucket('settings', () => {})
  const snapshots = createServerSnapshots(servers)
  const logs = new Map<number, ServerLog>()

  function log(shard: number): ServerLog {
    const held =
      logs.get(shard) ??
      createServerLog({
        timeline,
        rng: rng.fork(`log-${shard}`),
        servers,
        entryBytes: options.entryBytes,
        appended: (entry) => options.appended(shard, entry),
      })
    logs.set(shard, held)
    return held
  }

  return {
    servers,
    wire,
    members,
    log,
    connect(life, link, clock) {
      let open = true
      life.ended(() => {
        timeline.after(rng.between(...goneMs), () => {
          open = false
        })
      })
      const connection: Connection = { life, link, clock, isOpen: () => open }
      return {
        ...wire.of(connection),
        log: (shard) => servers.ask(connection, () => log(shard).of(connection)),
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
