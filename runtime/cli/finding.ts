/** Findings of `parley doctor`, and the type of its checks. */
import type { Config } from '../config/config.js'
import type { CliContext } from './program.js'

export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** Advice for the operator. */
  readonly advice?: string
}

/** A check reads, changes nothing and never throws: a state that it cannot inspect is a finding. */
export type Check = (config: Config, env: CliContext['env']) => Promise<readonly Finding[]> | readonly Finding[]
