/**
 * Messages that their sender wants on the next channel when they do not arrive in time. The time is kept for each of them;
 * acting upon it is switched off (`conversation.movesUndelivered`), and until then it is only on record.
 */
import { isSignal } from '../amf/index.js'
import { conversation as limits } from '../limits.js'
import type { Around, Desk } from './desk.js'
import { failed } from './sending.js'
import type { Conversation, Outgoing } from './state.js'

/** Keeps the time of a message that the provider has taken. */
export function awaited(desk: Desk, conversation: Conversation, outgoing: Outgoing): Conversation {
  if (channelsAfter(conversation, outgoing).length === 0) return conversation
  const { awaiting = [] } = conversation
  if (awaiting.length >= limits.awaitedMessages) return conversation
  const until = desk.at + desk.scaled(limits.undeliveredMs)
  if (awaiting.length === 0) desk.wake('undelivered', until)
  return { ...conversation, awaiting: [...awaiting, { messageId: outgoing.id, until }] }
}

export function notArrived(desk: Desk, before: Conversation, around: Around): Conversation {
  const { awaiting = [], ...rest } = before
  const left = awaiting.filter(({ until }) => until > desk.at)
  desk.wake('undelivered', left[0]?.until)
  const conversation: Conversation = left.length > 0 ? { ...rest, awaiting: left } : rest
  return awaiting
    .filter(({ until }) => until <= desk.at)
    .reduce((changed, { messageId }) => moved(desk, changed, around, messageId), conversation)
}

function moved(desk: Desk, conversation: Conversation, around: Around, messageId: string): Conversation {
  const outgoing = desk.outgoing(messageId)
  const { delivered, read, failed: hasFailed } = outgoing?.states ?? {}
  if (!outgoing || (delivered ?? read ?? hasFailed) !== undefined) return conversation
  desk.log({ event: 'message.undelivered', data: { messageId } })
  if (!limits.movesUndelivered) return conversation
  const onwards = { ...outgoing, next: channelsAfter(conversation, outgoing) }
  return failed(desk, conversation, around, onwards, { reason: 'undelivered', again: 'elsewhere' })
}

/** Where it goes when it does not arrive here; nowhere unless its sender wants that. */
function channelsAfter({ channel }: Conversation, { message }: Outgoing): readonly Conversation['channel'][] {
  const { channels = [], fallbackOn = [] } = isSignal(message) ? {} : (message.delivery ?? {})
  return fallbackOn.includes('undelivered') ? channels.slice(channels.indexOf(channel) + 1) : []
}
