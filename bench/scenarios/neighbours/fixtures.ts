/** What the caller gets to know of the node. */
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
  /** Values for the parameters of paths. */
  readonly params: Readonly<Record<string, string>>
}

export const allowedMs = 50
