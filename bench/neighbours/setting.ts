/** What the caller is told of the node that it calls. */
import type { Hostile } from './corpus.js'

export interface Setting {
  readonly urls: { readonly mgmt: string; readonly gateway: string }
  readonly key: string
  readonly corpus: readonly Hostile[]
  /** What stands in the paths in place of their parameters. */
  readonly params: Readonly<Record<string, string>>
}

export const allowedMs = 50
