/** Counts the waiting commands of a process that owns all shards: never more than their mailboxes may hold. */
import { shardOf } from '../../../runtime/shard/placement.js'
import type { Timeline } from '../world/timeline.js'
import type { ClientTarget } from './target.js'

export interface Pressure {
  /** A command is sent, with or without an id; the caller calls the returned function when it is answered. */
  trackCommand(target: ClientTarget, owner: string, id?: string): () => void
}

export interface PressureOptions {
  readonly timeline: Timeline
  readonly shards: number
  /** The most commands that may wait in a shard, those of the pending commit included. */
  readonly max: number
  readonly addViolation: (sentence: string) => void
}

export function openPressure({ timeline, shards, max, addViolation }: PressureOptions): Pressure {
  /** By shard. Commands under the same id take one place. */
  const waiting = new Map<string, { id: string | undefined }[]>()
  const countSlots = (commands: readonly { id: string | undefined }[]) =>
    new Set(commands.map((each) => (each.id === undefined ? each : each.id))).size
  return {
    trackCommand({ incarnation }, owner, id) {
      const shardName = `shard ${shardOf(owner, shards)} of ${incarnation.name}`
      const mine = { id: id && `${owner} ${id}` }
      waiting.set(shardName, [...(waiting.get(shardName) ?? []), mine])
      // A refused command is answered before anything else happens.
      timeline.after(0, () => {
        const now = countSlots(waiting.get(shardName)!)
        if (incarnation.alive() && now > max)
          addViolation(`${now} commands wait in ${shardName}, which is more than ${max}`)
      })
      return () =>
        void waiting.set(
          shardName,
          waiting.get(shardName)!.filter((each) => each !== mine),
        )
    },
  }
}
