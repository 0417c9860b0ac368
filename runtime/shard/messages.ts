/**
 * The outbox effect that executes a command of another owner. The id of the effect becomes the id of the command, so
 * that owner decides it once; an idempotent command may be decided more often.
 */
import { isRefusal } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'
import { StoreFailed } from '../store/contract.js'
import type { Command, Effect, EffectHandler, Shards } from './contract.js'
import type { ShardLimits } from './limits.js'
import type { Registry } from './registry.js'
import type { OutboxRow } from './tables.js'

interface CommandMessage {
  readonly owner: string
  readonly command: string
  readonly input: unknown
}

export const sendKind = 'shard.send'

export function sendEffect(owner: string, command: string, input: unknown): Effect {
  return { kind: sendKind, payload: { owner, command, input } satisfies CommandMessage, destination: owner }
}

/** An outbound command that may be grouped, and the batch form of that command. */
export interface OutboundCommand {
  readonly lane: string
  readonly effect: OutboxRow
  readonly batchCommand: string
}

/** Groups the commands of one owner and batch form, in their order, up to `messagesPerBatch` each. */
export function groupByBatch(all: readonly OutboundCommand[], messagesPerBatch: number): OutboundCommand[][] {
  const open = new Map<string, OutboundCommand[]>()
  const groups: OutboundCommand[][] = []
  for (const each of all) {
    const name = `${each.lane} ${each.batchCommand}`
    const group = open.get(name)
    if (group && group.length < messagesPerBatch) group.push(each)
    else {
      const created = [each]
      open.set(name, created)
      groups.push(created)
    }
  }
  return groups
}

/** A group as one effect, under the id of its first command. */
export function mergeGroup(group: readonly OutboundCommand[]): OutboxRow {
  const { effect, batchCommand } = group[0]!
  if (group.length === 1) return effect
  const { owner } = effect.payload as CommandMessage
  const input = group.map((each) => (each.effect.payload as CommandMessage).input)
  return { ...effect, payload: { owner, command: batchCommand, input } satisfies CommandMessage }
}

/** Whether a command would change nothing, according to state that this process can read. */
export type IsSkippable = <I>(owner: string, command: Command<I, unknown>, input: I) => boolean

export function createIsSkippable(shards: Pick<Shards, 'queryLocal'>): IsSkippable {
  return (owner, { skipIf }, input) => skipIf !== undefined && shards.queryLocal?.(owner, skipIf, input) === true
}

/** Inputs of a command that wait to be sent together. */
interface WaitingCommand extends Pick<CommandMessage, 'owner' | 'command'> {
  readonly inputs: readonly unknown[]
  readonly id: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export interface SendHandlerOptions {
  readonly shards: Shards
  readonly registry: Registry
  readonly clock: Pick<Clock, 'nextTick'>
  readonly log: Log
  readonly limits: Pick<ShardLimits, 'messagesPerBatch'>
}

/**
 * Handles `sendKind`. A refusal by the command completes the effect. A command that throws would throw again: it is
 * logged and the effect completes, so that it does not block the lane. When the shard is unavailable or the store
 * fails, the effect fails and the outbox retries it.
 */
export function createSendHandler({ shards, registry, clock, log, limits }: SendHandlerOptions): EffectHandler {
  const { messagesPerBatch } = limits
  const isSkippable = createIsSkippable(shards)
  /**
   * Inputs not sent yet, by command and owner. They are sent with the next batch, after the answer to the previous one.
   */
  const waiting = new Map<string, WaitingCommand[]>()

  async function execute({ owner, command, input }: CommandMessage, id: string): Promise<unknown> {
    try {
      const definition = registry.command(command)
      if (isSkippable(owner, definition, input)) return undefined
      return await shards.execute(owner, definition, input, definition.idempotent ? {} : { id })
    } catch (error) {
      if (error instanceof StoreFailed) throw error
      log.error('shard.send.failed', { command, error })
      return undefined
    }
  }

  async function send(message: CommandMessage, id: string): Promise<void> {
    const answer = await execute(message, id)
    if (isRefusal(answer) && answer.refused === 'service.unavailable') {
      throw new Error(`${message.command} could not be sent to the owner of its shard`)
    }
  }

  function addToBatch({ owner, command }: CommandMessage, inputs: readonly unknown[], id: string): Promise<void> {
    const name = `${command} ${owner}`
    return new Promise((resolve, reject) => {
      const entry = { owner, command, inputs, id, resolve, reject }
      const existing = waiting.get(name)
      if (existing) return existing.push(entry)
      waiting.set(name, [entry])
      clock.nextTick(() => void sendWaiting(name))
    })
  }

  async function sendWaiting(name: string): Promise<void> {
    for (let all = waiting.get(name)!; all.length > 0; all = waiting.get(name)!) {
      waiting.set(name, [])
      await Promise.all(splitBatches(all, messagesPerBatch).map(sendBatch))
    }
    waiting.delete(name)
  }

  /** When the batch form is not accepted, each input is sent by itself and fails by itself. */
  async function sendBatch(some: readonly WaitingCommand[]): Promise<void> {
    const inputs = some.flatMap((each) => each.inputs)
    if (inputs.length > 1 && (await trySendBatch(some[0]!, inputs))) for (const { resolve } of some) resolve()
    else await Promise.all(some.map((each) => sendEach(each).then(each.resolve, each.reject)))
  }

  async function sendEach({ owner, command, inputs, id }: WaitingCommand): Promise<void> {
    await Promise.all(inputs.map((input) => send({ owner, command, input }, id)))
  }

  async function trySendBatch({ owner, command }: WaitingCommand, inputs: readonly unknown[]): Promise<boolean> {
    try {
      return !isRefusal(await shards.execute(owner, registry.command(command).batch!, inputs))
    } catch {
      return false
    }
  }

  return (message: CommandMessage, { id }) => {
    if (!registry.hasCommand(message.command)) return send(message, id)
    const each = registry.singleCommandOf(message.command)
    if (each) return addToBatch({ ...message, command: each.name }, message.input as readonly unknown[], id)
    return registry.command(message.command).batch ? addToBatch(message, [message.input], id) : send(message, id)
  }
}

/** Splits the inputs of one owner and command into batches of at most `messagesPerBatch`. */
function splitBatches(all: readonly WaitingCommand[], messagesPerBatch: number): WaitingCommand[][] {
  const batches: WaitingCommand[][] = []
  let remaining = 0
  for (const each of all) {
    remaining -= each.inputs.length
    if (remaining < 0) {
      batches.push([])
      remaining = messagesPerBatch - each.inputs.length
    }
    batches.at(-1)!.push(each)
  }
  return batches
}
