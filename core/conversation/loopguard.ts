/**
 * The loop breaker: it refuses messages of an agent that answers itself. Two rules apply to replies and to messages
 * that the agent sends unprompted; neither counts outreach, campaigns, reminders, signals or platform texts:
 *
 * - At most `statusRepliesInRow` events of type `status` in a row are answered. Any action of the person, and any other
 *   message of the agent, ends the row.
 * - At most `messages` messages are accepted within `seconds` since the person's last action.
 *
 * The state is bounded by the limit of the binding and is empty after any action of the person.
 */
import { isSignal, type OutboundMessage } from '../amf/index.js'
import { channelBinding, conversation as limits } from '../limits/index.js'
import type { AgentContext, LoopGuard } from './context.js'
import { type Rejection, reject } from './rejections.js'
import type { Conversation, Unanswered } from './state.js'
import type { ConversationTx } from './transaction.js'

/** The members of an outbound request that the loop breaker reads. */
interface GuardedRequest {
  readonly message: OutboundMessage
  readonly inReplyToStatus?: string
  readonly opener?: unknown
  readonly onBehalfOf?: unknown
}

export function detectLoop(
  tx: Pick<ConversationTx, 'command'>,
  { unanswered }: Conversation,
  agent: AgentContext,
  request: GuardedRequest,
): Rejection | undefined {
  if (!unanswered || !isCounted(request)) return undefined
  const { count = 0, eventId } = unanswered.statuses ?? {}
  const maxReplies = limits.statusRepliesInRow
  if (request.inReplyToStatus !== undefined && request.inReplyToStatus !== eventId && count >= maxReplies) {
    return reject('loopDetected', `The agent answered ${maxReplies} status events in a row.`)
  }
  const guard = guardOf(agent)
  if (recentTimes(tx, unanswered, guard).length < guard.messages) return undefined
  const { messages, seconds } = guard
  return reject('loopDetected', `${messages} messages within ${seconds} s went without anything from this person.`)
}

export function countMessage(
  tx: Pick<ConversationTx, 'command'>,
  conversation: Conversation,
  agent: AgentContext,
  request: GuardedRequest,
): Conversation {
  if (!isCounted(request)) return conversation
  const { unanswered } = conversation
  const at = [...(unanswered ? recentTimes(tx, unanswered, guardOf(agent)) : []), tx.command.at]
  const { inReplyToStatus: eventId } = request
  if (eventId === undefined) return Object.assign({}, conversation, { unanswered: { at } })
  const streak = unanswered?.statuses
  const count = (streak?.count ?? 0) + (streak?.eventId === eventId ? 0 : 1)
  return Object.assign({}, conversation, { unanswered: { at, statuses: { count, eventId } } })
}

/** Clears the count, after an action of the person. */
export function withoutUnanswered(conversation: Conversation): Conversation {
  if (!conversation.unanswered) return conversation
  const { unanswered: _answered, ...rest } = conversation
  return rest
}

function guardOf({ binding }: AgentContext): LoopGuard {
  return binding?.loopGuard ?? channelBinding.loopGuard
}

/** A time that lies ahead was counted before the clock was set back, and no longer counts. */
function recentTimes(
  tx: Pick<ConversationTx, 'command'>,
  { at }: Unanswered,
  { seconds }: LoopGuard,
): readonly number[] {
  const since = tx.command.at - tx.command.scaled(seconds * 1000)
  return at.filter((each) => each > since && each <= tx.command.at)
}

function isCounted({ message, opener, onBehalfOf }: GuardedRequest): boolean {
  return !isSignal(message) && !opener && !onBehalfOf
}
