/** Open files of the process: the limit, its division among connections, and a warning when they run out. */
import { readdirSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { http, descriptors as limits } from '../../core/limits/index.js'
import type { Check } from './health.js'
import type { Log } from './log.js'

/** The open files that may be connections. The rest is for the data, the log and other files. */
export interface DescriptorBudget {
  /** The number of files that the process may have open; undefined where the system does not report it. */
  readonly softLimit?: number
  /** Connections of each listener. */
  readonly sockets: Readonly<Record<'gateway' | 'mgmt', number>>
  readonly outgoing: number
  readonly outgoingPerHost: number
}

/**
 * Of the free descriptors the gateway gets five eighths, the management plane one, and outgoing requests one; a further
 * one covers idle outgoing connections, which take a descriptor each.
 */
export function allotDescriptors(softLimit: number | undefined, used: number): DescriptorBudget {
  const free = softLimit === undefined ? Number.POSITIVE_INFINITY : Math.max(0, softLimit - used - limits.reserve)
  const allot = (minimum: number, share: number, maximum: number) =>
    Math.max(minimum, Math.min(maximum, Math.floor(free * share)))
  const outgoing = allot(limits.outgoingMin, 1 / 8, limits.outgoingMax)
  return {
    ...(softLimit !== undefined && { softLimit }),
    sockets: {
      gateway: allot(limits.socketsMin, 5 / 8, http.socketsTotal),
      mgmt: allot(limits.socketsMin, 1 / 8, http.socketsTotal),
    },
    outgoing,
    outgoingPerHost: Math.max(1, Math.floor(outgoing / limits.hostShare)),
  }
}

/** Only Linux reports how many are open and how many may be. */
export function readDescriptorBudget(): DescriptorBudget {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return allotDescriptors(soft === undefined ? undefined : Number(soft), readdirSync('/proc/self/fd').length)
  } catch {
    return allotDescriptors(undefined, 0)
  }
}

export interface DescriptorWatch {
  readonly check: Check
  close(): void
}

/** Checks at intervals; logs once that descriptors run out, and fails `/readyz` as long as they do. */
export function watchDescriptors(
  softLimit: number | undefined,
  log: Log,
  count: () => Promise<number> = async () => (await readdir('/proc/self/fd')).length,
): DescriptorWatch & { refresh(): Promise<void> } {
  let problem: string | undefined

  async function refresh(): Promise<void> {
    if (softLimit === undefined) return
    const before = problem
    problem = await currentProblem(softLimit)
    if (problem && !before) log.error('descriptors.exhausted', { detail: problem })
    if (!problem && before) log.info('descriptors.recovered')
  }

  async function currentProblem(limit: number): Promise<string | undefined> {
    try {
      const used = await count()
      const isNearLimit = used > limit - limits.reserve / 2
      return isNearLimit ? `${used} of ${limit} open files are in use: raise the limit (ulimit -n).` : undefined
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const isExhausted = code === 'EMFILE' || code === 'ENFILE'
      return isExhausted ? `All ${limit} open files are in use: raise the limit (ulimit -n).` : undefined
    }
  }

  const timer = setInterval(() => void refresh(), limits.checkEveryMs).unref()
  return {
    check: { name: 'descriptors', critical: false, check: () => problem },
    refresh,
    close: () => clearInterval(timer),
  }
}
