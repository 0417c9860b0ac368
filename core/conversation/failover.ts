/** Failover: a message that fails on one channel goes to the next one that its sender named, or ends as failed. */
import { isSignal } from '../amf/index.js'
import { type AgentFacts, factsOf } from './context.js'
import type { FailoverUpdate } from './effects.js'
import type { Conversation, OutboundMessageRecord } from './state.js'
import { advanceState, notifySend } from './status.js'
import { type ConversationTx, log, saveMessage } from './transaction.js'

export interface Failure {
  readonly reason: string
  readonly detail?: string
  /** Whether the same message could succeed later, on another channel, or never. */
  readonly retry: 'later' | 'otherChannel' | 'never'
}

/** Ends the message on this channel. A message to a person who opted out goes to no other channel. */
export function failMessage(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  outgoing: OutboundMessageRecord,
  { reason, detail, retry }: Failure,
): Conversation {
  if (isSignal(outgoing.message)) return conversation
  if (retry === 'later' && outgoing.sendRef?.isLast === false) {
    notifySend(tx, outgoing, { state: 'failed', reason, detail, retry })
    return conversation
  }
  if (retry !== 'never' && reason !== 'optedOut') {
    const [channel, ...next] = (outgoing.next ?? []).filter((each) => agent.siblings[each] !== undefined)
    if (channel !== undefined) {
      const { next: _tried, ...rest } = outgoing
      const rerouted: OutboundMessageRecord = next.length > 0 ? { ...rest, next } : rest
      saveMessage(tx, rerouted)
      log(tx, 'message.fallback', { messageId: outgoing.id, to: channel, reason })
      const facts = factsOf(agent)
      tx.emit({ kind: 'failover', asid: agent.siblings[channel]!, channel, messageId: outgoing.id, facts })
      return conversation
    }
  }
  return advanceState(tx, conversation, agent, outgoing, {
    state: 'failed',
    reason,
    retry,
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
  const isHandedOver = state !== 'queued' && state !== 'failed'
  const outgoing: OutboundMessageRecord = {
    ...before,
    attempt,
    ...(isHandedOver && { sentAt: before.sentAt ?? tx.command.at }),
  }
  saveMessage(tx, outgoing)
  if (state !== 'failed') return advanceState(tx, conversation, agent, outgoing, update)
  return failMessage(tx, conversation, agent, outgoing, { reason, detail, retry: 'otherChannel' })
}
