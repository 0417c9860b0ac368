/** The effect handlers of a simulated process, and the checks of every effect as it begins. */
import { isRefusal } from '../../../core/errors.js'
import type { EffectHandler, Shards } from '../../../runtime/shard/contract.js'
import type { ShardLimits } from '../../../runtime/shard/limits.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import type { Incarnation } from '../world/life.js'
import { type Delivery, deliverKind, marks, report } from './commands.js'
import type { Receiver } from './receiver.js'

export interface EffectOptions {
  readonly incarnation: Incarnation
  readonly shards: number
  readonly limits: ShardLimits
  readonly receiver: Receiver
  readonly addViolation: (sentence: string) => void
  /** Called for each effect as it begins. */
  readonly begins: (incarnation: Incarnation, shard: number, id: string) => void
}

export function simEffectHandlers(options: EffectOptions): (shards: Shards) => Readonly<Record<string, EffectHandler>> {
  const { incarnation, limits, receiver, addViolation } = options
  const running = new Map<string, number>()

  /** Counts concurrent effects; the returned function ends one. */
  function count(what: string, max: number): () => void {
    const now = (running.get(what) ?? 0) + 1
    running.set(what, now)
    if (now > max)
      addViolation(`${incarnation.name} performs ${now} effects of ${what} at a time, which is more than ${max}`)
    return () => void running.set(what, running.get(what)! - 1)
  }

  async function deliver(shards: Shards, what: Delivery, context: Parameters<EffectHandler>[1]): Promise<void> {
    const { owner, value, index, destination } = what
    const { id, reader, signal } = context
    const shard = shardOf(owner, options.shards)
    if (!incarnation.alive()) return
    options.begins(incarnation, shard, id)
    if (context.owner !== owner) addViolation(`the effect of ${owner} was performed as one of ${context.owner}`)
    if (signal.aborted) addViolation(`${incarnation.name} began the effect ${id} after its signal was aborted`)
    if (!reader.get(marks, [owner, value]))
      addViolation(`${incarnation.name} performs ${id}, but does not see the commit it is from`)
    const ends = [
      count(`shard ${shard}`, limits.effectsInFlight),
      count(`shard ${shard} to ${destination}`, limits.effectsPerDestination),
    ]
    try {
      await receiver.deliver(incarnation, id, `${value}/${index}`, signal)
    } finally {
      for (const end of ends) end()
    }
    const answer = await shards.execute(owner, report, what, { id: `${id}:report` })
    if (isRefusal(answer)) throw new Error(`the report of ${id} was refused: ${answer.refused}`)
  }

  return (shards) => ({ [deliverKind]: (what: never, context) => deliver(shards, what, context) })
}
