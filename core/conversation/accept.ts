/** Taking a message for a person: whether it may be sent at all, on which channels in turn, and what it is known by. */
import type { RuleVerdict } from '../agent/replyrules.js'
import { isAsking, isSignal, type OutboundMessage } from '../amf/index.js'
import type { ChannelName } from '../channel/names.js'
import { conversation as limits } from '../limits.js'
import { render } from '../render/render.js'
import { keepServiceMessage, recordContent } from './content.js'
import type { Around, Desk } from './desk.js'
import { countMessage, detectLoop } from './loopguard.js'
import { reached } from './receipts.js'
import { type Rejection, reject } from './refusals.js'
import { enqueued } from './sending.js'
import { withContent } from './session.js'
import type { Conversation, Outgoing } from './state.js'
import { isOpen } from './window.js'

export interface Offered {
  readonly message: OutboundMessage
  /** An answer to an event, or a send of its own accord. */
  readonly from: 'reply' | 'send'
  readonly isBatch?: true
  /** What the operator's rules said of it, where any of them matched. */
  readonly ruled?: RuleVerdict
  /** The status event that it answers, where it answers one. */
  readonly toStatus?: string
  /** The conversation that this one sends it for. */
  readonly carriedFor?: Outgoing['carriedFor']
  /** It opens for a send, under this id; pieces of it that an earlier try brought out are not sent again. */
  readonly opening?: Pick<Outgoing, 'forSend' | 'providerIds' | 'abilities' | 'rewritten'> & {
    readonly messageId: string
  }
}

export type Accepted = { readonly messageId: string } | Rejection

/** A message under an id that is known already is taken as the same one: nothing more is sent. */
export function accepted(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  offered: Offered,
): { readonly conversation: Conversation; readonly answer: Accepted } {
  const { message } = offered
  const before = message.id === undefined ? undefined : desk.idOfCaller(message.id)
  if (before !== undefined) return { conversation, answer: { messageId: before } }
  if (offered.ruled) logRules(desk, offered.ruled)
  const road = roadOf(desk, conversation, around, offered)
  if ('reason' in road) {
    if (!offered.opening) desk.log({ event: 'message.refused', data: { ...road } })
    return { conversation, answer: road }
  }
  const messageId = offered.opening?.messageId ?? desk.mint('msg')
  if (message.id !== undefined) desk.nameForCaller(message.id, messageId)
  const counted = countMessage(desk, conversation, around, offered)
  const content = isSignal(message) ? counted : withContent(desk, counted)
  const outgoing = newOutgoing(desk, content, around, offered, messageId, road)
  return { conversation: sentOnItsWay(desk, content, around, outgoing, road), answer: { messageId } }
}

interface Road {
  /** The channel that is tried first, and those that follow. */
  readonly first: ChannelName
  readonly next: readonly ChannelName[]
  /** It waits until the window of this channel opens. */
  readonly isHeld?: true
}

function roadOf(desk: Desk, conversation: Conversation, around: Around, offered: Offered): Road | Rejection {
  const { message } = offered
  const { channel } = conversation
  const delivery = isSignal(message) ? {} : (message.delivery ?? {})
  const { channels = [channel], fallbackOn = ['sendFailed'], outsideWindow = 'reject' } = delivery
  const isReachable = (each: ChannelName) =>
    each === channel ? around.binding?.isActive === true : around.siblings[each] !== undefined
  const reachable = [...new Set(channels)].filter(isReachable)
  if (reachable.length === 0) {
    const refusal = unreachable(around, channels.includes(channel))
    if (refusal.reason !== 'bindingNotReady' || !waitsWithItsBinding(offered)) return refusal
    reachable.push(channel)
  }
  if (conversation.optedOutAt !== undefined) return reject('optedOut')
  const { blockedBy, isReplaced, isUnjudged } = offered.ruled ?? {}
  if (blockedBy !== undefined && !isReplaced) {
    const why = isUnjudged ? 'takes too long to judge it: its patterns are too large for this text' : 'blocks it'
    return reject('blockedByRule', `The rule ${blockedBy} ${why}.`)
  }
  const loop = detectLoop(desk, conversation, around, offered)
  if (loop) return loop
  if (conversation.queue.length + conversation.held.length >= limits.queuedMessages) {
    return reject('tooLarge', `${limits.queuedMessages} messages already wait for this person.`)
  }
  const [first, ...rest] = reachable
  const next = fallbackOn.includes('sendFailed') ? rest : []
  if (first !== channel) return { first: first!, next }
  if (isOpen(desk, conversation, around)) return { first, next }
  if (outsideWindow === 'queue') return { first, next, isHeld: true }
  if (outsideWindow === 'nextChannel' && rest.length > 0) return { first: rest[0]!, next: rest.slice(1) }
  return reject('windowClosed')
}

function logRules(desk: Desk, { flaggedBy = [], blockedBy, isReplaced, isUnjudged }: RuleVerdict): void {
  for (const ruleId of flaggedBy) desk.log({ event: 'rule.flagged', data: { ruleId } })
  if (blockedBy !== undefined)
    desk.log({
      event: 'rule.blocked',
      data: { ruleId: blockedBy, isReplaced: isReplaced === true, ...(isUnjudged && { isUnjudged }) },
    })
}

function unreachable({ binding }: Around, isWanted: boolean): Rejection {
  return isWanted && binding && !binding.isActive ? reject('bindingNotReady') : reject('noBinding')
}

/** Nobody can be answered that a reply is refused, so it is taken and waits like what was taken before. */
function waitsWithItsBinding({ message, from, carriedFor }: Offered): boolean {
  return from === 'reply' && !carriedFor && !isSignal(message)
}

function newOutgoing(
  desk: Desk,
  { channel, session }: Conversation,
  { traits, reader, binding }: Around,
  { message, from, isBatch, carriedFor, opening }: Offered,
  id: string,
  { first, next }: Road,
): Outgoing {
  return {
    id,
    message,
    at: desk.at,
    sessionId: session?.id ?? '',
    from,
    states: {},
    ...(isBatch && { isBatch }),
    ...(first === channel &&
      !isSignal(message) &&
      isAsking(message) && { numbered: render(message, traits, reader).numbered }),
    ...(first === channel && { attempt: { channel, provider: binding!.provider } }),
    ...(next.length > 0 && { next }),
    ...(carriedFor && { carriedFor }),
    ...(opening?.forSend && { forSend: opening.forSend }),
    ...(opening?.providerIds && { providerIds: opening.providerIds }),
    ...(opening?.abilities && { abilities: opening.abilities }),
    ...(opening?.rewritten && { rewritten: opening.rewritten }),
  }
}

function sentOnItsWay(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  outgoing: Outgoing,
  { first, isHeld }: Road,
): Conversation {
  desk.keepOutgoing(outgoing)
  if ((outgoing.forSend?.attempt ?? 1) === 1) recordContent(desk, outgoing)
  if (first !== conversation.channel) {
    desk.carry(around.siblings[first]!, first, outgoing)
    return conversation
  }
  if (isHeld) {
    const until = desk.at + desk.scaled(limits.heldMs)
    if (conversation.held.length === 0) desk.wake('held', until)
    const held = { ...conversation, held: [...conversation.held, { messageId: outgoing.id, until }] }
    return reached(desk, held, around, outgoing, { state: 'queued' })
  }
  const perSecond = around.binding?.bulkPerSecond
  if (outgoing.isBatch && perSecond !== undefined) {
    desk.govern(outgoing.id, perSecond)
    return reached(desk, conversation, around, outgoing, { state: 'queued' })
  }
  return enqueued(desk, conversation, outgoing, around)
}

/** What the house itself says, opted out or not: confirmations and help, each of them once. */
export function said(desk: Desk, conversation: Conversation, around: Around, text: string): Conversation {
  return enqueued(desk, conversation, keepServiceMessage(desk, conversation, around, text), around)
}
