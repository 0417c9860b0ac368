/** The effect handlers of a simulated process, and the checks of every effect as it begins. */
import { isRefusal } from '../../../core/errors.js'
import { shard as limits } from '../../../core/limits/index.js'
import type { EffectHandler, Shards } from '../../../runtime/shard/contract.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import type { Life } from '../world/life.js'
import { type Delivery, deliverKind, marks, report } from './commands.js'
import type { Receiver } from './receiver.js'

export interface EffectOptions {
  readonly life: Life
  readonly shards: number
  readonly receiver: Receiver
  readonly violated: (sentence: string) => void
  /** Called for each effect as it begins. */
  readonly begins: (life: Life, shard: number, id: string) => void
}

export function simPerformers(options: EffectOptions): (shards: Shards) => Readonly<Record<string, EffectHandler>> {
  const { life, receiver, violated } = options
  const running = new Map<string, number>()

  /** Counts concurrent effects; the returned function ends one. */
  function count(what: string, most: number): () => void {
    const now = (running.get(what) ?? 0) + 1
    running.set(what, now)
    if (now > most) violated(`${life.name} performs ${now} effects of ${what} at a time, which is more than ${most}`)
    return () => void running.set(what, running.get(what)! - 1)
  }

  async function deliver(shards: Shards, what: Delivery, about: Parameters<EffectHandler>[1]): Promise<void> {
    const { owner, value, place, destination } = what
    const { id, reader, signal } = about
    const shard = shardOf(owner, options.shards)
    if (!life.alive()) return
    options.begins(life, shard, id)
    if (about.owner !== owner) violated(`the effect of ${owner} was performed as one of ${about.owner}`)
    if (signal.aborted) violated(`${life.name} began the effect ${id} after its signal was aborted`)
    if (!reader.get(marks, [owner, value]))
      violated(`${life.name} performs ${id}, but does not see the commit it is from`)
    const ends = [
      count(`shard ${shard}`, limits.effectsInFlight),
      count(`shard ${shard} to ${destination}`, limits.effectsPerDestination),
    ]
    try {
      await receiver.deliver(life, id, `${value}/${place}`, signal)
    } finally {
      for (const end of ends) end()
    }
    const answer = await shards.execute(owner, report, what, { id: `${id}:report` })
    if (isRefusal(answer)) throw new Error(`the report of ${id} was refused: ${answer.refused}`)
  }

  return (shards) => ({ [deliverKind]: (what: never, about) => deliver(shards, what, about) })
}
