/**
 * The send queue: messages go out one at a time, in the order of their acceptance, each after the provider has answered
 * for the one before it. On Parley's own channel no provider is called, and a message is sent with the commit that
 * stores it. A message that fails goes to the next channel that its sender named, or ends as failed.
 */
import { isSignal, mediaUrlsIn } from '../amf/index.js'
import { channelBinding } from '../limits/index.js'
import type { AgentContext } from './context.js'
import { trackDelivery } from './deliverytimeout.js'
import { applyReportedCapabilities, dropStale, pinCapabilities, rerenderFor } from './device.js'
import { isSilencedByOptOut, requiredDisclaimer } from './disclaimer.js'
import { failMessage } from './failover.js'
import { optOut } from './optout.js'
import type { DeliveryOutcome, NotSent } from './outcome.js'
import { addPendingQuestion, removePendingQuestion } from './questions.js'
import { applyParked } from './receipts.js'
import { isBindingNotReady, markWaiting, type Refused, retryWaitMs, unknownOutcome, withOutcome } from './retry.js'
import type { Conversation, InFlight, OutboundMessageRecord } from './state.js'
import { advanceState, isNewState, notifySend } from './status.js'
import { saveSystemMessage } from './system.js'
import { type ConversationTx, log, saveMessage } from './transaction.js'

export function enqueueMessage(
  tx: ConversationTx,
  conversation: Conversation,
  { id }: Pick<OutboundMessageRecord, 'id'>,
  agent?: AgentContext,
): Conversation {
  return sendNext(tx, { ...conversation, queue: [...conversation.queue, id] }, agent)
}

/** Hands over the next message, if its time has come and none is in flight. */
function sendNext(tx: ConversationTx, before: Conversation, agent?: AgentContext): Conversation {
  const conversation = dropStale(tx, before)
  const { queue, inFlight, nextSendAt } = conversation
  const [messageId] = queue
  if (inFlight) return isFromLaterClock(tx, inFlight) ? retrySend(tx, conversation, inFlight) : conversation
  if (messageId === undefined) return conversation
  // More than the longest delay is left only if the clock was set back: then the delay is dropped.
  if (tx.command.at < nextSendAt && nextSendAt - tx.command.at <= tx.command.scaled(channelBinding.delayMaxMs)) {
    tx.emit({ kind: 'setTimer', timer: 'send', at: nextSendAt })
    return conversation
  }
  const outgoing = tx.stored.message(messageId)
  const disclaimer = outgoing && agent && requiredDisclaimer(conversation, outgoing, agent)
  if (disclaimer !== undefined) return sendDisclaimer(tx, conversation, agent!, messageId, disclaimer)
  // A send counts its attempts itself, so that the outcome of one is never taken for that of another.
  const attempt = outgoing?.sendRef?.attempt ?? 1
  const pinned = outgoing && pinCapabilities(outgoing, conversation)
  const updated = addPendingQuestion(tx, conversation, outgoing)
  if (pinned && agent && isSentOnCommit(pinned, conversation, agent)) {
    return finishSend(tx, updated, agent, markSent(pinned, tx.command.at, [messageId]))
  }
  if (pinned && pinned !== outgoing) saveMessage(tx, pinned)
  tx.emit({ kind: 'deliver', messageId: messageId, attempt })
  return Object.assign({}, updated, { inFlight: { messageId, at: tx.command.at, attempt } })
}

/** Puts the disclaimer before the message that is about to go out. */
function sendDisclaimer(
  tx: ConversationTx,
  before: Conversation,
  agent: AgentContext,
  messageId: string,
  text: string,
): Conversation {
  const { id } = saveSystemMessage(tx, before, agent, text, messageId)
  log(tx, 'consent.disclaimer_sent', { messageId: id })
  return sendNext(tx, { ...before, disclaimedAt: tx.command.at, queue: [id, ...before.queue] }, agent)
}

/** Whether the commit alone sends the message: no provider to call, and no media to fetch first. */
function isSentOnCommit(
  outgoing: OutboundMessageRecord,
  { optedOutAt }: Conversation,
  { binding }: AgentContext,
): boolean {
  if (!binding?.isOwnChannel || !binding.isActive) return false
  const { message } = outgoing
  const isSilenced = optedOutAt !== undefined && isSilencedByOptOut(outgoing)
  return !isSilenced && (isSignal(message) || mediaUrlsIn(message).length === 0)
}

/**
 * Handles the send timer: the next message or attempt goes, even if a clock that was set back says that its time has
 * not come.
 */
export function resumeSending(tx: ConversationTx, conversation: Conversation): Conversation {
  const { inFlight } = conversation
  return inFlight?.retryAt === undefined ? sendNext(tx, conversation) : retrySend(tx, conversation, inFlight)
}

/** Whether the retry was scheduled before the clock was set back: such a wait may last as long as that step. */
function isFromLaterClock({ command: { at } }: ConversationTx, inFlight: InFlight): boolean {
  return inFlight.retryAt !== undefined && inFlight.at > at
}

function retrySend(tx: ConversationTx, conversation: Conversation, inFlight: InFlight): Conversation {
  const attempt = inFlight.attempt + 1
  tx.emit({ kind: 'deliver', messageId: inFlight.messageId, attempt })
  const { retryAt: _over, ...rest } = inFlight
  const updated = addPendingQuestion(tx, conversation, tx.stored.message(inFlight.messageId))
  return { ...updated, inFlight: { ...rest, at: tx.command.at, attempt } }
}

/** Applies the outcome of the current attempt; the outcome of any other attempt changes nothing. */
export function applySendOutcome(
  tx: ConversationTx,
  before: Conversation,
  agent: AgentContext,
  {
    messageId,
    attempt,
    outcome,
  }: { readonly messageId: string; readonly attempt: number; readonly outcome: DeliveryOutcome | NotSent },
): Conversation {
  const { inFlight } = before
  const stored = tx.stored.message(messageId)
  if (inFlight?.messageId !== messageId || inFlight.attempt !== attempt || inFlight.retryAt !== undefined || !stored) {
    return before
  }
  if (outcome.kind === 'disclaimerRequired') {
    const { inFlight: _notHandedOver, ...waiting } = before
    return sendNext(tx, waiting, agent)
  }
  if (outcome.kind === 'withheld') return sendNext(tx, returnToSend(tx, before, stored, outcome), agent)
  const learned = applyReportedCapabilities(tx, before, outcome)
  const outgoing = rerenderFor(stored, outcome)
  if (outcome.kind === 'sent') {
    const { providerIds, numbered, notes } = outcome
    const withNotes = notes ? { ...outgoing, notes } : outgoing
    const withNumbers = numbered ? { ...withNotes, numbered } : withNotes
    return finishSend(tx, learned, agent, markSent(withNumbers, inFlight.at, providerIds))
  }
  for (const note of outcome.notes ?? []) tx.record({ kind: 'log', note })
  const withPieces = outcome.providerIds?.length ? { ...outgoing, providerIds: outcome.providerIds } : outgoing
  if (withPieces !== stored) saveMessage(tx, withPieces)
  const nextInFlight = withOutcome(inFlight, outcome)
  if (isBindingNotReady(outcome) && nextInFlight.unknownSince === undefined && isOfCampaign(tx, stored)) {
    return sendNext(tx, returnToSend(tx, learned, withPieces, outcome), agent)
  }
  // If an earlier attempt may have reached the provider, the person may have the question.
  const conversation = nextInFlight.unknownSince === undefined ? removePendingQuestion(learned, messageId) : learned
  const waitMs = retryWaitMs(tx, conversation, agent, withPieces, nextInFlight, outcome)
  if (waitMs !== undefined) {
    const retryAt = tx.command.at + waitMs
    tx.emit({ kind: 'setTimer', timer: 'send', at: retryAt })
    log(tx, 'message.retried', { messageId, attempt, reason: outcome.reason })
    const waiting = { ...conversation, inFlight: { ...nextInFlight, retryAt } }
    return isBindingNotReady(outcome) ? markWaiting(tx, waiting, agent, withPieces, outcome) : waiting
  }
  if (
    nextInFlight.unknownSince !== undefined &&
    (outcome.isUnknown || outcome.retry === 'later' || isBindingNotReady(outcome))
  ) {
    const stored = markSent(withPieces, nextInFlight.unknownSince, withPieces.providerIds ?? [])
    return finishSend(tx, conversation, agent, stored, unknownOutcome)
  }
  const cleared = clearInFlight(tx, conversation, 0)
  const hasOptedOut = outcome.reason === 'optedOut' && !outcome.isHeldBack
  const afterOptOut = hasOptedOut ? optOut(tx, cleared, agent) : cleared
  const failed = failMessage(tx, afterOptOut, agent, withPieces, outcome)
  return sendNext(
    tx,
    withPieces.disclaimerFor === undefined ? failed : failWithDisclaimer(tx, failed, agent, withPieces, outcome),
    agent,
  )
}

/** Whether the message belongs to a campaign, which then waits for the binding too. */
function isOfCampaign(tx: ConversationTx, { disclaimerFor, sendRef }: OutboundMessageRecord): boolean {
  const opener = disclaimerFor === undefined ? { sendRef } : tx.stored.message(disclaimerFor)
  return opener?.sendRef?.campaign !== undefined
}

/**
 * Gives the message back to its send, which may try again under the same attempt number; its disclaimer goes back with
 * it.
 */
function returnToSend(
  tx: ConversationTx,
  before: Conversation,
  stored: OutboundMessageRecord,
  { providerIds, reason, detail }: Partial<Pick<Refused, 'providerIds' | 'reason' | 'detail'>>,
): Conversation {
  const { disclaimedAt, ...rest } = clearInFlight(tx, removePendingQuestion(before, stored.id), 0)
  const opener = stored.disclaimerFor === undefined ? stored : tx.stored.message(stored.disclaimerFor)
  if (opener?.sendRef) {
    const { sendRef } = opener
    const decremented = { ...sendRef, attempt: sendRef.attempt - 1 }
    // The pieces that were sent are those of the stored message, which may be the opener's disclaimer.
    const pieces = stored === opener && providerIds?.length ? { providerIds } : {}
    saveMessage(tx, { ...opener, sendRef: decremented, ...pieces })
    notifySend(tx, opener, { state: 'withheld', reason, detail })
  }
  const queue = rest.queue.filter((id) => id !== stored.disclaimerFor)
  const isDisclaimed = stored.disclaimerFor === undefined && disclaimedAt !== undefined
  return { ...rest, queue, ...(isDisclaimed && { disclaimedAt }) }
}

/** Fails the message together with its disclaimer; the next message has a disclaimer before it again. */
function failWithDisclaimer(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  { disclaimerFor }: OutboundMessageRecord,
  refusal: Refused,
): Conversation {
  const { disclaimedAt: _failed, ...rest } = conversation
  const message = rest.queue.includes(disclaimerFor!) ? tx.stored.message(disclaimerFor!) : undefined
  if (!message) return rest
  const { providerIds: _disclaimer, ...reason } = refusal
  return failMessage(tx, { ...rest, queue: rest.queue.filter((id) => id !== message.id) }, agent, message, reason)
}

/** The message is out; the next one goes after the least delay between two. */
function finishSend(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  stored: ReturnType<typeof markSent>,
  uncertainty?: typeof unknownOutcome,
): Conversation {
  const delayMs = isSignal(stored.message) ? 0 : (agent.binding?.minDelayMs ?? 0)
  return sendNext(tx, recordSent(tx, clearInFlight(tx, conversation, delayMs), agent, stored, uncertainty), agent)
}

function clearInFlight(tx: ConversationTx, conversation: Conversation, minDelayMs: number): Conversation {
  const { inFlight: _over, ...rest } = conversation
  return { ...rest, queue: conversation.queue.slice(1), nextSendAt: tx.command.at + tx.command.scaled(minDelayMs) }
}

function markSent(outgoing: OutboundMessageRecord, sentAt: number, providerIds: readonly string[]) {
  return Object.assign({}, outgoing, { sentAt, providerIds })
}

function recordSent(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  stored: ReturnType<typeof markSent>,
  uncertainty?: typeof unknownOutcome,
): Conversation {
  for (const id of stored.providerIds)
    if (id !== stored.id) tx.record({ kind: 'providerId', providerId: id, messageId: stored.id })
  const advancesState = !isSignal(stored.message) && isNewState(stored, 'sent')
  if (!advancesState) saveMessage(tx, stored)
  if (isSignal(stored.message)) return conversation
  const learned = advanceState(tx, trackDelivery(tx, conversation, agent, stored), agent, stored, {
    state: 'sent',
    ...uncertainty,
  })
  return applyParked(tx, learned, agent, stored)
}
