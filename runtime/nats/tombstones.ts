/**
 * Deletes old markers of removals. Watchers must see a removal and late writers must be refused, so each marker stays
 * for an hour. `purgeDeletes` of the library would read the whole bucket and send a request for every marker each time;
 * here every removal checks a few messages, in turn, so that deleting keeps up with removing.
 */

import type { BusContext } from './connection.js'
import { bus as limits } from './limits.js'
import { readMessage, type StoredMessage, streamState } from './messages.js'
import type { Stream } from './stream.js'

const checksPerRemoval = 4

/** Called after every removal. A marker that cannot be deleted now is deleted after a later removal. */
export function createTombstones(
  { clock }: Pick<BusContext, 'clock'>,
  stream: Stream,
  subjects: string,
  isMarker: (message: StoredMessage) => boolean,
): () => Promise<void> {
  const { name, request } = stream
  let scannedTo = 0

  /** The newest message of a stream always stays: a new watcher waits for it. */
  async function scan(): Promise<void> {
    const newest = (await streamState(stream)).last_seq
    for (let checks = 0; checks < checksPerRemoval; checks++) {
      const stored = await readMessage(stream, { seq: scannedTo + 1, next_by_subj: subjects })
      scannedTo = stored && stored.seq < newest ? stored.seq : 0
      if (!stored || scannedTo === 0) return
      if (!isMarker(stored) || clock.now() - stored.at < limits.removalKeptMs) continue
      const marker = { filter: stored.subject, seq: stored.seq + 1 }
      await request(({ manager }) => manager.streams.purge(name, marker))
    }
  }

  return () => scan().catch(() => {})
}
