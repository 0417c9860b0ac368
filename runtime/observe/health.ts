/** Readiness of this node, check by check. */
import { redact } from './redaction.js'

/**
 * `check` returns a sentence about the problem, or nothing. It runs on every probe, so it only reads and never waits.
 */
export interface Check {
  readonly name: string
  /**
   * A node that fails a critical check must get no work; a node that fails another one continues to serve, degraded.
   */
  readonly critical: boolean
  check(): string | undefined
}

export type Readiness = 'ok' | 'degraded' | 'unavailable' | 'draining'

export interface CheckResult {
  readonly name: string
  readonly status: 'ok' | 'degraded' | 'failed'
  readonly detail?: string
}

export interface ReadyReply {
  readonly status: Readiness
  readonly checks: readonly CheckResult[]
}

export interface Health {
  add(check: Check): void
  /** The node is not ready from now on, for good. */
  drain(): void
  /** Runs every check. */
  ready(): ReadyReply
}

export function createHealth(initialChecks: readonly Check[] = []): Health {
  const checks = [...initialChecks]
  let draining = false
  return {
    add(check) {
      if (checks.some((existing) => existing.name === check.name))
        throw new Error(`a check named ${check.name} is there already`)
      checks.push(check)
    },
    drain() {
      draining = true
    },
    ready() {
      const results = checks.map(resultOf)
      return { status: draining ? 'draining' : readinessOf(results), checks: results }
    },
  }
}

function readinessOf(results: readonly CheckResult[]): Readiness {
  if (results.some((result) => result.status === 'failed')) return 'unavailable'
  return results.some((result) => result.status === 'degraded') ? 'degraded' : 'ok'
}

/** The reply is public, so a sentence is redacted, and the error of a check that throws is left out. */
function resultOf(check: Check): CheckResult {
  const problem = problemOf(check)
  if (problem === undefined) return { name: check.name, status: 'ok' }
  return { name: check.name, status: check.critical ? 'failed' : 'degraded', detail: redact(problem) }
}

function problemOf(check: Check): string | undefined {
  try {
    return check.check()
  } catch {
    return 'The check itself failed.'
  }
}
