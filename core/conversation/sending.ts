/**
 * Sending: messages go out one at a time, in the order in which they were taken, each after the provider has answered for
 * the one before it. Where people read from our own record there is no provider, and a message is out with the commit that
 * keeps it. What fails goes on to the next channel that its sender named, or ends as failed.
 */
import { isSignal, mediaUrlsIn } from '../amf/index.js'
import { having } from '../having.js'
import { channelBinding } from '../limits.js'
import { begunWith, believed, type OnDevice, toldByRefusal, writtenFor } from './abilities.js'
import { keepServiceMessage } from './content.js'
import type { Around, CarriedNews, Desk, LogNote } from './desk.js'
import { disclaimerBefore, isSilencedByOptOut } from './disclaimer.js'
import { optedOut } from './optout.js'
import { closeAsk, openAsk } from './questions.js'
import { isNews, reached, toldSend, unparked } from './receipts.js'
import { isNotReady, type Refused, retryWaitMs, toldToWait, unknownOutcome, withOutcome } from './retry.js'
import type { Conversation, Flight, Outgoing } from './state.js'
import { awaited } from './undelivered.js'

/** What the provider, or our way to it, said of a message. */
export type Outcome = Told & OnDevice & Noted

/** Lines of the agent's log that the hand-over found: kept with the message once it is out, else written. */
interface Noted {
  readonly notes?: readonly LogNote[]
}

type Told =
  | {
      readonly kind: 'sent'
      readonly providerIds: readonly string[]
      /** Numbers that the person reads, where they are not those that were expected when the message was taken. */
      readonly numbered?: readonly number[]
    }
  | {
      readonly kind: 'refused'
      /** Pieces that went out before one did not: they are not sent again. */
      readonly providerIds?: readonly string[]
      readonly reason: string
      readonly detail?: string
      /** Whether asking the same again could help, another channel could, or nothing. */
      readonly again: 'later' | 'elsewhere' | 'never'
      /** How long the provider asks to wait. */
      readonly retryAfterMs?: number
      /** The provider may have it. `last`: it was handed over for the last time. */
      readonly isUnknown?: true | 'last'
      /** The provider was asked and does not have what an earlier try may have handed over. */
      readonly isAbsent?: true
    }

/** It was not handed over: its disclaimer goes before it, or its campaign stands still. */
export type NotHandedOver =
  | { readonly kind: 'undisclaimed' }
  | { readonly kind: 'withheld'; readonly providerIds?: readonly string[] }

export function enqueued(
  desk: Desk,
  conversation: Conversation,
  { id }: Pick<Outgoing, 'id'>,
  around?: Around,
): Conversation {
  return goneOn(desk, { ...conversation, queue: [...conversation.queue, id] }, around)
}

/** Hands over the next message, if its time has come and none is on its way. */
function goneOn(desk: Desk, before: Conversation, around?: Around): Conversation {
  const conversation = believed(desk, before)
  const { queue, flight, nextSendAt } = conversation
  const [messageId] = queue
  if (flight) return isFromLaterClock(desk, flight) ? triedAgain(desk, conversation, flight) : conversation
  if (messageId === undefined) return conversation
  // More than the longest pause is left only where the clock was set back: then nothing is left of it.
  if (desk.at < nextSendAt && nextSendAt - desk.at <= desk.scaled(channelBinding.delayMaxMs)) {
    desk.wake('send', nextSendAt)
    return conversation
  }
  const outgoing = desk.outgoing(messageId)
  const disclaimer = outgoing && around && disclaimerBefore(conversation, outgoing, around)
  if (disclaimer !== undefined) return disclaimed(desk, conversation, around!, messageId, disclaimer)
  // A send counts its tries itself, so that an outcome of one is never taken for that of another.
  const tried = outgoing?.forSend?.attempt ?? 1
  const begun = outgoing && begunWith(outgoing, conversation)
  const asking = openAsk(desk, conversation, outgoing)
  if (begun && around && isOutOnceKept(begun, conversation, around)) {
    return departed(desk, asking, around, handedOver(begun, desk.at, [messageId]))
  }
  if (begun && begun !== outgoing) desk.keepOutgoing(begun)
  desk.deliver(messageId, tried)
  return having(asking, { flight: { messageId, at: desk.at, tried } })
}

/** Puts the disclaimer before the message that is about to go out. */
function disclaimed(desk: Desk, before: Conversation, around: Around, messageId: string, text: string): Conversation {
  const { id } = keepServiceMessage(desk, before, around, text, messageId)
  desk.log({ event: 'consent.disclaimer_sent', data: { messageId: id } })
  return goneOn(desk, having(before, { disclaimedAt: desk.at, queue: [id, ...before.queue] }), around)
}

/** Whether the commit that keeps it is all it takes: there is nobody to hand it to, and nothing to fetch for it first. */
function isOutOnceKept(outgoing: Outgoing, { optedOutAt }: Conversation, { binding }: Around): boolean {
  if (!binding?.isOurs || !binding.isActive) return false
  const { message } = outgoing
  const isSilenced = optedOutAt !== undefined && isSilencedByOptOut(outgoing)
  return !isSilenced && (isSignal(message) || mediaUrlsIn(message).length === 0)
}

/** The time for the next message, or for another try, has come, even if a clock that was set back says that it has not. */
export function wokenToSend(desk: Desk, conversation: Conversation): Conversation {
  const { flight } = conversation
  return flight?.againAt === undefined ? goneOn(desk, conversation) : triedAgain(desk, conversation, flight)
}

/** Whether it waits for a time that was set before the clock was set back: such a wait may be as long as that step. */
function isFromLaterClock({ at }: Desk, flight: Flight): boolean {
  return flight.againAt !== undefined && flight.at > at
}

function triedAgain(desk: Desk, conversation: Conversation, flight: Flight): Conversation {
  const tried = flight.tried + 1
  desk.deliver(flight.messageId, tried)
  const { againAt: _over, ...rest } = flight
  const asking = openAsk(desk, conversation, desk.outgoing(flight.messageId))
  return { ...asking, flight: { ...rest, at: desk.at, tried } }
}

/** An outcome of a try that is not the current one is old news. */
export function dispatched(
  desk: Desk,
  before: Conversation,
  around: Around,
  {
    messageId,
    tried,
    outcome,
  }: { readonly messageId: string; readonly tried: number; readonly outcome: Outcome | NotHandedOver },
): Conversation {
  const { flight } = before
  const known = desk.outgoing(messageId)
  if (flight?.messageId !== messageId || flight.tried !== tried || flight.againAt !== undefined || !known) {
    return before
  }
  if (outcome.kind === 'undisclaimed') {
    const { flight: _notHandedOver, ...waiting } = before
    return goneOn(desk, waiting, around)
  }
  if (outcome.kind === 'withheld') return goneOn(desk, withheld(desk, before, known, outcome), around)
  const told = toldByRefusal(desk, before, outcome)
  const outgoing = writtenFor(known, outcome)
  if (outcome.kind === 'sent') {
    const { providerIds, numbered, notes } = outcome
    const noted = notes ? having(outgoing, { notes }) : outgoing
    const read = numbered ? having(noted, { numbered }) : noted
    return departed(desk, told, around, handedOver(read, flight.at, providerIds))
  }
  for (const note of outcome.notes ?? []) desk.log(note)
  const partly = outcome.providerIds?.length ? { ...outgoing, providerIds: outcome.providerIds } : outgoing
  if (partly !== known) desk.keepOutgoing(partly)
  const flown = withOutcome(flight, outcome)
  if (isNotReady(outcome) && flown.unknownSince === undefined && isOfCampaign(desk, known)) {
    return goneOn(desk, withheld(desk, told, partly, outcome), around)
  }
  // What the provider may have taken in an earlier try may be before the person.
  const conversation = flown.unknownSince === undefined ? closeAsk(told, messageId) : told
  const waitMs = retryWaitMs(desk, conversation, around, partly, flown, outcome)
  if (waitMs !== undefined) {
    const againAt = desk.at + waitMs
    desk.wake('send', againAt)
    desk.log({ event: 'message.retried', data: { messageId, tried, reason: outcome.reason } })
    const waiting = { ...conversation, flight: { ...flown, againAt } }
    return isNotReady(outcome) ? toldToWait(desk, waiting, around, partly, outcome) : waiting
  }
  if (flown.unknownSince !== undefined && (outcome.isUnknown || outcome.again === 'later' || isNotReady(outcome))) {
    const known = handedOver(partly, flown.unknownSince, partly.providerIds ?? [])
    return departed(desk, conversation, around, known, unknownOutcome)
  }
  const rested = landed(desk, conversation, 0)
  const standing = outcome.reason === 'optedOut' ? optedOut(desk, rested, around) : rested
  const ended = failed(desk, standing, around, partly, outcome)
  return goneOn(
    desk,
    partly.disclaims === undefined ? ended : undisclaimed(desk, ended, around, partly, outcome),
    around,
  )
}

/** Whether a campaign waits for its binding with it. */
function isOfCampaign(desk: Desk, { disclaims, forSend }: Outgoing): boolean {
  const opening = disclaims === undefined ? { forSend } : desk.outgoing(disclaims)
  return opening?.forSend?.campaign !== undefined
}

/** Gives the message back to its send, which may try again under the same number; its disclaimer goes back with it. */
function withheld(
  desk: Desk,
  before: Conversation,
  known: Outgoing,
  { providerIds, reason, detail }: Partial<Pick<Refused, 'providerIds' | 'reason' | 'detail'>>,
): Conversation {
  const { disclaimedAt, ...rest } = landed(desk, closeAsk(before, known.id), 0)
  const opening = known.disclaims === undefined ? known : desk.outgoing(known.disclaims)
  if (opening?.forSend) {
    const { forSend } = opening
    const untried = { ...forSend, attempt: forSend.attempt - 1 }
    desk.keepOutgoing(having(opening, { forSend: untried, ...(providerIds?.length && { providerIds }) }))
    toldSend(desk, opening, { state: 'withheld', reason, detail })
  }
  const queue = rest.queue.filter((id) => id !== known.disclaims)
  const isDisclaimed = known.disclaims === undefined && disclaimedAt !== undefined
  return { ...rest, queue, ...(isDisclaimed && { disclaimedAt }) }
}

/** The message that the disclaimer was to go before fails with it, and the next one has a disclaimer before it again. */
function undisclaimed(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  { disclaims }: Outgoing,
  refusal: Extract<Told, { kind: 'refused' }>,
): Conversation {
  const { disclaimedAt: _failed, ...rest } = conversation
  const message = rest.queue.includes(disclaims!) ? desk.outgoing(disclaims!) : undefined
  if (!message) return rest
  const { providerIds: _disclaimer, ...reason } = refusal
  return failed(desk, { ...rest, queue: rest.queue.filter((id) => id !== message.id) }, around, message, reason)
}

/** It is out, and the next one goes, after the pause that is kept between two. */
function departed(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  known: ReturnType<typeof handedOver>,
  doubt?: typeof unknownOutcome,
): Conversation {
  const delayMs = isSignal(known.message) ? 0 : (around.binding?.minDelayMs ?? 0)
  return goneOn(desk, sent(desk, landed(desk, conversation, delayMs), around, known, doubt), around)
}

function landed(desk: Desk, conversation: Conversation, minDelayMs: number): Conversation {
  const { flight: _over, ...rest } = conversation
  return { ...rest, queue: conversation.queue.slice(1), nextSendAt: desk.at + desk.scaled(minDelayMs) }
}

function handedOver(outgoing: Outgoing, sentAt: number, providerIds: readonly string[]) {
  return having(outgoing, { sentAt, providerIds })
}

function sent(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  known: ReturnType<typeof handedOver>,
  doubt?: typeof unknownOutcome,
): Conversation {
  for (const id of known.providerIds) if (id !== known.id) desk.nameForProvider(id, known.id)
  const isTold = !isSignal(known.message) && isNews(known, 'sent')
  if (!isTold) desk.keepOutgoing(known)
  if (isSignal(known.message)) return conversation
  const told = reached(desk, awaited(desk, conversation, known), around, known, { state: 'sent', ...doubt })
  return unparked(desk, told, around, known)
}

/** Ends it here: the next channel takes it over, or it has failed. Whoever opted out is followed to no other channel. */
export function failed(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  outgoing: Outgoing,
  { reason, detail, again }: { reason: string; detail?: string; again: 'later' | 'elsewhere' | 'never' },
): Conversation {
  if (isSignal(outgoing.message)) return conversation
  if (again === 'later' && outgoing.forSend?.isLast === false) {
    toldSend(desk, outgoing, { state: 'failed', reason, detail, again })
    return conversation
  }
  if (again !== 'never' && reason !== 'optedOut') {
    const [channel, ...next] = (outgoing.next ?? []).filter((each) => around.siblings[each] !== undefined)
    if (channel !== undefined) {
      const { next: _tried, ...rest } = outgoing
      const onwards: Outgoing = next.length > 0 ? { ...rest, next } : rest
      desk.keepOutgoing(onwards)
      desk.log({ event: 'message.fallback', data: { messageId: outgoing.id, to: channel, reason } })
      desk.carry(around.siblings[channel]!, channel, onwards)
      return conversation
    }
  }
  return reached(desk, conversation, around, outgoing, { state: 'failed', reason, again, ...(detail && { detail }) })
}

/** News of a message that another channel has taken over. */
export function carriedBack(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  messageId: string,
  news: CarriedNews,
): Conversation {
  const before = desk.outgoing(messageId)
  if (!before) return conversation
  const { attempt, state } = news
  // What only waits there has not been handed over.
  const isOut = state !== 'queued' && state !== 'failed'
  const outgoing: Outgoing = { ...before, attempt, ...(isOut && { sentAt: before.sentAt ?? desk.at }) }
  desk.keepOutgoing(outgoing)
  if (news.state !== 'failed') return reached(desk, conversation, around, outgoing, news)
  const { reason = 'failed', detail } = news
  return failed(desk, conversation, around, outgoing, { reason, detail, again: 'elsewhere' })
}
