/** A key-value bucket on the servers, and a node's view of it. */
import type { Bucket, KvEntry } from '../../../runtime/nats/contract.js'
import type { Rng } from './rng.js'
import type { Connection, Servers } from './servers.js'
import type { Timeline } from './timeline.js'

export interface ServerBucket {
  of(connection: Connection): Bucket
  /** The servers lost their memory: the bucket is empty and its revisions begin again. */
  lose(): void
}

interface Watcher {
  changed(key: string): void
  /** Forgets the reported revisions, since they begin again, and reports the current content. */
  restart(): void
}

export interface BucketOptions {
  readonly timeline: Timeline
  readonly rng: Rng
  readonly servers: Servers
  /** Called when a node learns that its put was done, with the time of the request. */
  readonly onRequest: (connection: Connection, requestedAt: number) => void
}

/** How often a disconnected watcher tries again, at least and at most. */
const retryMs = [200, 1_500] as const

export function createServerBucket({ timeline, rng, servers, onRequest }: BucketOptions): ServerBucket {
  let values = new Map<string, KvEntry>()
  let revision = 0
  const watchers = new Set<Watcher>()

  function set(key: string, value: Buffer | undefined): number {
    revision++
    values.set(key, { revision, value })
    for (const watcher of [...watchers]) watcher.changed(key)
    return revision
  }

  /** One watch: reports changes in order, and after a reconnect those that it has not reported yet. */
  function watch(
    { incarnation, link }: Connection,
    seen: (key: string, entry: KvEntry) => void,
    ready: () => void,
  ): () => void {
    let notified = new Map<string, number>()
    let arrived = new Map<string, number>()
    let over = false
    let broken = true

    function notify(key: string): boolean {
      const entry = values.get(key)
      if (!entry || notified.get(key) === entry.revision) return true
      const seenThen = arrived
      const sent = link.transmit('toNode', () => {
        // A delayed change is left out when a later change of its key came first: changes of one key are in order.
        if (over || (seenThen.get(key) ?? 0) > entry.revision) return
        seenThen.set(key, entry.revision)
        const value = entry.value && Buffer.from(entry.value)
        incarnation.enter(() => !over && seen(key, { revision: entry.revision, value }))
      })
      if (sent) notified.set(key, entry.revision)
      return sent
    }

    function begin(first: boolean): void {
      if (over) return
      const arrives = link.transmit('toBus', () => {
        if (over) return
        if (!servers.isUp()) return retryBegin(first)
        broken = false
        for (const key of [...values.keys()]) if (!notify(key)) return retryBegin(first)
        if (first && !link.transmit('toNode', ready)) retryBegin(first)
      })
      if (!arrives) retryBegin(first)
    }

    function retryBegin(first: boolean): void {
      broken = true
      timeline.after(rng.between(...retryMs), () => begin(first))
    }

    const watcher: Watcher = {
      changed(key) {
        if (!broken && !notify(key)) retryBegin(false)
      },
      restart() {
        notified = new Map()
        arrived = new Map()
        if (!broken) retryBegin(false)
      },
    }
    watchers.add(watcher)
    const end = () => {
      over = true
      watchers.delete(watcher)
    }
    incarnation.ended(end)
    begin(true)
    return end
  }

  return {
    lose() {
      values = new Map()
      revision = 0
      for (const watcher of [...watchers]) watcher.restart()
    },
    of: (connection) => ({
      async put(key, value) {
        const bytes = Buffer.from(value)
        const requestedAt = timeline.now()
        const done = await servers.request(connection, () => set(key, bytes))
        onRequest(connection, requestedAt)
        return done
      },
      create(key, value) {
        const bytes = Buffer.from(value)
        return servers.request(connection, () => {
          if (values.get(key)?.value) return false
          set(key, bytes)
          return true
        })
      },
      get: (key) =>
        servers.request(connection, () => {
          const entry = values.get(key)
          return entry && { revision: entry.revision, value: entry.value && Buffer.from(entry.value) }
        }),
      remove: (key) => servers.request(connection, () => void (values.has(key) && set(key, undefined))),
      watch: (seen) =>
        connection.incarnation.outside<() => void>(({ resolve }) => {
          const end = watch(connection, seen, () => resolve(end))
        }),
    }),
  }
}
