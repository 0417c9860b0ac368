/**
 * Reseeds the log of a shard from this node's copy, because the servers have lost entries, or because the data is older
 * than any log: a snapshot of the copy, then a new lineage that begins with it.
 */
import { ancestorsOf, type Copy } from './copy.js'
import { encodeEntry, lineageIdOf, type OwnerEntry } from './entry.js'
import { type AppendContext, appendWithRetry } from './logwriter.js'
import type { SnapshotStore } from './snapshotstore.js'

export interface ReseedContext extends AppendContext {
  readonly copy: Copy
  readonly snapshotStore: SnapshotStore
}

/**
 * Appends right behind `last`. Rejects as `appendWithRetry` does; only a snapshot that no lineage refers to remains
 * then.
 */
export async function reseedLog(
  context: ReseedContext,
  newEpoch: { readonly lineageId: string; readonly epoch: number; readonly owner: string },
  last: number,
): Promise<void> {
  const { log, copy, snapshotStore } = context
  const { lineageId, epoch, owner } = newEpoch
  const lastMessage = last > 0 ? await log.read(last) : undefined
  const number = last + 1
  const head = {
    lineageId,
    epoch,
    owner,
    number,
    ancestors: ancestorsOf(copy.position(), lastMessage && lineageIdOf(lastMessage), number),
  }
  await snapshotStore.putSeed(head)
  const entry: OwnerEntry = { kind: 'owner', epoch, owner, reseeded: true }
  await appendWithRetry(context, encodeEntry(lineageId, entry, log.entryBytes), last)
  await copy.reseed(head)
}
