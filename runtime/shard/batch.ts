/** A batch: the commands that share one commit of a shard. */

import type { Steps } from '../../core/steps.js'
import type { DeferredWrite } from '../store/contract.js'
import type { CommitContext, PendingEffect } from './decision.js'
import type { ShardLimits } from './limits.js'
import type { Overlay } from './overlay.js'

/**
 * An entry of the mailbox. `apply` leaves its writes in the overlay and returns the answer, or throws and leaves
 * nothing.
 */
export interface MailboxEntry {
  /** A caller sent it. Timers and completed effects are the shard's own entries; they are bounded at their source. */
  readonly isCommand: boolean
  readonly apply: (overlay: Overlay, context: CommitContext) => unknown
  /** In place of `apply`, for a long command: it is the first of its batch, and no entry joins before its last step. */
  readonly applyInSteps?: (overlay: Overlay, context: CommitContext) => Steps<unknown>
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Entries that are decided and share a commit. */
export interface Batch {
  /**
   * The write of the batch, once it has something to write; the batch takes entries until the write collects its
   * changes.
   */
  write?: DeferredWrite
  readonly overlay: Overlay
  readonly commit: number
  readonly startedAt: number
  readonly pending: PendingEffect[]
  readonly outboundCommands: CommitContext['outboundCommands']
  readonly entries: { readonly entry: MailboxEntry; readonly answer: unknown }[]
  isCommitted: boolean
}

/** Whether the entry may join: the batch is below its limits, and a long command must be the first of its batch. */
export function canAccept({ entries, overlay }: Batch, entry: MailboxEntry, limits: ShardLimits): boolean {
  if (entries.length >= limits.commandsPerCommit || overlay.bytes() >= limits.commitBytes) return false
  return !entry.applyInSteps || entries.length === 0
}
