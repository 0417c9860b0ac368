/** Common options of the bench's engines, and the loop that sends them commands. */
import { randomBytes } from 'node:crypto'
import { isRefusal } from '../../../core/errors.js'
import { idFromBytes } from '../../../core/ids.js'
import { systemClock } from '../../../runtime/clock.js'
import { createLog } from '../../../runtime/observe/log.js'
import { createBytePool } from '../../../runtime/random.js'
import type { Command, Shards } from '../../../runtime/shard/contract.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import type { Operation } from '../../harness/loop.js'
import { shards } from '../store/settings.js'
import { owners, receive } from './command.js'

const idBytes = createBytePool(randomBytes)

export const engineOptions = {
  shards,
  clock: systemClock,
  newCommandId: () => idFromBytes('cmd', idBytes(17)),
  log: createLog({ destination: process.stderr, level: 'error' }).log,
} as const

/** A refusal fails the run: a refused command measures nothing. */
export async function executeFor<R>(engine: Shards, owner: string, command: Command<{ owner: string }, R>): Promise<R> {
  const answer = await engine.execute(owner, command, { owner })
  if (isRefusal(answer)) throw new Error(`the engine refused: ${answer.refused}`)
  return answer
}

const ownersOfShard = Array.from({ length: shards }, (_, shard) =>
  owners.filter((owner) => shardOf(owner, shards) === shard),
)

/** A worker stays with one shard, so that each shard has the same number of workers, and walks through its owners. */
export function roundRobin(engine: Shards): Operation {
  const nextIndex = new Array<number>(shards).fill(0)
  return (worker) => {
    const shard = worker % shards
    const shardOwners = ownersOfShard[shard]!
    return executeFor(engine, shardOwners[nextIndex[shard]!++ % shardOwners.length]!, receive)
  }
}
