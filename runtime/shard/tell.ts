/**
 * The effect that asks a command of another owner: its id becomes the command's, so it is decided there once, unless twice
 * is the same.
 */
import { isRefusal } from '../../core/errors.js'
import type { Log } from '../observe/log.js'
import { StoreFailed } from '../store/contract.js'
import type { Command, Effect, Performer, Shards } from './contract.js'
import type { Registry } from './registry.js'

interface Telling {
  readonly owner: string
  readonly command: string
  readonly input: unknown
}

export const tellKind = 'shard.tell'

export function tellEffect(owner: string, command: string, input: unknown): Effect {
  return { kind: tellKind, payload: { owner, command, input } satisfies Telling, destination: owner }
}

/** Whether a command would change nothing as things are, as far as that can be seen in this process. */
export type IsIdle = <I>(owner: string, command: Command<I, unknown>, input: I) => boolean

export function idleHere(shards: Pick<Shards, 'readHere'>): IsIdle {
  return (owner, { idleWhen }, input) => idleWhen !== undefined && shards.readHere?.(owner, idleWhen, input) === true
}

/**
 * A refusal by the command is its answer, and nobody waits for it. One that throws would only throw again: it is logged and
 * let go, so that it holds up nobody behind it. That nobody could be asked, or nothing be stored, is tried again.
 */
export function tellPerformer(shards: Shards, registry: Registry, log: Log): Performer {
  const isIdle = idleHere(shards)
  async function ask({ owner, command, input }: Telling, id: string): Promise<unknown> {
    try {
      const told = registry.command(command)
      if (isIdle(owner, told, input)) return undefined
      return await shards.ask(owner, told, input, told.isRepeatable ? {} : { id })
    } catch (error) {
      if (error instanceof StoreFailed) throw error
      log.error('shard.tell.failed', { command, error })
      return undefined
    }
  }
  return async (telling: Telling, { id }) => {
    const answer = await ask(telling, id)
    if (isRefusal(answer) && answer.refused === 'service.unavailable') {
      throw new Error(`${telling.command} could not be told to its owner just now`)
    }
  }
}
