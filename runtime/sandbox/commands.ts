/** The commands of rehearsals, each decided in the shard of its conversation: begun with a past, acted in, and forgotten. */

import { levelOf } from '../../core/catalogs/logevents.js'
import type { AgentContext } from '../../core/conversation/context.js'
import { timerNames } from '../../core/conversation/effects.js'
import { type Refusal, refuse } from '../../core/errors.js'
import { sandbox as limits } from '../../core/limits.js'
import { actedOut } from '../../core/personas/acting.js'
import type { Directive } from '../../core/personas/directive.js'
import type { HistorySeed } from '../../core/personas/preset.js'
import { seedMark } from '../../core/personas/turn.js'
import { newConversation } from '../conversation/commands.js'
import type { ConversationCommands, Identity } from '../conversation/contract.js'
import { HistoryWriter, leaveRecords } from '../conversation/history.js'
import { expiryTimer } from '../conversation/retention.js'
import {
  callerIdTable,
  conversationTable,
  eventTable,
  outgoingTable,
  parkedTable,
  providerIdTable,
  seenTable,
  turnTable,
} from '../conversation/tables.js'
import type { Command, Told, Tx } from '../shard/contract.js'
import type { Key, Table } from '../store/contract.js'
import { directiveTable, sightOf } from './turns.js'

export interface Acting {
  readonly who: Identity
  readonly agent: AgentContext
  readonly directive: Directive
}

export interface Acted {
  /** Of the turn. */
  readonly number: number
  /** Events before this one are what the agent is told of it. */
  readonly nextEvent: number
}

export type SandboxTurn = Command<Acting, Acted>

/** Looks for what is to be tapped and does it, in one decision: nothing can be said in between. */
export function sandboxTurn({ receiveInbound }: Pick<ConversationCommands, 'receiveInbound'>): SandboxTurn {
  return {
    name: 'sandbox.turn',
    decide(tx, { who, agent, directive }, told) {
      const { asid } = who
      const inbound = actedOut(directive, sightOf(tx, asid), agent.reader)
      if (!inbound) return nothingToTap(directive)
      const first = tx.get(conversationTable, [asid])?.nextRecord ?? 1
      receiveInbound.decide(tx, { who, agent, items: [{ id: told.mint('act'), inbound }] }, told)
      const number = 'system' in directive ? noted(tx, asid, directive.system, told) : numberFrom(tx, asid, first)
      tx.put(directiveTable, [asid, number], { at: told.at, directive })
      logTurn(tx, asid, directive, told)
      return { number, nextEvent: tx.get(conversationTable, [asid])!.nextEvent }
    },
  }
}

const wanted = { chip: 'reply', slot: 'time', confirm: 'confirmation', action: 'action' } as const

function nothingToTap(directive: Directive): Refusal {
  const field = (Object.keys(wanted) as (keyof typeof wanted)[]).find((name) => name in directive)!
  const message = `the agent shows no such ${wanted[field]}`
  return refuse('request.invalid', { detail: `${field}: ${message}`, errors: [{ field, message }] })
}

/** Says what kind of turn it was, not what was said. */
function logTurn(tx: Tx, asid: string, directive: Directive, { at }: Told): void {
  const conversation = tx.get(conversationTable, [asid])!
  const records = new HistoryWriter(tx, conversation, at, 1)
  const event = 'emulator.turn'
  records.log({ level: levelOf(event), event, data: { kind: Object.keys(directive)[0] } })
  tx.put(conversationTable, [asid], records.within(conversation))
}

/** What the person did is the first that was recorded of it. */
function numberFrom(tx: Tx, asid: string, first: number): number {
  for (const { key } of tx.range(turnTable, { prefix: [asid], after: [asid, first - 1] })) return key[1]
  throw new Error('a turn leaves a record')
}

/** Nobody says it, so the conversation keeps no record of it: the rehearsal does. */
function noted(tx: Tx, asid: string, subtype: string, { at, mint }: Told): number {
  const conversation = tx.get(conversationTable, [asid])!
  const { nextRecord: number, session } = conversation
  const about = { sessionId: session?.id ?? '', messageId: mint('inb'), text: subtype }
  tx.put(turnTable, [asid, number], { origin: 'user', type: 'action', subtype, ...about, at })
  tx.put(conversationTable, [asid], { ...conversation, nextRecord: number + 1 })
  return number
}

/** Begins the conversation with what was said before it; one that has begun is left alone. */
export const sandboxBegin: Command<{ who: Identity; seed: HistorySeed }, boolean> = {
  name: 'sandbox.begin',
  decide(tx, { who, seed }, { at }) {
    const { asid } = who
    if (tx.get(conversationTable, [asid])) return false
    tx.put(conversationTable, [asid], { ...newConversation(who, at), nextRecord: seed.length + 1 })
    for (const [place, { role, content }] of seed.entries()) {
      const origin = role === 'user' ? 'user' : 'agent'
      const said = { origin, type: 'content', subtype: seedMark, sessionId: '', messageId: '', text: content } as const
      tx.put(turnTable, [asid, place + 1], { ...said, at })
    }
    return true
  },
}

/** All that lies below an asid. */
const kept = [
  turnTable,
  directiveTable,
  outgoingTable,
  eventTable,
  callerIdTable,
  providerIdTable,
  parkedTable,
  seenTable,
] as unknown as readonly Table<Key, unknown>[]
const timers = [expiryTimer, ...timerNames]
const forgetName = 'sandbox.forget'

/** The conversation goes first, so that nothing comes to it any more; its rows follow, a bounded number at a time. */
export const sandboxForget: Command<{ asid: string }, null> = {
  name: forgetName,
  decide(tx, { asid }, { at }) {
    const conversation = tx.get(conversationTable, [asid])
    if (conversation && !conversation.sandbox) return null
    if (conversation) leaveRecords(tx, conversation, at)
    tx.remove(conversationTable, [asid])
    for (const name of timers) tx.unschedule(name)
    let room: number = limits.rowsForgottenPerStep
    for (const table of kept) {
      for (const { key } of tx.range(table, { prefix: [asid], limit: room })) {
        tx.remove(table, key)
        room--
      }
      if (room > 0) continue
      tx.schedule({ name: 'forget', dueAt: at, command: forgetName, input: { asid } })
      break
    }
    return null
  },
}
