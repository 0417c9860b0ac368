/**
 * Founds the log of a shard anew on this node's copy, because the servers have less than the copy knows, or because the
 * state is older than any log: the copy as a snapshot, then a line of its own that begins with it.
 */
import type { Clock } from '../../clock.js'
import type { Log } from '../../nats/contract.js'
import { appendForSure } from './append.js'
import { type Copy, parentsOf } from './copy.js'
import { lineOf, messagesOf, type OwnerEntry } from './entry.js'
import type { Shelf } from './shelf.js'

export interface Ground {
  readonly log: Log
  readonly copy: Copy
  readonly shelf: Shelf
  readonly clock: Clock
}

/** Right behind `last`. Rejects as `appendForSure` does, and then nothing but a snapshot that nobody asks for is left. */
export async function foundLog(
  { log, copy, shelf, clock }: Ground,
  about: { readonly line: string; readonly epoch: number; readonly holder: string },
  last: number,
): Promise<void> {
  const { line, epoch, holder } = about
  const before = last > 0 ? await log.read(last) : undefined
  const number = last + 1
  const head = { line, epoch, holder, number, parents: parentsOf(copy.position(), before && lineOf(before), number) }
  await shelf.found(head)
  const entry: OwnerEntry = { kind: 'owner', epoch, holder, founded: true }
  await appendForSure(log, clock, messagesOf(line, entry, log.entryBytes), last)
  await copy.found(head)
}
