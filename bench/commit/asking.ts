/** What every engine of the bench is opened with, and the loop that asks it. */
import { randomBytes } from 'node:crypto'
import { isRefusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { systemClock } from '../../runtime/clock.js'
import { openLog } from '../../runtime/observe/log.js'
import { pooled } from '../../runtime/random.js'
import type { Command, Shards } from '../../runtime/shard/contract.js'
import { shardOf } from '../../runtime/shard/place.js'
import type { Operation } from '../loop.js'
import { owners, receive } from './command.js'

/** As many as a node has unless it is configured otherwise. */
export const shards = 16

const idBytes = pooled(randomBytes)

export const surroundings = {
  shards,
  clock: systemClock,
  newCommandId: () => idFromBytes('cmd', idBytes(17)),
  log: openLog({ to: process.stderr, level: 'error' }).log,
} as const

/** An answer that is a refusal is a failure of the run: a bench that was refused has measured nothing. */
export async function askFor<R>(engine: Shards, owner: string, command: Command<{ owner: string }, R>): Promise<R> {
  const answer = await engine.ask(owner, command, { owner })
  if (isRefusal(answer)) throw new Error(`the engine refused: ${answer.refused}`)
  return answer
}

const ownersOfShard = Array.from({ length: shards }, (_, shard) =>
  owners.filter((owner) => shardOf(owner, shards) === shard),
)

/** An asker keeps to one shard, so that each has as many as the others; there it goes from owner to owner. */
export function askingInTurn(engine: Shards): Operation {
  const asked = new Array<number>(shards).fill(0)
  return (asker) => {
    const shard = asker % shards
    const own = ownersOfShard[shard]!
    return askFor(engine, own[asked[shard]!++ % own.length]!, receive)
  }
}
