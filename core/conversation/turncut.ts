/** The end of an open turn before its tool has answered. */
import type { TurnCutReason } from './effects.js'
import { dispatchHead } from './eventqueue.js'
import type { Conversation } from './state.js'
import type { ConversationTx } from './transaction.js'

/** Ends the open turn, if there is one: its tool's result changes nothing any more, and the next event gets a turn. */
export function cutTurn(tx: ConversationTx, before: Conversation, why: TurnCutReason): Conversation {
  const { turn, ...conversation } = before
  if (!turn) return before
  tx.record({ kind: 'turnCut', turnId: turn.id, why })
  if (before.firstEvent < before.nextEvent) dispatchHead(tx, conversation)
  return conversation
}
