/**
 * Messages that only say that something was removed. Whoever watches has to be told, and whoever is about to put the same
 * thing has to be refused, so each is kept for a while; then it goes, or there would be one of everything there ever was.
 */
import { bus as limits } from '../../core/limits.js'
import type { Stored, Stream, StreamHost } from './stream.js'

/** Every removal looks at so many messages, in turn, so that forgetting keeps up with removing. */
const looksPerRemoval = 4

/** To be called with the number of every removal. What cannot be forgotten now is with a later one. */
export function openForgetting(
  { clock }: Pick<StreamHost, 'clock'>,
  stream: Pick<Stream, 'get' | 'call'>,
  subjects: string,
  isRemoval: (stored: Stored) => boolean,
): (removal: number) => Promise<void> {
  let walkedTo = 0

  /** The newest message of a stream stays, whatever it says: whoever begins to watch waits for it. */
  async function walkOn(removal: number): Promise<void> {
    for (let looks = 0; looks < looksPerRemoval; looks++) {
      const found = await stream.get({ seq: walkedTo + 1, next_by_subj: subjects })
      walkedTo = found && found.number < removal ? found.number : 0
      if (!found || walkedTo === 0) return
      if (!isRemoval(found) || clock.now() - found.at < limits.removalKeptMs) continue
      await stream.call('PURGE', { filter: found.subject, seq: found.number + 1 })
    }
  }

  return (removal) => walkOn(removal).catch(() => {})
}
