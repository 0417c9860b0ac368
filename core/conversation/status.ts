/**
 * Message states: each is reported at most once, to the agent, to the send it opens, or to the conversation it came
 * from.
 */
import type { MessageState, Receipt } from '../channel/inbound.js'
import { conversation as limits } from '../limits/index.js'
import { type AgentFacts, factsOf } from './context.js'
import type { DeliveryReport } from './deliveryreport.js'
import { enqueueEvent } from './events.js'
import { sessionOf } from './session.js'
import type { Conversation, OutboundMessageRecord, Status } from './state.js'
import { type ConversationTx, saveMessage } from './transaction.js'

const lateArrivalDetail = 'It was reported as failed before, and arrived after all.'

/** Moves the message to that state and reports it, if `isNewState` allows it. */
export function advanceState(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  outgoing: OutboundMessageRecord,
  change: Pick<Receipt, 'reason' | 'detail'> & {
    readonly state: MessageState
    readonly retry?: DeliveryReport['retry']
  },
): Conversation {
  const { state, reason } = change
  if (!isNewState(outgoing, state)) return conversation
  const arrivedAfterFailure = outgoing.states.failed !== undefined && (state === 'delivered' || state === 'read')
  const detail = arrivedAfterFailure ? lateArrivalDetail : change.detail
  const { at } = tx.command
  saveMessage(tx, { ...outgoing, states: { [state]: at, ...outgoing.states } })
  const attempt = outgoing.attempt ?? { channel: conversation.channel, provider: agent.provider }
  const status: Status = {
    messageId: outgoing.id,
    state,
    attempt,
    ...(reason && { reason }),
    ...(detail && { detail }),
  }
  if (outgoing.from === 'system') return conversation
  if (outgoing.sendRef && state !== 'queued') notifySend(tx, outgoing, { ...change, state })
  if (outgoing.onBehalfOf) {
    const { messageId: _messageId, ...update } = status
    reportToOrigin(tx, outgoing.onBehalfOf, update)
    return conversation
  }
  const sessionId = sessionOf(tx, conversation, outgoing.sessionId)
  tx.record({
    kind: 'traffic',
    entry: {
      origin: 'agent',
      type: 'status',
      subtype: state,
      sessionId,
      messageId: outgoing.id,
      ...(state === 'failed' && { error: reason ?? 'failed' }),
      raw: status,
    },
  })
  // The status window counts from the hand-over: a message that was never handed over is always reported.
  const isLate = outgoing.sentAt !== undefined && at - outgoing.sentAt > tx.command.scaled(limits.statusMs)
  if (isLate) return conversation
  return enqueueEvent(tx, conversation, agent, { type: 'status', status }, sessionId)
}

/** Reports to the conversation that the message came from. */
export function reportToOrigin(
  tx: ConversationTx,
  { asid, messageId, facts }: NonNullable<OutboundMessageRecord['onBehalfOf']>,
  update: Omit<Status, 'messageId'>,
): void {
  tx.emit({ kind: 'failoverUpdate', asid, messageId, update, facts: factsOf(facts) })
}

/** Reports to the send that the message opens for. */
export function notifySend(
  tx: ConversationTx,
  { id, sendRef }: OutboundMessageRecord,
  { state, reason, detail, retry = 'never' }: Pick<DeliveryReport, 'state' | 'reason' | 'detail' | 'retry'>,
): void {
  const { sendId, attempt } = sendRef!
  tx.emit({
    kind: 'notifySend',
    report: {
      sendId,
      attempt,
      messageId: id,
      at: tx.command.at,
      state,
      ...(reason && { reason }),
      ...(detail && { detail }),
      ...(state === 'failed' && { retry }),
    },
  })
}

/** By the rules at the head of `receipts.ts`. */
export function isNewState({ states }: Pick<OutboundMessageRecord, 'states'>, state: MessageState): boolean {
  if (states[state] !== undefined) return false
  const arrived = states.delivered !== undefined || states.read !== undefined
  if (state === 'failed') return !arrived
  if (state === 'queued' || state === 'sent') return states.failed === undefined
  return true
}
