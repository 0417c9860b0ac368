/** Outbound: accepts a message for a person, and plans the channels that it goes out on. */

import { isSignal, type OutboundMessage } from '../amf/index.js'
import type { ChannelName } from '../channelnames.js'
import { conversation as limits } from '../limits/index.js'
import type { MediaFiles } from '../render/hostedmedia.js'
import { enqueuePaced } from './bulkqueue.js'
import { type AgentContext, factsOf } from './context.js'
import { countMessage, detectLoop } from './loopguard.js'
import { isWindowOpen } from './messagingwindow.js'
import { type Rejection, reject } from './rejections.js'
import type { RuleVerdict } from './ruleverdict.js'
import { extendSession } from './session.js'
import type { Conversation, OutboundMessageRecord } from './state.js'
import { advanceState } from './status.js'
import { recordContent } from './system.js'
import { type ConversationTx, log, saveMessage } from './transaction.js'

export interface OutboundRequest {
  readonly message: OutboundMessage
  /** Its files, if it has any. */
  readonly media?: MediaFiles
  /** An answer to an event, or a message that the agent sends unprompted. */
  readonly from: 'reply' | 'send'
  readonly isBatch?: true
  /** When the send budget lets it leave; absent: at once. */
  readonly leaveAt?: number
  /** The verdict of the operator's rules, if any of them matched. */
  readonly ruleVerdict?: RuleVerdict
  /** The status event that it answers, if it answers one. */
  readonly inReplyToStatus?: string
  /** The conversation that this one sends it for. */
  readonly onBehalfOf?: OutboundMessageRecord['onBehalfOf']
  /** The message opens for a send, under this id; pieces that an earlier attempt delivered are not sent again. */
  readonly opener?: Pick<OutboundMessageRecord, 'sendRef' | 'providerIds' | 'deviceCapabilities' | 'rewriteCount'> & {
    readonly messageId: string
  }
}

export type SendResult = { readonly messageId: string } | Rejection

/** Idempotent per message id: a known id returns the message that was accepted under it, and sends nothing. */
export function acceptMessage(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  request: OutboundRequest,
): { readonly conversation: Conversation; readonly answer: SendResult } {
  const { message } = request
  const before = message.id === undefined ? undefined : tx.stored.byClientId(message.id)
  if (before !== undefined) return { conversation, answer: { messageId: before } }
  if (request.ruleVerdict) logRules(tx, request.ruleVerdict)
  const route = planRoute(tx, conversation, agent, request)
  if ('reason' in route) {
    if (!request.opener) log(tx, 'message.refused', { ...route })
    return { conversation, answer: route }
  }
  const messageId = request.opener?.messageId ?? tx.command.mint('msg')
  if (message.id !== undefined) tx.record({ kind: 'clientId', clientId: message.id, messageId })
  const counted = countMessage(tx, conversation, agent, request)
  const content = isSignal(message) ? counted : extendSession(tx, counted)
  const outgoing = createMessageRecord(tx, content, agent, request, messageId, route)
  return { conversation: dispatchOn(tx, content, agent, outgoing, route), answer: { messageId } }
}

interface Route {
  /** The channel that is tried first; `next` are those that follow. */
  readonly first: ChannelName
  readonly next: readonly ChannelName[]
  /** The message waits until the window of this channel opens. */
  readonly isDeferred?: true
}

function planRoute(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  request: OutboundRequest,
): Route | Rejection {
  const { message } = request
  const { channel } = conversation
  const delivery = isSignal(message) ? {} : (message.delivery ?? {})
  const { channels = [channel], fallbackOn = ['sendFailed'], outsideWindow = 'reject' } = delivery
  const isReachable = (each: ChannelName) =>
    each === channel ? agent.binding?.isActive === true : agent.siblings[each] !== undefined
  const reachable = [...new Set(channels)].filter(isReachable)
  if (reachable.length === 0) {
    const refusal = unreachable(agent, channels.includes(channel))
    if (refusal.reason !== 'bindingNotReady' || !mayWaitForBinding(request)) return refusal
    reachable.push(channel)
  }
  if (conversation.optedOutAt !== undefined) return reject('optedOut')
  const { blockedBy, isReplaced, isInconclusive } = request.ruleVerdict ?? {}
  if (blockedBy !== undefined && !isReplaced) {
    const why = isInconclusive ? 'takes too long to judge it: its patterns are too large for this text' : 'blocks it'
    return reject('blockedByRule', `The rule ${blockedBy} ${why}.`)
  }
  const loopRejection = detectLoop(tx, conversation, agent, request)
  if (loopRejection) return loopRejection
  const { queue, deferred, paced = [] } = conversation
  if (queue.length + deferred.length + paced.length >= limits.queuedMessages) {
    return reject('tooLarge', `${limits.queuedMessages} messages already wait for this person.`)
  }
  const [first, ...rest] = reachable
  const next = fallbackOn.includes('sendFailed') ? rest : []
  if (first !== channel) return { first: first!, next }
  if (isWindowOpen(tx, conversation, agent)) return { first, next }
  if (outsideWindow === 'queue') return { first, next, isDeferred: true }
  if (outsideWindow === 'nextChannel' && rest.length > 0) return { first: rest[0]!, next: rest.slice(1) }
  return reject('windowClosed')
}

function logRules(
  tx: ConversationTx,
  { flaggedBy = [], blockedBy, isReplaced, isInconclusive: isUnjudged }: RuleVerdict,
): void {
  for (const ruleId of flaggedBy) log(tx, 'rule.flagged', { ruleId })
  if (blockedBy === undefined) return
  log(tx, 'rule.blocked', { ruleId: blockedBy, isReplaced: isReplaced === true, ...(isUnjudged && { isUnjudged }) })
}

function unreachable({ binding }: AgentContext, isRequested: boolean): Rejection {
  return isRequested && binding && !binding.isActive ? reject('bindingNotReady') : reject('noBinding')
}

/** A refused reply has no caller to answer, so it is accepted and waits like earlier messages. */
function mayWaitForBinding({ message, from, onBehalfOf }: OutboundRequest): boolean {
  return from === 'reply' && !onBehalfOf && !isSignal(message)
}

function createMessageRecord(
  tx: ConversationTx,
  { channel, session }: Conversation,
  { provider }: AgentContext,
  { message, media, from, isBatch, leaveAt, onBehalfOf, opener }: OutboundRequest,
  id: string,
  { first, next }: Route,
): OutboundMessageRecord {
  return {
    id,
    message,
    at: tx.command.at,
    sessionId: session?.id ?? '',
    from,
    states: {},
    ...(media && { media }),
    ...(isBatch && { isBatch }),
    ...(leaveAt !== undefined && { leaveAt }),
    ...(first === channel && { attempt: { channel, provider } }),
    ...(next.length > 0 && { next }),
    ...(onBehalfOf && { onBehalfOf }),
    ...(opener?.sendRef && { sendRef: opener.sendRef }),
    ...(opener?.providerIds && { providerIds: opener.providerIds }),
    ...(opener?.deviceCapabilities && { deviceCapabilities: opener.deviceCapabilities }),
    ...(opener?.rewriteCount && { rewriteCount: opener.rewriteCount }),
  }
}

function dispatchOn(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  outgoing: OutboundMessageRecord,
  { first, isDeferred }: Route,
): Conversation {
  saveMessage(tx, outgoing)
  if ((outgoing.sendRef?.attempt ?? 1) === 1) recordContent(tx, outgoing)
  if (first !== conversation.channel) {
    const facts = factsOf(agent)
    tx.emit({ kind: 'failover', asid: agent.siblings[first]!, channel: first, messageId: outgoing.id, facts })
    return conversation
  }
  if (isDeferred) {
    const until = tx.command.at + tx.command.scaled(limits.deferredMs)
    if (conversation.deferred.length === 0)
      tx.emit({ kind: 'setTimer', timer: 'deferred', at: until, facts: factsOf(agent) })
    const deferred = { ...conversation, deferred: [...conversation.deferred, { messageId: outgoing.id, until }] }
    return advanceState(tx, deferred, agent, outgoing, { state: 'queued' })
  }
  return enqueuePaced(tx, conversation, agent, outgoing)
}
