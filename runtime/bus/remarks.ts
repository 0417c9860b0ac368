/** What an operator should know of servers that work. */
import { bus as limits } from '../../core/limits.js'
import type { ServerFacts } from './connection.js'

export function remarksOn(server: ServerFacts, syncAlways: boolean): string[] {
  const safe = limits.safeServer.join('.')
  const remarks = []
  if (isOlder(server.version, limits.safeServer)) {
    remarks.push(
      `The NATS server is version ${server.version}: below ${safe} an acknowledged commit may be lost when the power fails.`,
    )
  }
  if (!syncAlways) {
    remarks.push(
      'PARLEY_NATS_SYNC_ALWAYS is not set: unless the NATS servers run with sync_interval: always, an acknowledged commit may be lost when the power fails.',
    )
  }
  if (!server.clustered) {
    remarks.push('There is a single NATS server: every commit is kept once, and none can be made while it is away.')
  }
  return remarks
}

/** Compares the numbers of a version; what follows them (a pre-release, a build) does not count. */
export function isOlder(version: string, than: readonly number[]): boolean {
  const numbers = version.replace(/^v/, '').split(/[.+-]/).map(Number)
  for (const [place, wanted] of than.entries()) {
    const found = numbers[place] ?? 0
    // A version that cannot be read is no reason to be calm.
    if (Number.isNaN(found)) return true
    if (found !== wanted) return found < wanted
  }
  return false
}
