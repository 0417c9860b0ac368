/**
 * Deletes the markers of removals when they are old. Watchers have to see a removal and writers who are late have to be
 * refused, so each marker stays for an hour. The library would read the whole bucket and send a request for every marker
 * each time (`purgeDeletes`); here every removal looks at a few messages, in turn, so that deleting keeps up with removing.
 */
import { bus as limits } from '../../core/limits.js'
import type { BusContext } from './connection.js'
import { readMessage, type Stored, streamState } from './messages.js'
import type { Stream } from './stream.js'

const looksPerRemoval = 4

/** To be called after every removal. A marker that cannot be deleted now is deleted after a later one. */
export function createTombstones(
  { clock }: Pick<BusContext, 'clock'>,
  stream: Stream,
  subjects: string,
  isMarker: (message: Stored) => boolean,
): () => Promise<void> {
  const { name, request } = stream
  let walkedTo = 0

  /** The newest message of a stream stays, whatever it is: a new watcher waits for it. */
  async function walk(): Promise<void> {
    const newest = (await streamState(stream)).last_seq
    for (let looks = 0; looks < looksPerRemoval; looks++) {
      const found = await readMessage(stream, { seq: walkedTo + 1, next_by_subj: subjects })
      walkedTo = found && found.seq < newest ? found.seq : 0
      if (!found || walkedTo === 0) return
      if (!isMarker(found) || clock.now() - found.at < limits.removalKeptMs) continue
      const marker = { filter: found.subject, seq: found.seq + 1 }
      await request(({ manager }) => manager.streams.purge(name, marker))
    }
  }

  return () => walk().catch(() => {})
}
