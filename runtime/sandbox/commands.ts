/**
 * Commands of the sandbox, decided in the shard of the conversation: begin with a seeded history, run a turn, remove.
 */

import { levelOf } from '../../core/catalogs/logevents.js'
import type { AgentContext } from '../../core/conversation/context.js'
import { timerNames } from '../../core/conversation/effects.js'
import { type Refusal, refuse } from '../../core/errors.js'
import { sandbox as limits } from '../../core/limits/index.js'
import type { Directive } from '../../core/sandbox/directive.js'
import type { HistorySeed } from '../../core/sandbox/preset.js'
import { toInbound } from '../../core/sandbox/simulate.js'
import { seedSubtype } from '../../core/sandbox/turn.js'
import { newConversation } from '../conversation/commands.js'
import type { ConversationCommands, Identity } from '../conversation/contract.js'
import { HistoryWriter, retainRecords } from '../conversation/history.js'
import { expiryTimer } from '../conversation/retention.js'
import {
  clientIdTable,
  conversationTable,
  eventTable,
  messageTable,
  parkedTable,
  providerIdTable,
  sandboxTurnTable,
  seenTable,
} from '../conversation/tables.js'
import type { Command, CommandMeta, Tx } from '../shard/contract.js'
import type { Key, Table } from '../store/contract.js'
import { openTurnTable, playTable, turnTimers } from '../turn/state.js'
import { directiveTable, visibleMessages } from './turns.js'

export interface TurnInput {
  readonly identity: Identity
  readonly agent: AgentContext
  readonly directive: Directive
}

export interface TurnResult {
  /** The number of the turn. */
  readonly number: number
  /** Events before this one result from the turn. */
  readonly nextEvent: number
}

export type TurnCommand = Command<TurnInput, TurnResult>

/** Finds the control that the directive names and taps it in one decision, so no message can arrive in between. */
export function createTurnCommand({ receiveInbound }: Pick<ConversationCommands, 'receiveInbound'>): TurnCommand {
  return {
    name: 'sandbox.turn',
    decide(tx, { identity, agent, directive }, meta) {
      const { asid } = identity
      const inbound = toInbound(directive, visibleMessages(tx, asid), agent.reader)
      if (!inbound) return tapRefusal(directive)
      const first = tx.get(conversationTable, [asid])?.nextRecord ?? 1
      receiveInbound.decide(tx, { identity, agent, items: [{ id: meta.mint('act'), inbound }] }, meta)
      const number =
        'system' in directive ? recordSystemTurn(tx, asid, directive.system, meta) : turnNumberFrom(tx, asid, first)
      tx.put(directiveTable, [asid, number], { at: meta.at, directive })
      logTurn(tx, asid, directive, meta)
      return { number, nextEvent: tx.get(conversationTable, [asid])!.nextEvent }
    },
  }
}

const controlNames = { chip: 'reply', slot: 'time', confirm: 'confirmation', action: 'action' } as const

function tapRefusal(directive: Directive): Refusal {
  const field = (Object.keys(controlNames) as (keyof typeof controlNames)[]).find((name) => name in directive)!
  const message = `the agent shows no such ${controlNames[field]}`
  return refuse('request.invalid', { detail: `${field}: ${message}`, errors: [{ field, message }] })
}

/** Logs the kind of turn without its content. */
function logTurn(tx: Tx, asid: string, directive: Directive, { at }: CommandMeta): void {
  const conversation = tx.get(conversationTable, [asid])!
  const history = new HistoryWriter(tx, conversation, at, 1)
  const event = 'emulator.turn'
  history.log({ level: levelOf(event), event, data: { kind: Object.keys(directive)[0] } })
  tx.put(conversationTable, [asid], history.applyTo(conversation))
}

/** The number of the turn: its first record with at least that number. */
function turnNumberFrom(tx: Tx, asid: string, first: number): number {
  for (const { key } of tx.range(sandboxTurnTable, { prefix: [asid], after: [asid, first - 1] })) return key[1]
  throw new Error('a turn leaves a record')
}

/** Records a system turn in the sandbox transcript; a conversation has no record of it. */
function recordSystemTurn(tx: Tx, asid: string, subtype: string, { at, mint }: CommandMeta): number {
  const conversation = tx.get(conversationTable, [asid])!
  const { nextRecord: number, session } = conversation
  const entry = { sessionId: session?.id ?? '', messageId: mint('inb'), text: subtype }
  tx.put(sandboxTurnTable, [asid, number], { origin: 'user', type: 'action', subtype, ...entry, at })
  tx.put(conversationTable, [asid], { ...conversation, nextRecord: number + 1 })
  return number
}

/** Begins the conversation with the messages of the seed. False for a conversation that already exists. */
export const sandboxBegin: Command<{ identity: Identity; seed: HistorySeed }, boolean> = {
  name: 'sandbox.begin',
  decide(tx, { identity, seed }, { at }) {
    const { asid } = identity
    if (tx.get(conversationTable, [asid])) return false
    tx.put(conversationTable, [asid], { ...newConversation(identity, at), nextRecord: seed.length + 1 })
    for (const [index, { role, content }] of seed.entries()) {
      const origin = role === 'user' ? 'user' : 'agent'
      const entry = {
        origin,
        type: 'content',
        subtype: seedSubtype,
        sessionId: '',
        messageId: '',
        text: content,
      } as const
      tx.put(sandboxTurnTable, [asid, index + 1], { ...entry, at })
    }
    return true
  },
}

/** Every table under an asid. */
const asidTables = [
  sandboxTurnTable,
  directiveTable,
  messageTable,
  eventTable,
  clientIdTable,
  providerIdTable,
  parkedTable,
  seenTable,
  playTable,
  openTurnTable,
] as unknown as readonly Table<Key, unknown>[]
const timers = [expiryTimer, ...timerNames, ...Object.values(turnTimers)]
const removeName = 'sandbox.remove'

/** Removes the conversation first, so that nothing is added to it, and then its rows, a bounded number at a time. */
export const sandboxRemove: Command<{ asid: string }, null> = {
  name: removeName,
  decide(tx, { asid }, { at }) {
    const conversation = tx.get(conversationTable, [asid])
    if (conversation && !conversation.sandbox) return null
    if (conversation) retainRecords(tx, conversation, at)
    tx.remove(conversationTable, [asid])
    for (const name of timers) tx.unschedule(name)
    let rowsLeft: number = limits.rowsDeletedPerStep
    for (const table of asidTables) {
      for (const { key } of tx.range(table, { prefix: [asid], limit: rowsLeft })) {
        tx.remove(table, key)
        rowsLeft--
      }
      if (rowsLeft > 0) continue
      tx.schedule({ name: 'remove', dueAt: at, command: removeName, input: { asid } })
      break
    }
    return null
  },
}
