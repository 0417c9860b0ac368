/** Decides one command within a batch: its writes, effects, timers and id join the commit together or not at all. */
import { hash } from 'node:crypto'
import type { Actor } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import type { Steps } from '../../core/steps.js'
import type { Log } from '../observe/log.js'
import type { Key, RangeOptions, Row, Table } from '../store/contract.js'
import type { Command, CommandMeta, Effect, EffectToken, Timer, Tx } from './contract.js'
import { groupByBatch, type IsSkippable, mergeGroup, type OutboundCommand, sendEffect } from './messages.js'
import type { Overlay } from './overlay.js'
import {
  answerExpiryTable,
  answerTable,
  type OutboxRow,
  outboxTable,
  type StoredTimer,
  timerNameTable,
  timerTable,
} from './tables.js'

export interface CommandRequest {
  readonly owner: string
  readonly command: Command<unknown, unknown>
  readonly input: unknown
  readonly commandId: string
  /** How long the answer is remembered under the id; absent when no caller can retry under it. */
  readonly answerTtlMs?: number
  readonly by?: Actor
  readonly completes?: EffectToken
}

/** An effect that is durable and not yet completed. */
export interface PendingEffect {
  readonly key: [lane: string, commit: number, place: number]
  readonly effect: OutboxRow
}

export interface CommitContext {
  readonly at: number
  /** The same, but never set forward or back while the shard is served here. */
  readonly monotonicAt: number
  /** The number of the commit, and its effects so far. */
  readonly commit: number
  readonly pending: PendingEffect[]
  /** Commands that the batch sends and that can be grouped; `enqueueGrouped` stores them. */
  readonly outboundCommands: OutboundCommand[]
}

/** An effect that a command asks for; for an outbound command also the batch form of that command. */
interface RequestedEffect {
  readonly effect: Effect
  readonly batchCommand?: string
}

/** Rethrows an exception and leaves nothing of the command. Without `isSkippable` every command is sent. */
export function decide(
  overlay: Overlay,
  request: CommandRequest,
  context: CommitContext,
  isSkippable?: IsSkippable,
): unknown | Refusal {
  const previous = previousAnswer(overlay, request)
  if (previous) return previous.answer
  const requestedEffects: RequestedEffect[] = []
  try {
    const tx = new Transaction(overlay, request.owner, context.at, requestedEffects, isSkippable)
    const answer = request.command.decide(tx, request.input, commandMeta(request, context.at))
    if (isRefusal(answer)) {
      overlay.rollback()
      return answer
    }
    const { pending, outboundCommands } = recordDecision(overlay, request, context, requestedEffects, answer)
    overlay.commit()
    context.pending.push(...pending)
    context.outboundCommands.push(...outboundCommands)
    return answer
  } catch (error) {
    overlay.rollback()
    throw error
  }
}

/**
 * The same in steps, for a command that has them. No other command may be decided over the overlay before the last
 * step.
 */
export function* decideInSteps(
  overlay: Overlay,
  request: CommandRequest,
  context: CommitContext,
  isSkippable?: IsSkippable,
): Steps<unknown | Refusal> {
  const previous = previousAnswer(overlay, request)
  if (previous) return previous.answer
  const requestedEffects: RequestedEffect[] = []
  try {
    const tx = new Transaction(overlay, request.owner, context.at, requestedEffects, isSkippable)
    const answer = yield* request.command.inSteps!.decide(tx, request.input, commandMeta(request, context.at))
    if (isRefusal(answer)) {
      overlay.rollback()
      return answer
    }
    const { pending, outboundCommands } = recordDecision(overlay, request, context, requestedEffects, answer)
    yield* overlay.commitInSteps()
    context.pending.push(...pending)
    context.outboundCommands.push(...outboundCommands)
    return answer
  } catch (error) {
    overlay.rollback()
    throw error
  }
}

function previousAnswer(
  overlay: Overlay,
  { owner, commandId, answerTtlMs }: CommandRequest,
): { readonly answer: unknown } | undefined {
  return answerTtlMs === undefined ? undefined : overlay.get(answerTable, [owner, commandId])
}

/** The rows beside the writes of a command: its answer, if it is remembered, and its effects. */
function recordDecision(
  overlay: Overlay,
  { owner, commandId, answerTtlMs }: CommandRequest,
  context: CommitContext,
  requestedEffects: readonly RequestedEffect[],
  answer: unknown,
): Pick<CommitContext, 'pending' | 'outboundCommands'> {
  if (answerTtlMs !== undefined) {
    overlay.put(answerTable, [owner, commandId], { answer })
    overlay.put(answerExpiryTable, [context.monotonicAt + answerTtlMs, owner, commandId], true)
  }
  const pending: PendingEffect[] = []
  const outboundCommands: OutboundCommand[] = []
  for (let index = 0; index < requestedEffects.length; index++) {
    const { effect, batchCommand } = requestedEffects[index]!
    const { kind, payload, destination = owner } = effect
    const row: OutboxRow = { kind, payload, owner, id: `${owner}:${commandId}:${index}`, at: context.at }
    const lane = `${kind} ${destination}`
    if (batchCommand !== undefined) outboundCommands.push({ lane, effect: row, batchCommand })
    else pending.push({ key: [lane, context.commit, context.pending.length + pending.length], effect: row })
  }
  for (const { key, effect } of pending) overlay.put(outboxTable, key, effect)
  return { pending, outboundCommands }
}

/**
 * Stores the grouped commands of a batch, once no more is decided in it. A command that cannot be stored is logged and
 * dropped alone.
 */
export function enqueueGrouped(
  overlay: Overlay,
  { commit, pending, outboundCommands }: Pick<CommitContext, 'commit' | 'pending' | 'outboundCommands'>,
  messagesPerBatch: number,
  log: Log,
): void {
  function tryEnqueue(group: readonly OutboundCommand[]): boolean {
    const pendingEffect: PendingEffect = { key: [group[0]!.lane, commit, pending.length], effect: mergeGroup(group) }
    try {
      overlay.put(outboxTable, pendingEffect.key, pendingEffect.effect)
      overlay.commit()
    } catch (error) {
      overlay.rollback()
      if (group.length === 1) log.error('shard.send.failed', { command: group[0]!.batchCommand, error })
      return false
    }
    pending.push(pendingEffect)
    return true
  }
  for (const group of groupByBatch(outboundCommands, messagesPerBatch)) {
    if (!tryEnqueue(group) && group.length > 1) for (const each of group) tryEnqueue([each])
  }
}

/** A class, because each command makes one and most use few of its methods. */
class Transaction implements Tx {
  constructor(
    private readonly overlay: Overlay,
    private readonly owner: string,
    private readonly at: number,
    private readonly requestedEffects: RequestedEffect[],
    private readonly isSkippable?: IsSkippable,
  ) {}

  get<K extends Key, V>(table: Table<K, V>, key: K): V | undefined {
    return this.overlay.get(table, key)
  }

  range<K extends Key, V>(table: Table<K, V>, options?: RangeOptions): Iterable<Row<K, V>> {
    return this.overlay.range(table, options)
  }

  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void {
    this.overlay.put(table, key, value)
  }

  remove<K extends Key, V>(table: Table<K, V>, key: K): void {
    this.overlay.remove(table, key)
  }

  emit(effect: Effect): void {
    this.requestedEffects.push({ effect })
  }

  send<I>(to: string, command: Command<I, unknown>, input: I): void {
    if (this.isSkippable?.(to, command, input)) return
    this.requestedEffects.push({ effect: sendEffect(to, command.name, input), batchCommand: command.batch?.name })
  }

  schedule({ name, dueAt, command, input, noReplace, isDelay, onClockSetBack }: Timer): void {
    if (!noReplace) this.unschedule(name)
    const stored: StoredTimer = isDelay
      ? { command, input, setAt: this.at }
      : onClockSetBack === undefined
        ? { command, input }
        : { command, input, onClockSetBack }
    this.put(timerTable, [dueAt, this.owner, name], stored)
    if (!noReplace) this.put(timerNameTable, [this.owner, name], dueAt)
  }

  unschedule(name: string): void {
    const dueAt = this.get(timerNameTable, [this.owner, name])
    if (dueAt === undefined) return
    this.remove(timerTable, [dueAt, this.owner, name])
    this.remove(timerNameTable, [this.owner, name])
  }
}

/** An id needs 130 bits; one digest is enough for three ids. */
const idBytes = 17
const idsPerDigest = 3
const idBuffer = new Uint8Array(idBytes)

function commandMeta({ commandId, by }: CommandRequest, at: number): CommandMeta {
  let minted = 0
  /** One UTF-16 unit for each byte, so that no byte array is allocated for the digest. */
  let digest = ''
  return {
    commandId,
    at,
    by,
    mint(prefix) {
      const index = minted++ % idsPerDigest
      if (index === 0) digest = hash('sha512', `${commandId}/${minted}`, 'binary')
      for (let at = 0; at < idBytes; at++) idBuffer[at] = digest.charCodeAt(index * idBytes + at)
      return idFromBytes(prefix, idBuffer)
    },
  }
}
