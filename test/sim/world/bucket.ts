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
  readonly heard: (connection: Connection, askedAt: number) => void
}

/** How often a disconnected watcher tries again, at least and at most. */
const againMs = [200, 1_500] as const

export function createServerBucket({ timeline, rng, servers, heard }: BucketOptions): ServerBucket {
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
    { life, link }: Connection,
    seen: (key: string, held: KvEntry) => void,
    ready: () => void,
  ): () => void {
    let told = new Map<string, number>()
    let arrived = new Map<string, number>()
    let over = false
    let broken = true

    function notify(key: string): boolean {
      const held = values.get(key)
      if (!held || told.get(key) === held.revision) return true
      const seenThen = arrived
      const sent = link.transmit('toNode', () => {
        // A delayed change is left out when a later change of its key came first: changes of one key are in order.
        if (over || (seenThen.get(key) ?? 0) > held.revision) return
        seenThen.set(key, held.revision)
        const value = held.value && Buffer.from(held.value)
        life.enter(() => !over && seen(key, { revision: held.revision, value }))
      })
      if (sent) told.set(key, held.revision)
      return sent
    }

    function begin(first: boolean): void {
      if (over) return
      const arrives = link.transmit('toBus', () => {
        if (over) return
        if (!servers.isUp()) return again(first)
        broken = false
        for (const key of [...values.keys()]) if (!notify(key)) return again(first)
        if (first && !link.transmit('toNode', ready)) again(first)
      })
      if (!arrives) again(first)
    }

    function again(first: boolean): void {
      broken = true
      timeline.after(rng.between(...againMs), () => begin(first))
    }

    const watcher: Watcher = {
      changed(key) {
        if (!broken && !notify(key)) again(false)
      },
      restart() {
        told = new Map()
        arrived = new Map()
        if (!broken) again(false)
      },
    }
    watchers.add(watcher)
    const end = () => {
      over = true
      watchers.delete(watcher)
    }
    life.ended(end)
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
        const askedAt = timeline.now()
        const done = await servers.ask(connection, () => set(key, bytes))
        heard(connection, askedAt)
        return done
      },
      create(key, value) {
        const bytes = Buffer.from(value)
        return servers.ask(connection, () => {
          if (values.get(key)?.value) return false
          set(key, bytes)
          return true
        })
      },
      get: (key) =>
        servers.ask(connection, () => {
          const held = values.get(key)
          return held && { revision: held.revision, value: held.value && Buffer.from(held.value) }
        }),
      remove: (key) => servers.ask(connection, () => void (values.has(key) && set(key, undefined))),
      watch: (seen) =>
        connection.life.outside<() => void>(({ resolve }) => {
          const end = watch(connection, seen, () => resolve(end))
        }),
    }),
  }
}
