/** Failover: a message that fails on one channel goes on to the next one that its sender named, or ends as failed. */
import { isSignal } from '../amf/index.js'
import { type AgentFacts, factsOf } from './context.js'
import type { FailoverUpdate } from './effects.js'
import type { Conversation, Outgoing } from './state.js'
import { advanceState, notifySend } from './status.js'
import { type ConversationTx, log, saveMessage } from './transaction.js'

export interface Failure {
  readonly reason: string
  readonly detail?: string
  /** Whether the same message could work later, on another channel, or not at all. */
  readonly again: 'later' | 'elsewhere' | 'never'
}

/** Ends the message on this channel. A message to a person who opted out goes to no other channel. */
export function failMessage(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  outgoing: Outgoing,
  { reason, detail, again }: Failure,
): Conversation {
  if (isSignal(outgoing.message)) return conversation
  if (again === 'later' && outgoing.forSend?.isLast === false) {
    notifySend(tx, outgoing, { state: 'failed', reason, detail, again })
    return conversation
  }
  if (again !== 'never' && reason !== 'optedOut') {
    const [channel, ...next] = (outgoing.next ?? []).filter((each) => agent.siblings[each] !== undefined)
    if (channel !== undefined) {
      const { next: _tried, ...rest } = outgoing
      const onwards: Outgoing = next.length > 0 ? { ...rest, next } : rest
      saveMessage(tx, onwards)
      log(tx, 'message.fallback', { messageId: outgoing.id, to: channel, reason })
      const facts = factsOf(agent)
      tx.emit({ kind: 'failover', asid: agent.siblings[channel]!, channel, messageId: outgoing.id, facts })
      return conversation
    }
  }
  return advanceState(tx, conversation, agent, outgoing, {
    state: 'failed',
    reason,
    again,
    ...(detail && { detail }),
  })
}

/** Applies the report of the conversation that took the message over. */
export function applyFailoverUpdate(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  messageId: string,
  update: FailoverUpdate,
): Conversation {
  const before = tx.stored.message(messageId)
  if (!before) return conversation
  const { attempt, state, reason = 'failed', detail } = update
  // A message that is only queued on the other channel has not been handed over.
  const isOut = state !== 'queued' && state !== 'failed'
  const outgoing: Outgoing = { ...before, attempt, ...(isOut && { sentAt: before.sentAt ?? tx.command.at }) }
  saveMessage(tx, outgoing)
  if (state !== 'failed') return advanceState(tx, conversation, agent, outgoing, update)
  return failMessage(tx, conversation, agent, outgoing, { reason, detail, again: 'elsewhere' })
}
