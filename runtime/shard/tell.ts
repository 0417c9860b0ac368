/**
 * The effect that asks a command of another owner: its id becomes the command's, so it is decided there once, unless twice
 * is the same.
 */
import { isRefusal } from '../../core/errors.js'
import { shard as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
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

interface Waiting {
  readonly telling: Telling
  readonly id: string
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

export interface TellOptions {
  readonly shards: Shards
  readonly registry: Registry
  readonly clock: Pick<Clock, 'soon'>
  readonly log: Log
}

/**
 * A refusal by the command is its answer, and nobody waits for it. One that throws would only throw again: it is logged and
 * let go, so that it holds up nobody behind it. That nobody could be asked, or nothing be stored, is tried again.
 */
export function tellPerformer({ shards, registry, clock, log }: TellOptions): Performer {
  const isIdle = idleHere(shards)
  /** What is told this turn and can be told together, by its owner and command. */
  const gathered = new Map<string, Waiting[]>()

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

  async function tell(telling: Telling, id: string): Promise<void> {
    const answer = await ask(telling, id)
    if (isRefusal(answer) && answer.refused === 'service.unavailable') {
      throw new Error(`${telling.command} could not be told to its owner just now`)
    }
  }

  function gather(telling: Telling, id: string): Promise<void> {
    const name = `${telling.command} ${telling.owner}`
    return new Promise((done, failed) => {
      const others = gathered.get(name)
      if (others) return others.push({ telling, id, done, failed })
      const all = [{ telling, id, done, failed }]
      gathered.set(name, all)
      clock.soon(() => {
        gathered.delete(name)
        for (let from = 0; from < all.length; from += limits.toldTogether) {
          void tellTogether(all.slice(from, from + limits.toldTogether))
        }
      })
    })
  }

  /** Where they are not taken together, each is told by itself, and fails for itself. */
  async function tellTogether(some: readonly Waiting[]): Promise<void> {
    if (some.length > 1 && (await areTaken(some))) for (const { done } of some) done()
    else for (const { telling, id, done, failed } of some) tell(telling, id).then(done, failed)
  }

  async function areTaken(some: readonly Waiting[]): Promise<boolean> {
    const { owner, command } = some[0]!.telling
    const inputs = some.map(({ telling }) => telling.input)
    try {
      return !isRefusal(await shards.ask(owner, registry.command(command).together!, inputs))
    } catch {
      return false
    }
  }

  return (telling: Telling, { id }) => {
    const isGathered = registry.knowsCommand(telling.command) && registry.command(telling.command).together
    return isGathered ? gather(telling, id) : tell(telling, id)
  }
}
