/** Warnings for the operator about servers that work. */

import type { ServerFacts } from './connection.js'
import { bus as limits } from './limits.js'

export function serverWarnings(server: ServerFacts, syncAlways: boolean): string[] {
  const safe = limits.safeServer.join('.')
  const warnings = []
  if (isOlder(server.version, limits.safeServer)) {
    warnings.push(
      `The NATS server is version ${server.version}: below ${safe} an acknowledged commit may be lost when the power fails.`,
    )
  }
  if (!syncAlways) {
    warnings.push(
      'PARLEY_NATS_SYNC_ALWAYS is not set: unless the NATS servers run with sync_interval: always, an acknowledged commit may be lost when the power fails.',
    )
  }
  if (!server.clustered) {
    warnings.push('There is a single NATS server: every commit is kept once, and none can be made while it is away.')
  }
  return warnings
}

/** Compares the numbers of a version; what follows them (a pre-release, a build) does not count. */
export function isOlder(version: string, than: readonly number[]): boolean {
  const numbers = version.replace(/^v/, '').split(/[.+-]/).map(Number)
  for (const [index, required] of than.entries()) {
    const actual = numbers[index] ?? 0
    // A version that cannot be read may be an old one.
    if (Number.isNaN(actual)) return true
    if (actual !== required) return actual < required
  }
  return false
}
