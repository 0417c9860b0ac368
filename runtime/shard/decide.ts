/** Decides one command over the commit it shares: its writes, effects, timers and id join it together or not at all. */
import { hash } from 'node:crypto'
import type { Actor } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import type { Command, Effect, Settling, Timer, Told, Tx } from './contract.js'
import type { Layer } from './layer.js'
import {
  answeredTable,
  answeredUntilTable,
  type OwedEffect,
  outboxTable,
  timerNameTable,
  timerTable,
} from './tables.js'
import { type IsIdle, tellEffect } from './tell.js'

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
}

/** An exception is thrown on, with nothing of the command left behind. Without `isIdle` everything is told. */
export function decide(layer: Layer, asked: Asked, moment: Moment, isIdle?: IsIdle): unknown | Refusal {
  const { owner, commandId, rememberMs } = asked
  if (rememberMs !== undefined) {
    const before = layer.get(answeredTable, [owner, commandId])
    if (before) return before.answer
  }
  const effects: Effect[] = []
  try {
    const answer = asked.command.decide(transaction(layer, asked, effects, isIdle), asked.input, told(asked, moment.at))
    if (isRefusal(answer)) {
      layer.undo()
      return answer
    }
    if (rememberMs !== undefined) {
      layer.put(answeredTable, [owner, commandId], { answer })
      layer.put(answeredUntilTable, [moment.steadyAt + rememberMs, owner, commandId], true)
    }
    const owed = effects.map((effect, index) => owe(effect, asked, moment, index))
    for (const { key, effect } of owed) layer.put(outboxTable, key, effect)
    layer.keep()
    moment.owed.push(...owed)
    return answer
  } catch (error) {
    layer.undo()
    throw error
  }
}

function owe(effect: Effect, { owner, commandId }: Asked, { at, commit, owed }: Moment, index: number): Owed {
  const { kind, payload, destination = owner } = effect
  return {
    key: [`${kind} ${destination}`, commit, owed.length + index],
    effect: { kind, payload, owner, id: `${owner}:${commandId}:${index}`, at },
  }
}

function transaction(layer: Layer, { owner }: Asked, effects: Effect[], isIdle?: IsIdle): Tx {
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
    tell(to, command, input) {
      if (!isIdle?.(to, command, input)) effects.push(tellEffect(to, command.name, input))
    },
    schedule({ name, dueAt, command, input, isFirm }: Timer) {
      if (!isFirm) unschedule(name)
      layer.put(timerTable, [dueAt, owner, name], { command, input })
      if (!isFirm) layer.put(timerNameTable, [owner, name], dueAt)
    },
    unschedule,
  }
}

/** An id needs 130 bits: as many are cut from one digest as it has. */
const idBytes = 17
const idsPerDigest = 3

function told({ commandId, by }: Asked, at: number): Told {
  let minted = 0
  let digest: Buffer | undefined
  return {
    commandId,
    at,
    by,
    mint(prefix) {
      const place = minted++ % idsPerDigest
      if (!digest || place === 0) digest = hash('sha512', `${commandId}/${minted}`, 'buffer')
      return idFromBytes(prefix, digest.subarray(place * idBytes, (place + 1) * idBytes))
    },
  }
}
