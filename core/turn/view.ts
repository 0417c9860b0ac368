/** API views of turn records: times are ISO-8601, and a row of a list leaves out what may be long. */
import type { CapturedEffect } from '../tools/contract.js'
import { type Surface, surfaceOf } from '../traffic/view.js'
import type { ToolCallRecord, TurnRecord } from './record.js'

type Changed = keyof Surface | 'startedAt' | 'endedAt' | 'definition' | 'effects'
type EffectEntry = Omit<CapturedEffect, 'at'> & { readonly at: string }

export interface TurnEntry extends Omit<TurnRecord, Changed>, Surface {
  agentId: string
  startedAt: string
  endedAt?: string
  definition: { readonly digest: string; readonly updatedAt: string }
  effects: readonly EffectEntry[]
}

/** Without the trace, the arguments and results of tools, and the payloads of effects. */
export interface TurnListEntry extends Omit<TurnEntry, 'trace' | 'toolCalls' | 'effects'> {
  toolCalls: readonly Omit<ToolCallRecord, 'arguments' | 'result'>[]
  effects: readonly Omit<EffectEntry, 'payload'>[]
}

const iso = (at: number) => new Date(at).toISOString()

export function turnEntry(agentId: string, record: TurnRecord): TurnEntry {
  const { channel, test, emulatedChannel = channel, startedAt, endedAt, definition, effects, ...same } = record
  return {
    ...same,
    agentId,
    ...surfaceOf({ channel: emulatedChannel, ...(test && { test }) }),
    startedAt: iso(startedAt),
    ...(endedAt !== undefined && { endedAt: iso(endedAt) }),
    definition: { ...definition, updatedAt: iso(definition.updatedAt) },
    effects: effects.map((effect) => ({ ...effect, at: iso(effect.at) })),
  }
}

export function turnListEntry(agentId: string, record: TurnRecord): TurnListEntry {
  const { trace: _trace, ...entry } = turnEntry(agentId, record)
  return {
    ...entry,
    toolCalls: entry.toolCalls.map(({ arguments: _arguments, result: _result, ...call }) => call),
    effects: entry.effects.map(({ payload: _payload, ...effect }) => effect),
  }
}
