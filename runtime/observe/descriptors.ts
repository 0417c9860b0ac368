/** Open files of the process: how many it may have, what of them is for whom, and whether they run out. */
import { readdirSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { http, descriptors as limits } from '../../core/limits.js'
import type { Check } from './health.js'
import type { Log } from './log.js'

/** What of the open files may be connections. The rest is for the data, the log and whatever else opens files. */
export interface DescriptorRoom {
  /** How many files the process may have open; undefined where the system does not say. */
  readonly most?: number
  /** Connections of each listener. */
  readonly sockets: Readonly<Record<'gateway' | 'mgmt', number>>
  readonly outgoing: number
  readonly outgoingPerHost: number
}

/**
 * Five eighths of what is free are for the gateway, one is for the management plane, and one for outgoing requests, which
 * take another: a connection that is kept for the next request takes a descriptor too.
 */
export function roomWithin(most: number | undefined, used: number): DescriptorRoom {
  const free = most === undefined ? Number.POSITIVE_INFINITY : Math.max(0, most - used - limits.reserve)
  const within = (least: number, share: number, mostOf: number) =>
    Math.max(least, Math.min(mostOf, Math.floor(free * share)))
  const outgoing = within(limits.outgoingLeast, 1 / 8, limits.outgoingMost)
  return {
    ...(most !== undefined && { most }),
    sockets: {
      gateway: within(limits.socketsLeast, 5 / 8, http.socketsTotal),
      mgmt: within(limits.socketsLeast, 1 / 8, http.socketsTotal),
    },
    outgoing,
    outgoingPerHost: Math.max(1, Math.floor(outgoing / limits.hostShare)),
  }
}

/** Linux alone says how many are open and how many may be. */
export function readRoom(): DescriptorRoom {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return roomWithin(soft === undefined ? undefined : Number(soft), readdirSync('/proc/self/fd').length)
  } catch {
    return roomWithin(undefined, 0)
  }
}

export interface DescriptorWatch {
  readonly check: Check
  close(): void
}

/** Looks now and then, says once in the log that they run out, and in `/readyz` as long as they do. */
export function watchDescriptors(
  most: number | undefined,
  log: Log,
  count: () => Promise<number> = async () => (await readdir('/proc/self/fd')).length,
): DescriptorWatch & { look(): Promise<void> } {
  let wrong: string | undefined

  async function look(): Promise<void> {
    if (most === undefined) return
    const before = wrong
    wrong = await wrongNow(most)
    if (wrong && !before) log.error('descriptors.exhausted', { detail: wrong })
    if (!wrong && before) log.info('descriptors.free_again')
  }

  async function wrongNow(limit: number): Promise<string | undefined> {
    try {
      const used = await count()
      const isShort = used > limit - limits.reserve / 2
      return isShort ? `${used} of ${limit} open files are in use: raise the limit (ulimit -n).` : undefined
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const isOut = code === 'EMFILE' || code === 'ENFILE'
      return isOut ? `All ${limit} open files are in use: raise the limit (ulimit -n).` : undefined
    }
  }

  const timer = setInterval(() => void look(), limits.lookEveryMs).unref()
  return {
    check: { name: 'descriptors', critical: false, check: () => wrong },
    look,
    close: () => clearInterval(timer),
  }
}
