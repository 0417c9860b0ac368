/** Counts the waiting commands of a process that owns all shards: never more than their mailboxes may hold. */
import { shardOf } from '../../../runtime/shard/placement.js'
import type { Timeline } from '../world/timeline.js'
import type { ClientTarget } from './target.js'

export interface Pressure {
  /** A command is sent, with or without an id; the caller calls the returned function when it is answered. */
  asked(target: ClientTarget, owner: string, id?: string): () => void
}

export interface PressureOptions {
  readonly timeline: Timeline
  readonly shards: number
  /** The most commands that may wait in a shard, those of the pending commit included. */
  readonly most: number
  readonly violated: (sentence: string) => void
}

export function openPressure({ timeline, shards, most, violated }: PressureOptions): Pressure {
  /** By shard. Commands under the same id take one place. */
  const waiting = new Map<string, { id: string | undefined }[]>()
  const placesOf = (asked: readonly { id: string | undefined }[]) =>
    new Set(asked.map((each) => (each.id === undefined ? each : each.id))).size
  return {
    asked({ life }, owner, id) {
      const place = `shard ${shardOf(owner, shards)} of ${life.name}`
      const mine = { id: id && `${owner} ${id}` }
      waiting.set(place, [...(waiting.get(place) ?? []), mine])
      // A refused command is answered before anything else happens.
      timeline.after(0, () => {
        const now = placesOf(waiting.get(place)!)
        if (life.alive() && now > most) violated(`${now} commands wait in ${place}, which is more than ${most}`)
      })
      return () =>
        void waiting.set(
          place,
          waiting.get(place)!.filter((each) => each !== mine),
        )
    },
  }
}
