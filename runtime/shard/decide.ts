/** Decides one command over the batch it shares: its writes, effects and timers join the batch together or not at all. */
import { createHash } from 'node:crypto'
import type { Actor } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import type { Command, Effect, Timer, Told, Tx } from './contract.js'
import { type Layer, layerOver } from './layer.js'
import { answeredAtTable, answeredTable, outboxTable, timerNameTable, timerTable } from './tables.js'

export interface Asked {
  readonly owner: string
  readonly command: Command<unknown, unknown>
  readonly input: unknown
  readonly commandId: string
  /** The caller gave the id, so the answer is remembered under it. */
  readonly remember: boolean
  readonly by?: Actor
}

/** An effect that is durable and not yet known to be performed. */
export interface Owed {
  readonly key: [owner: string, commandId: string, index: number]
  readonly kind: string
  readonly payload: unknown
}

export interface Decided {
  readonly answer: unknown | Refusal
  readonly owed: readonly Owed[]
}

const nothing: readonly never[] = []

export function decide(batch: Layer, asked: Asked, at: number): Decided {
  const { owner, commandId } = asked
  if (asked.remember) {
    const before = batch.get(answeredTable, [owner, commandId])
    if (before) return { answer: before.answer, owed: nothing }
  }
  const layer = layerOver(batch)
  const effects: Effect[] = []
  const answer = asked.command.decide(transaction(layer, owner, effects), asked.input, told(asked, at))
  if (isRefusal(answer)) return { answer, owed: nothing }
  if (asked.remember) {
    layer.put(answeredTable, [owner, commandId], { at, answer })
    layer.put(answeredAtTable, [at, owner, commandId], true)
  }
  const owed = effects.map((effect, index): Owed => ({ key: [owner, commandId, index], ...effect }))
  for (const { key, kind, payload } of owed) layer.put(outboxTable, key, { kind, payload })
  for (const { table, key, value } of layer.writes()) {
    if (value === undefined) batch.remove(table, key)
    else batch.put(table, key, value)
  }
  return { answer, owed }
}

function transaction(layer: Layer, owner: string, effects: Effect[]): Tx {
  function unschedule(name: string): void {
    const dueAt = layer.get(timerNameTable, [owner, name])
    if (dueAt === undefined) return
    layer.remove(timerTable, [dueAt, owner, name])
    layer.remove(timerNameTable, [owner, name])
  }
  return {
    get: layer.get,
    range: layer.range,
    put: layer.put,
    remove: layer.remove,
    effect: (effect) => void effects.push(effect),
    schedule(timer: Timer) {
      unschedule(timer.name)
      layer.put(timerTable, [timer.dueAt, owner, timer.name], { command: timer.command, input: timer.input })
      layer.put(timerNameTable, [owner, timer.name], timer.dueAt)
    },
    unschedule,
  }
}

function told(asked: Asked, at: number): Told {
  let minted = 0
  return {
    commandId: asked.commandId,
    at,
    by: asked.by,
    mint: (prefix) =>
      idFromBytes(prefix, createHash('sha256').update(`${asked.commandId}/${prefix}/${minted++}`).digest()),
  }
}
