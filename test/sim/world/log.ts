/** The logs of the shards on the servers, and a node's view of one. */
import { BusUnreachable, type Log } from '../../../runtime/nats/contract.js'
import type { Rng } from './rng.js'
import type { Connection, Servers } from './servers.js'
import type { Timeline } from './timeline.js'

export interface Entry {
  readonly number: number
  readonly bytes: Buffer
  /** The life and node that appended it, and when. */
  readonly by: string
  readonly node: string
  readonly at: number
}

export interface ServerLog {
  entries(): readonly Entry[]
  last(): number
  of(connection: Connection): Log
  /** The servers lost their disks: entries from that number on are lost. */
  rollBack(to: number): void
}

interface Follower {
  pump(): void
  rolledBack(last: number): void
}

export interface LogOptions {
  readonly timeline: Timeline
  readonly rng: Rng
  readonly servers: Servers
  readonly entryBytes: number
  /** Called for each entry as it becomes durable. */
  readonly appended: (entry: Entry) => void
}

/** How long a follower waits for a heartbeat before it gives up, at least and at most. */
const silenceMs = [1_000, 6_000] as const

export function createServerLog(options: LogOptions): ServerLog {
  const { timeline, rng, servers } = options
  let entries: Entry[] = []
  /** The number of `entries[0]`. */
  let first = 1
  const followers = new Set<Follower>()

  const last = () => first + entries.length - 1
  const entryAt = (number: number) => (number >= first ? entries[number - first] : undefined)

  function append(bytes: Buffer, after: number, connection: Connection): 'appended' | 'conflict' {
    if (last() !== after) return 'conflict'
    const { node, name } = connection.incarnation
    const entry = { number: last() + 1, bytes, by: name, node, at: timeline.now() }
    entries.push(entry)
    options.appended(entry)
    for (const follower of [...followers]) follower.pump()
    return 'appended'
  }

  function follow(
    connection: Connection,
    after: number,
    onEntry: Parameters<Log['follow']>[1],
    ended: (w: unknown) => void,
  ) {
    const { incarnation, link } = connection
    let cursor = after
    let busy = true
    let over = false

    function end(why: unknown): void {
      if (over) return
      over = true
      followers.delete(follower)
      incarnation.enter(() => ended(why))
    }

    function giveUpLater(): void {
      timeline.after(rng.between(...silenceMs), () => end(new BusUnreachable('The simulated log fell silent.')))
    }

    function pump(): void {
      if (over || busy || !servers.isUp() || cursor >= last()) return
      const entry = entryAt(cursor + 1)
      busy = true
      const sent = link.transmit('toNode', () => {
        if (over) return
        if (!entry) end(new Error(`entry ${cursor + 1} of the simulated log was trimmed away`))
        else incarnation.enter(() => void deliver(entry))
      })
      if (!sent) giveUpLater()
    }

    async function deliver(entry: Entry): Promise<void> {
      if (over) return
      try {
        await onEntry(Buffer.from(entry.bytes), entry.number)
      } catch (error) {
        end(error)
        return
      }
      cursor = entry.number
      busy = false
      pump()
    }

    const follower: Follower = {
      pump,
      rolledBack: (to) => cursor > to && end(new Error('the simulated log went back')),
    }
    incarnation.ended(() => {
      over = true
      followers.delete(follower)
    })
    if (!incarnation.reach()) return () => {}
    const began = link.transmit('toBus', () => {
      if (over || !servers.isUp()) {
        giveUpLater()
        return
      }
      followers.add(follower)
      busy = false
      if (cursor > last()) end(new Error('the simulated log ends before what was asked for'))
      else pump()
    })
    if (!began) giveUpLater()
    return () => {
      over = true
      followers.delete(follower)
    }
  }

  servers.onUp(() => {
    for (const follower of [...followers]) follower.pump()
  })

  return {
    entries: () => entries,
    last,
    rollBack(to) {
      entries = entries.slice(0, Math.max(0, to - first + 1))
      first = Math.min(first, to + 1)
      for (const follower of [...followers]) follower.rolledBack(to)
    },
    of: (connection) => ({
      entryBytes: options.entryBytes,
      append(entry, after) {
        if (entry.length > options.entryBytes) return Promise.reject(new Error('an entry is too large for the log'))
        const bytes = Buffer.from(entry)
        return servers.request(connection, () => append(bytes, after, connection), { mayRepeat: true })
      },
      bounds: () => servers.request(connection, () => ({ first, last: last() })),
      read: (number) =>
        servers.request(connection, () => {
          const entry = entryAt(number)
          return entry && Buffer.from(entry.bytes)
        }),
      follow: (after, onEntry, ended) => follow(connection, after, onEntry, ended),
      trim: (upTo) =>
        servers.request(connection, () => {
          const removedCount = Math.min(upTo, last()) - first + 1
          if (removedCount <= 0) return
          entries = entries.slice(removedCount)
          first += removedCount
        }),
    }),
  }
}
