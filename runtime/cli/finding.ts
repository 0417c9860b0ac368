/** Findings of `parley doctor`, and the checks that make them. */
import type { Config } from '../config/config.js'
import type { CliContext } from './program.js'

export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** What the operator should do about it. */
  readonly advice?: string
}

/** A check reads, changes nothing and never throws: what it cannot inspect is a finding. */
export type Check = (config: Config, env: CliContext['env']) => Promise<readonly Finding[]> | readonly Finding[]
