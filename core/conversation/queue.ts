/**
 * Sending: messages go out one at a time, in the order in which they were taken, each after the provider has answered for
 * the one before it. Where people read from our own record there is no provider, and a message is out with the commit that
 * keeps it. What fails goes on to the next channel that its sender named, or ends as failed.
 */
import { isSignal, mediaUrlsIn } from '../amf/index.js'
import { channelBinding } from '../limits.js'
import type { AgentContext } from './context.js'
import { trackDelivery } from './deliverytimeout.js'
import { dropStale, learnFromRefusal, pinCapabilities, rerenderFor } from './device.js'
import { disclaimerBefore, isSilencedByOptOut } from './disclaimer.js'
import { failMessage } from './failover.js'
import { optOut } from './optout.js'
import type { DeliveryOutcome, NotHandedOver } from './outcome.js'
import { closeAsk, openAsk } from './questions.js'
import { applyParked } from './receipts.js'
import { isNotReady, markWaiting, type Refused, retryWaitMs, unknownOutcome, withOutcome } from './retry.js'
import type { Conversation, Flight, Outgoing } from './state.js'
import { advanceState, isNewState, notifySend } from './status.js'
import { saveSystemMessage } from './system.js'
import { type ConversationTx, log, saveMessage } from './transaction.js'

export function enqueueMessage(
  tx: ConversationTx,
  conversation: Conversation,
  { id }: Pick<Outgoing, 'id'>,
  agent?: AgentContext,
): Conversation {
  return sendNext(tx, { ...conversation, queue: [...conversation.queue, id] }, agent)
}

/** Hands over the next message, if its time has come and none is on its way. */
function sendNext(tx: ConversationTx, before: Conversation, agent?: AgentContext): Conversation {
  const conversation = dropStale(tx, before)
  const { queue, flight, nextSendAt } = conversation
  const [messageId] = queue
  if (flight) return isFromLaterClock(tx, flight) ? retrySend(tx, conversation, flight) : conversation
  if (messageId === undefined) return conversation
  // More than the longest pause is left only where the clock was set back: then nothing is left of it.
  if (tx.command.at < nextSendAt && nextSendAt - tx.command.at <= tx.command.scaled(channelBinding.delayMaxMs)) {
    tx.emit({ kind: 'setTimer', timer: 'send', at: nextSendAt })
    return conversation
  }
  const outgoing = tx.stored.message(messageId)
  const disclaimer = outgoing && agent && disclaimerBefore(conversation, outgoing, agent)
  if (disclaimer !== undefined) return sendDisclaimer(tx, conversation, agent!, messageId, disclaimer)
  // A send counts its tries itself, so that an outcome of one is never taken for that of another.
  const tried = outgoing?.forSend?.attempt ?? 1
  const begun = outgoing && pinCapabilities(outgoing, conversation)
  const asking = openAsk(tx, conversation, outgoing)
  if (begun && agent && isOutOnceKept(begun, conversation, agent)) {
    return finishSend(tx, asking, agent, asSent(begun, tx.command.at, [messageId]))
  }
  if (begun && begun !== outgoing) saveMessage(tx, begun)
  tx.emit({ kind: 'deliver', messageId: messageId, tried: tried })
  return Object.assign({}, asking, { flight: { messageId, at: tx.command.at, tried } })
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

/** Whether the commit that keeps it is all it takes: there is nobody to hand it to, and nothing to fetch for it first. */
function isOutOnceKept(outgoing: Outgoing, { optedOutAt }: Conversation, { binding }: AgentContext): boolean {
  if (!binding?.isOwnChannel || !binding.isActive) return false
  const { message } = outgoing
  const isSilenced = optedOutAt !== undefined && isSilencedByOptOut(outgoing)
  return !isSilenced && (isSignal(message) || mediaUrlsIn(message).length === 0)
}

/** The time for the next message, or for another try, has come, even if a clock that was set back says that it has not. */
export function resumeSending(tx: ConversationTx, conversation: Conversation): Conversation {
  const { flight } = conversation
  return flight?.againAt === undefined ? sendNext(tx, conversation) : retrySend(tx, conversation, flight)
}

/** Whether it waits for a time that was set before the clock was set back: such a wait may be as long as that step. */
function isFromLaterClock({ command: { at } }: ConversationTx, flight: Flight): boolean {
  return flight.againAt !== undefined && flight.at > at
}

function retrySend(tx: ConversationTx, conversation: Conversation, flight: Flight): Conversation {
  const tried = flight.tried + 1
  tx.emit({ kind: 'deliver', messageId: flight.messageId, tried: tried })
  const { againAt: _over, ...rest } = flight
  const asking = openAsk(tx, conversation, tx.stored.message(flight.messageId))
  return { ...asking, flight: { ...rest, at: tx.command.at, tried } }
}

/** An outcome of a try that is not the current one is old news. */
export function applySendOutcome(
  tx: ConversationTx,
  before: Conversation,
  agent: AgentContext,
  {
    messageId,
    tried,
    outcome,
  }: { readonly messageId: string; readonly tried: number; readonly outcome: DeliveryOutcome | NotHandedOver },
): Conversation {
  const { flight } = before
  const known = tx.stored.message(messageId)
  if (flight?.messageId !== messageId || flight.tried !== tried || flight.againAt !== undefined || !known) {
    return before
  }
  if (outcome.kind === 'undisclaimed') {
    const { flight: _notHandedOver, ...waiting } = before
    return sendNext(tx, waiting, agent)
  }
  if (outcome.kind === 'withheld') return sendNext(tx, returnToSend(tx, before, known, outcome), agent)
  const told = learnFromRefusal(tx, before, outcome)
  const outgoing = rerenderFor(known, outcome)
  if (outcome.kind === 'sent') {
    const { providerIds, numbered, notes } = outcome
    const noted = notes ? { ...outgoing, notes } : outgoing
    const read = numbered ? { ...noted, numbered } : noted
    return finishSend(tx, told, agent, asSent(read, flight.at, providerIds))
  }
  for (const note of outcome.notes ?? []) tx.record({ kind: 'log', note })
  const partly = outcome.providerIds?.length ? { ...outgoing, providerIds: outcome.providerIds } : outgoing
  if (partly !== known) saveMessage(tx, partly)
  const flown = withOutcome(flight, outcome)
  if (isNotReady(outcome) && flown.unknownSince === undefined && isOfCampaign(tx, known)) {
    return sendNext(tx, returnToSend(tx, told, partly, outcome), agent)
  }
  // What the provider may have taken in an earlier try may be before the person.
  const conversation = flown.unknownSince === undefined ? closeAsk(told, messageId) : told
  const waitMs = retryWaitMs(tx, conversation, agent, partly, flown, outcome)
  if (waitMs !== undefined) {
    const againAt = tx.command.at + waitMs
    tx.emit({ kind: 'setTimer', timer: 'send', at: againAt })
    log(tx, 'message.retried', { messageId, tried, reason: outcome.reason })
    const waiting = { ...conversation, flight: { ...flown, againAt } }
    return isNotReady(outcome) ? markWaiting(tx, waiting, agent, partly, outcome) : waiting
  }
  if (flown.unknownSince !== undefined && (outcome.isUnknown || outcome.again === 'later' || isNotReady(outcome))) {
    const known = asSent(partly, flown.unknownSince, partly.providerIds ?? [])
    return finishSend(tx, conversation, agent, known, unknownOutcome)
  }
  const rested = clearInFlight(tx, conversation, 0)
  const standing = outcome.reason === 'optedOut' ? optOut(tx, rested, agent) : rested
  const ended = failMessage(tx, standing, agent, partly, outcome)
  return sendNext(
    tx,
    partly.disclaims === undefined ? ended : failWithDisclaimer(tx, ended, agent, partly, outcome),
    agent,
  )
}

/** Whether a campaign waits for its binding with it. */
function isOfCampaign(tx: ConversationTx, { disclaims, forSend }: Outgoing): boolean {
  const opening = disclaims === undefined ? { forSend } : tx.stored.message(disclaims)
  return opening?.forSend?.campaign !== undefined
}

/** Gives the message back to its send, which may try again under the same number; its disclaimer goes back with it. */
function returnToSend(
  tx: ConversationTx,
  before: Conversation,
  known: Outgoing,
  { providerIds, reason, detail }: Partial<Pick<Refused, 'providerIds' | 'reason' | 'detail'>>,
): Conversation {
  const { disclaimedAt, ...rest } = clearInFlight(tx, closeAsk(before, known.id), 0)
  const opening = known.disclaims === undefined ? known : tx.stored.message(known.disclaims)
  if (opening?.forSend) {
    const { forSend } = opening
    const untried = { ...forSend, attempt: forSend.attempt - 1 }
    saveMessage(tx, { ...opening, forSend: untried, ...(providerIds?.length && { providerIds }) })
    notifySend(tx, opening, { state: 'withheld', reason, detail })
  }
  const queue = rest.queue.filter((id) => id !== known.disclaims)
  const isDisclaimed = known.disclaims === undefined && disclaimedAt !== undefined
  return { ...rest, queue, ...(isDisclaimed && { disclaimedAt }) }
}

/** The message that the disclaimer was to go before fails with it, and the next one has a disclaimer before it again. */
function failWithDisclaimer(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  { disclaims }: Outgoing,
  refusal: Refused,
): Conversation {
  const { disclaimedAt: _failed, ...rest } = conversation
  const message = rest.queue.includes(disclaims!) ? tx.stored.message(disclaims!) : undefined
  if (!message) return rest
  const { providerIds: _disclaimer, ...reason } = refusal
  return failMessage(tx, { ...rest, queue: rest.queue.filter((id) => id !== message.id) }, agent, message, reason)
}

/** It is out, and the next one goes, after the pause that is kept between two. */
function finishSend(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  known: ReturnType<typeof asSent>,
  doubt?: typeof unknownOutcome,
): Conversation {
  const delayMs = isSignal(known.message) ? 0 : (agent.binding?.minDelayMs ?? 0)
  return sendNext(tx, recordSent(tx, clearInFlight(tx, conversation, delayMs), agent, known, doubt), agent)
}

function clearInFlight(tx: ConversationTx, conversation: Conversation, minDelayMs: number): Conversation {
  const { flight: _over, ...rest } = conversation
  return { ...rest, queue: conversation.queue.slice(1), nextSendAt: tx.command.at + tx.command.scaled(minDelayMs) }
}

function asSent(outgoing: Outgoing, sentAt: number, providerIds: readonly string[]) {
  return Object.assign({}, outgoing, { sentAt, providerIds })
}

function recordSent(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  known: ReturnType<typeof asSent>,
  doubt?: typeof unknownOutcome,
): Conversation {
  for (const id of known.providerIds)
    if (id !== known.id) tx.record({ kind: 'providerId', providerId: id, messageId: known.id })
  const isTold = !isSignal(known.message) && isNewState(known, 'sent')
  if (!isTold) saveMessage(tx, known)
  if (isSignal(known.message)) return conversation
  const told = advanceState(tx, trackDelivery(tx, conversation, agent, known), agent, known, {
    state: 'sent',
    ...doubt,
  })
  return applyParked(tx, told, agent, known)
}
