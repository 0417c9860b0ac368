/** What the caller is told of the node that it calls. */
import type { HostileBody } from './corpus.js'

/** An agent, and a person who has written to it. */
export interface Talker {
  readonly agentId: string
  readonly token: string
  readonly userId: string
}

export interface CallerSetup {
  readonly urls: { readonly mgmt: string; readonly gateway: string }
  readonly key: string
  readonly talker: Talker
  readonly corpus: readonly HostileBody[]
  /** What stands in the paths in place of their parameters. */
  readonly params: Readonly<Record<string, string>>
}

export const allowedMs = 50
