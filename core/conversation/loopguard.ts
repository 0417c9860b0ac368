/**
 * The loop breaker: it refuses messages of an agent that answers itself. Two rules hold for replies and for messages that
 * the agent sends of its own accord, and neither counts outreach, campaigns, reminders, signals or platform texts:
 *
 * - At most `statusRepliesInRow` events of type `status` in a row are answered. Whatever the person does, and any other
 *   message of the agent, ends the row.
 * - At most `messages` messages are taken within `seconds` since the person last did something.
 *
 * The state is bounded by the limit of the binding and is empty as soon as the person does something.
 */
import { isSignal } from '../amf/index.js'
import { having } from '../having.js'
import { channelBinding, conversation as limits } from '../limits.js'
import type { Offered } from './accept.js'
import type { Around, Desk } from './desk.js'
import { type Rejection, reject } from './refusals.js'
import type { Conversation } from './state.js'

export interface LoopGuard {
  readonly messages: number
  readonly seconds: number
}

/** Messages of the agent since the person last did something. */
export interface Unanswered {
  /** When those within the guard's time were taken, oldest first. */
  readonly at: readonly number[]
  /** How many status events in a row were answered, and the newest of them. */
  readonly statuses?: { readonly count: number; readonly eventId: string }
}

type Judged = Pick<Offered, 'message' | 'toStatus' | 'opening' | 'carriedFor'>

export function detectLoop(
  desk: Pick<Desk, 'at' | 'scaled'>,
  { unanswered }: Conversation,
  around: Around,
  offered: Judged,
): Rejection | undefined {
  if (!unanswered || !isCounted(offered)) return undefined
  const { count = 0, eventId } = unanswered.statuses ?? {}
  const most = limits.statusRepliesInRow
  if (offered.toStatus !== undefined && offered.toStatus !== eventId && count >= most) {
    return reject('loopDetected', `The agent answered ${most} status events in a row.`)
  }
  const guard = guardOf(around)
  if (recentOf(desk, unanswered, guard).length < guard.messages) return undefined
  const { messages, seconds } = guard
  return reject('loopDetected', `${messages} messages within ${seconds} s went without anything from this person.`)
}

export function countMessage(
  desk: Pick<Desk, 'at' | 'scaled'>,
  conversation: Conversation,
  around: Around,
  offered: Judged,
): Conversation {
  if (!isCounted(offered)) return conversation
  const { unanswered } = conversation
  const at = [...(unanswered ? recentOf(desk, unanswered, guardOf(around)) : []), desk.at]
  const { toStatus: eventId } = offered
  if (eventId === undefined) return having(conversation, { unanswered: { at } })
  const row = unanswered?.statuses
  const count = (row?.count ?? 0) + (row?.eventId === eventId ? 0 : 1)
  return having(conversation, { unanswered: { at, statuses: { count, eventId } } })
}

/** The person did something. */
export function withoutUnanswered(conversation: Conversation): Conversation {
  if (!conversation.unanswered) return conversation
  const { unanswered: _answered, ...rest } = conversation
  return rest
}

function guardOf({ binding }: Around): LoopGuard {
  return binding?.loopGuard ?? channelBinding.loopGuard
}

/** A message whose time lies ahead was counted before the clock was set back, and counts no more. */
function recentOf(desk: Pick<Desk, 'at' | 'scaled'>, { at }: Unanswered, { seconds }: LoopGuard): readonly number[] {
  const since = desk.at - desk.scaled(seconds * 1000)
  return at.filter((each) => each > since && each <= desk.at)
}

function isCounted({ message, opening, carriedFor }: Judged): boolean {
  return !isSignal(message) && !opening && !carriedFor
}
