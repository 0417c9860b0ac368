/** What is decided and goes together in one commit of a shard. */
import { shard as limits } from '../../core/limits.js'
import type { Steps } from '../../core/steps.js'
import type { DeferredWrite } from '../store/contract.js'
import type { Moment, Owed } from './decide.js'
import type { Layer } from './layer.js'

/** Something that joins a commit: `join` leaves its writes in the layer and answers, or throws and leaves nothing. */
export interface Letter {
  /** Somebody asked for it. Timers, reports and settled effects, bounded where they come from, are the shard's own. */
  readonly isAsked: boolean
  readonly join: (layer: Layer, moment: Moment) => unknown
  /** In place of `join`, for what takes long: it is the first of its commit, and nothing joins before its last step. */
  readonly joinInSteps?: (layer: Layer, moment: Moment) => Steps<unknown>
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Commands that are decided and go together. */
export interface Batch {
  /** Its commit, once it has something to write; it takes letters until that begins. */
  write?: DeferredWrite
  readonly layer: Layer
  readonly commit: number
  readonly began: number
  readonly owed: Owed[]
  readonly tellings: Moment['tellings']
  readonly joined: { readonly letter: Letter; readonly answer: unknown }[]
  hasLanded: boolean
}

/** Whether it may join: what takes long waits until those that joined before it have gone. */
export function takes({ joined, layer }: Batch, letter: Letter): boolean {
  if (joined.length >= limits.commandsPerCommit || layer.bytes() >= limits.commitBytes) return false
  return !letter.joinInSteps || joined.length === 0
}
