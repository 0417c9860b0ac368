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
import type { OwedEffect } from './tables.js'

interface Telling {
  readonly owner: string
  readonly command: string
  readonly input: unknown
}

export const tellKind = 'shard.tell'

export function tellEffect(owner: string, command: string, input: unknown): Effect {
  return { kind: tellKind, payload: { owner, command, input } satisfies Telling, destination: owner }
}

/** Something that is owed to be told, and the command that takes several of its kind at once. */
export interface Tellable {
  readonly lane: string
  readonly effect: OwedEffect
  readonly together: string
}

/** Those of one owner and command stand together, in their order, as many as may. */
export function groupsOf(all: readonly Tellable[]): Tellable[][] {
  const open = new Map<string, Tellable[]>()
  const groups: Tellable[][] = []
  for (const each of all) {
    const name = `${each.lane} ${each.together}`
    const group = open.get(name)
    if (group && group.length < limits.toldTogether) group.push(each)
    else {
      const begun = [each]
      open.set(name, begun)
      groups.push(begun)
    }
  }
  return groups
}

/** A group as one effect, under the id of its first. */
export function toldAsOne(group: readonly Tellable[]): OwedEffect {
  const { effect, together } = group[0]!
  if (group.length === 1) return effect
  const { owner } = effect.payload as Telling
  const input = group.map((each) => (each.effect.payload as Telling).input)
  return { ...effect, payload: { owner, command: together, input } satisfies Telling }
}

/** Whether a command would change nothing as things are, as far as that can be seen in this process. */
export type IsIdle = <I>(owner: string, command: Command<I, unknown>, input: I) => boolean

export function idleHere(shards: Pick<Shards, 'readHere'>): IsIdle {
  return (owner, { idleWhen }, input) => idleWhen !== undefined && shards.readHere?.(owner, idleWhen, input) === true
}

/** Inputs of a command that can be told together with others. */
interface Waiting extends Pick<Telling, 'owner' | 'command'> {
  readonly inputs: readonly unknown[]
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
  /**
   * What can be told together and is not told yet, by its owner and command: it is told with the next command, and that
   * is asked once the one before has been answered.
   */
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

  function gather({ owner, command }: Telling, inputs: readonly unknown[], id: string): Promise<void> {
    const name = `${command} ${owner}`
    return new Promise((done, failed) => {
      const one = { owner, command, inputs, id, done, failed }
      const others = gathered.get(name)
      if (others) return others.push(one)
      gathered.set(name, [one])
      clock.soon(() => void tellGathered(name))
    })
  }

  async function tellGathered(name: string): Promise<void> {
    for (let all = gathered.get(name)!; all.length > 0; all = gathered.get(name)!) {
      gathered.set(name, [])
      await Promise.all(parts(all).map(tellTogether))
    }
    gathered.delete(name)
  }

  /** Where they are not taken together, each is told by itself, and fails for itself. */
  async function tellTogether(some: readonly Waiting[]): Promise<void> {
    const inputs = some.flatMap((each) => each.inputs)
    if (inputs.length > 1 && (await areTaken(some[0]!, inputs))) for (const { done } of some) done()
    else await Promise.all(some.map((each) => tellEach(each).then(each.done, each.failed)))
  }

  async function tellEach({ owner, command, inputs, id }: Waiting): Promise<void> {
    await Promise.all(inputs.map((input) => tell({ owner, command, input }, id)))
  }

  async function areTaken({ owner, command }: Waiting, inputs: readonly unknown[]): Promise<boolean> {
    try {
      return !isRefusal(await shards.ask(owner, registry.command(command).together!, inputs))
    } catch {
      return false
    }
  }

  return (telling: Telling, { id }) => {
    if (!registry.knowsCommand(telling.command)) return tell(telling, id)
    const each = registry.eachOf(telling.command)
    if (each) return gather({ ...telling, command: each.name }, telling.input as readonly unknown[], id)
    return registry.command(telling.command).together ? gather(telling, [telling.input], id) : tell(telling, id)
  }
}

/** Of one owner and command, so that no part is larger than may be told together. */
function parts(all: readonly Waiting[]): Waiting[][] {
  const found: Waiting[][] = []
  let room = 0
  for (const each of all) {
    room -= each.inputs.length
    if (room < 0) {
      found.push([])
      room = limits.toldTogether - each.inputs.length
    }
    found.at(-1)!.push(each)
  }
  return found
}
