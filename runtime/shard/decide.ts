/** Decides one command over the commit it shares: its writes, effects, timers and id join it together or not at all. */
import { hash } from 'node:crypto'
import type { Actor } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import type { Steps } from '../../core/steps.js'
import type { Log } from '../observe/log.js'
import type { Key, RangeOptions, Row, Table } from '../store/contract.js'
import type { Command, Effect, Settling, Timer, Told, Tx } from './contract.js'
import type { Layer } from './layer.js'
import {
  answeredTable,
  answeredUntilTable,
  type OwedEffect,
  outboxTable,
  type StoredTimer,
  timerNameTable,
  timerTable,
} from './tables.js'
import { groupsOf, type IsIdle, type Tellable, tellEffect, toldAsOne } from './tell.js'

export interface Asked {
  readonly owner: string
  readonly command: Command<unknown, unknown>
  readonly input: unknown
  readonly commandId: string
  /** How long the answer is remembered under the id; absent when nobody can ask for it again. */
  readonly rememberMs?: number
  readonly by?: Actor
  readonly settles?: Settling
}

/** An effect that is durable and not yet known to be performed. */
export interface Owed {
  readonly key: [lane: string, commit: number, place: number]
  readonly effect: OwedEffect
}

export interface Moment {
  readonly at: number
  /** The same, but never set forward or back while the shard is served here. */
  readonly steadyAt: number
  /** The number of the commit, and how many effects it owes so far. */
  readonly commit: number
  readonly owed: Owed[]
  /** What its commands tell and can be told together: it is on record once `oweTogether` was called. */
  readonly tellings: Tellable[]
}

/** An effect that a command wants; one that tells may have a command that takes several of its kind. */
interface Wanted {
  readonly effect: Effect
  readonly together?: string
}

/** An exception is thrown on, with nothing of the command left behind. Without `isIdle` everything is told. */
export function decide(layer: Layer, asked: Asked, moment: Moment, isIdle?: IsIdle): unknown | Refusal {
  const before = answerBefore(layer, asked)
  if (before) return before.answer
  const wanted: Wanted[] = []
  try {
    const tx = new Transaction(layer, asked.owner, moment.at, wanted, isIdle)
    const answer = asked.command.decide(tx, asked.input, told(asked, moment.at))
    if (isRefusal(answer)) {
      layer.undo()
      return answer
    }
    const { owed, tellings } = putBeside(layer, asked, moment, wanted, answer)
    layer.keep()
    moment.owed.push(...owed)
    moment.tellings.push(...tellings)
    return answer
  } catch (error) {
    layer.undo()
    throw error
  }
}

/** The same in steps, for a command that has them. Nothing else may be decided over the layer before the last one. */
export function* decideInSteps(layer: Layer, asked: Asked, moment: Moment, isIdle?: IsIdle): Steps<unknown | Refusal> {
  const before = answerBefore(layer, asked)
  if (before) return before.answer
  const wanted: Wanted[] = []
  try {
    const tx = new Transaction(layer, asked.owner, moment.at, wanted, isIdle)
    const answer = yield* asked.command.inSteps!.decide(tx, asked.input, told(asked, moment.at))
    if (isRefusal(answer)) {
      layer.undo()
      return answer
    }
    const { owed, tellings } = putBeside(layer, asked, moment, wanted, answer)
    yield* layer.keepInSteps()
    moment.owed.push(...owed)
    moment.tellings.push(...tellings)
    return answer
  } catch (error) {
    layer.undo()
    throw error
  }
}

function answerBefore(layer: Layer, { owner, commandId, rememberMs }: Asked): { readonly answer: unknown } | undefined {
  return rememberMs === undefined ? undefined : layer.get(answeredTable, [owner, commandId])
}

/** What goes on record beside the writes of a command: its answer, where it is remembered, and what it wants done. */
function putBeside(
  layer: Layer,
  { owner, commandId, rememberMs }: Asked,
  moment: Moment,
  wanted: readonly Wanted[],
  answer: unknown,
): Pick<Moment, 'owed' | 'tellings'> {
  if (rememberMs !== undefined) {
    layer.put(answeredTable, [owner, commandId], { answer })
    layer.put(answeredUntilTable, [moment.steadyAt + rememberMs, owner, commandId], true)
  }
  const owed: Owed[] = []
  const tellings: Tellable[] = []
  for (let index = 0; index < wanted.length; index++) {
    const { effect, together } = wanted[index]!
    const { kind, payload, destination = owner } = effect
    const one: OwedEffect = { kind, payload, owner, id: `${owner}:${commandId}:${index}`, at: moment.at }
    const lane = `${kind} ${destination}`
    if (together !== undefined) tellings.push({ lane, effect: one, together })
    else owed.push({ key: [lane, moment.commit, moment.owed.length + owed.length], effect: one })
  }
  for (const { key, effect } of owed) layer.put(outboxTable, key, effect)
  return { owed, tellings }
}

/**
 * Puts what a commit tells on record, once nothing more is decided in it. What cannot be stored takes nothing along: it is
 * said to the log, and everything else is told.
 */
export function oweTogether(
  layer: Layer,
  { commit, owed, tellings }: Pick<Moment, 'commit' | 'owed' | 'tellings'>,
  log: Log,
): void {
  function isOwed(group: readonly Tellable[]): boolean {
    const one: Owed = { key: [group[0]!.lane, commit, owed.length], effect: toldAsOne(group) }
    try {
      layer.put(outboxTable, one.key, one.effect)
      layer.keep()
    } catch (error) {
      layer.undo()
      if (group.length === 1) log.error('shard.tell.failed', { command: group[0]!.together, error })
      return false
    }
    owed.push(one)
    return true
  }
  for (const group of groupsOf(tellings)) {
    if (!isOwed(group) && group.length > 1) for (const each of group) isOwed([each])
  }
}

/** A class for speed alone: one is made for every command, and most use little of it. */
class Transaction implements Tx {
  constructor(
    private readonly layer: Layer,
    private readonly owner: string,
    private readonly at: number,
    private readonly wanted: Wanted[],
    private readonly isIdle?: IsIdle,
  ) {}

  get<K extends Key, V>(table: Table<K, V>, key: K): V | undefined {
    return this.layer.get(table, key)
  }

  range<K extends Key, V>(table: Table<K, V>, options?: RangeOptions): Iterable<Row<K, V>> {
    return this.layer.range(table, options)
  }

  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void {
    this.layer.put(table, key, value)
  }

  remove<K extends Key, V>(table: Table<K, V>, key: K): void {
    this.layer.remove(table, key)
  }

  effect(effect: Effect): void {
    this.wanted.push({ effect })
  }

  tell<I>(to: string, command: Command<I, unknown>, input: I): void {
    if (this.isIdle?.(to, command, input)) return
    this.wanted.push({ effect: tellEffect(to, command.name, input), together: command.together?.name })
  }

  schedule({ name, dueAt, command, input, isFirm, isDelay, whenSetBack }: Timer): void {
    if (!isFirm) this.unschedule(name)
    const stored: StoredTimer = isDelay
      ? { command, input, setAt: this.at }
      : whenSetBack === undefined
        ? { command, input }
        : { command, input, whenSetBack }
    this.put(timerTable, [dueAt, this.owner, name], stored)
    if (!isFirm) this.put(timerNameTable, [this.owner, name], dueAt)
  }

  unschedule(name: string): void {
    const dueAt = this.get(timerNameTable, [this.owner, name])
    if (dueAt === undefined) return
    this.remove(timerTable, [dueAt, this.owner, name])
    this.remove(timerNameTable, [this.owner, name])
  }
}

/** An id needs 130 bits: as many are cut from one digest as it has. */
const idBytes = 17
const idsPerDigest = 3
const ofId = new Uint8Array(idBytes)

function told({ commandId, by }: Asked, at: number): Told {
  let minted = 0
  /** A unit for each byte: no bytes have to be made for it. */
  let digest = ''
  return {
    commandId,
    at,
    by,
    mint(prefix) {
      const place = minted++ % idsPerDigest
      if (place === 0) digest = hash('sha512', `${commandId}/${minted}`, 'binary')
      for (let at = 0; at < idBytes; at++) ofId[at] = digest.charCodeAt(place * idBytes + at)
      return idFromBytes(prefix, ofId)
    },
  }
}
