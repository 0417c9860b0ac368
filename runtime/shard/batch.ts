/** What is decided and goes together in one commit of a shard. */
import { shard as limits } from '../../core/limits/index.js'
import type { Steps } from '../../core/steps.js'
import type { DeferredWrite } from '../store/contract.js'
import type { CommitContext, PendingEffect } from './decision.js'
import type { Overlay } from './overlay.js'

/** Something that joins a commit: `apply` leaves its writes in the layer and answers, or throws and leaves nothing. */
export interface MailboxEntry {
  /** Somebody asked for it. Timers, reports and settled effects, bounded where they come from, are the shard's own. */
  readonly isCommand: boolean
  readonly apply: (overlay: Overlay, context: CommitContext) => unknown
  /** In place of `apply`, for what takes long: it is the first of its commit, and nothing joins before its last step. */
  readonly applyInSteps?: (overlay: Overlay, context: CommitContext) => Steps<unknown>
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Commands that are decided and go together. */
export interface Batch {
  /** Its commit, once it has something to write; it takes letters until that begins. */
  write?: DeferredWrite
  readonly overlay: Overlay
  readonly commit: number
  readonly startedAt: number
  readonly pending: PendingEffect[]
  readonly outboundCommands: CommitContext['outboundCommands']
  readonly entries: { readonly entry: MailboxEntry; readonly answer: unknown }[]
  isCommitted: boolean
}

/** Whether it may join: what takes long waits until those that joined before it have gone. */
export function canAccept({ entries, overlay }: Batch, entry: MailboxEntry): boolean {
  if (entries.length >= limits.commandsPerCommit || overlay.bytes() >= limits.commitBytes) return false
  return !entry.applyInSteps || entries.length === 0
}
