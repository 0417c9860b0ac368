/** The turn of a managed agent that one of its messages came from, or that something of the person began. */
import type { AgentRef } from '../../core/agentref.js'
import { emulatorPage as limits } from '../../core/limits/index.js'
import type { TurnRecord } from '../../core/turn/record.js'
import type { Query } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'

/** Turns of one conversation, newest first, at most `limit`. */
export type TurnsOf = (reader: Reader, agentRef: AgentRef, asid: string, limit: number) => Iterable<TurnRecord>

export type TurnOfMessage = Query<AgentRef & { readonly asid: string; readonly messageId: string }, TurnRecord | null>

/** Null for a message of no turn, of a turn that is not recorded yet, or of a turn long ago. */
export function createTurnQuery(turnsOf: TurnsOf): TurnOfMessage {
  return {
    name: 'emulatorpage.turn',
    read(reader, { orgId, agentId, asid, messageId }) {
      for (const turn of turnsOf(reader, { orgId, agentId }, asid, limits.turnsFollowed)) {
        if (turn.messages.includes(messageId)) return turn
      }
      return null
    },
  }
}

export type TurnOfInbound = Query<AgentRef & { readonly asid: string; readonly at: number }, TurnRecord | null>

/**
 * The turn that took what came at that time; null for what began none, or whose turn is not recorded yet. Turns take
 * what waits in order, so it is the newest whose first event is not younger.
 */
export function createInboundTurnQuery(turnsOf: TurnsOf): TurnOfInbound {
  return {
    name: 'emulatorpage.inboundTurn',
    read(reader, { orgId, agentId, asid, at }) {
      for (const turn of turnsOf(reader, { orgId, agentId }, asid, limits.turnsFollowed)) {
        const { startedAt, took } = turn
        if (Math.round(startedAt - took.waiting) <= at) return at <= startedAt ? turn : null
      }
      return null
    },
  }
}

export interface TurnQueries {
  readonly turnOfMessage: TurnOfMessage
  readonly turnOfInbound: TurnOfInbound
}
