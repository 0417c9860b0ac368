/** How many commands wait in a process that has all shards to itself: never more than their mailboxes may hold. */
import { shardOf } from '../../../runtime/shard/placement.js'
import type { Timeline } from '../world/timeline.js'
import type { ClientTarget } from './target.js'

export interface Pressure {
  /** A command is asked for, under an id or not; the returned function is called when its asker is told. */
  asked(target: ClientTarget, owner: string, id?: string): () => void
}

export interface PressureOptions {
  readonly timeline: Timeline
  readonly shards: number
  /** The most that may wait in a shard, with those whose commit is on its way. */
  readonly most: number
  readonly violated: (sentence: string) => void
}

export function openPressure({ timeline, shards, most, violated }: PressureOptions): Pressure {
  /** By shard. Those who ask under the same id take one place among them. */
  const waiting = new Map<string, { id: string | undefined }[]>()
  const placesOf = (asked: readonly { id: string | undefined }[]) =>
    new Set(asked.map((each) => (each.id === undefined ? each : each.id))).size
  return {
    asked({ life }, owner, id) {
      const place = `shard ${shardOf(owner, shards)} of ${life.name}`
      const mine = { id: id && `${owner} ${id}` }
      waiting.set(place, [...(waiting.get(place) ?? []), mine])
      // One that is refused knows it before anything else happens.
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
