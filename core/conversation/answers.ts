/** Matches typed text or a shared location to an open question; the result carries the rest of the content too. */
import type { Tap } from '../amf/index.js'
import type { UserContent } from '../channel/inbound.js'
import type { AgentContext } from './context.js'
import { matchReply } from './match.js'
import { isPostalAddress } from './postaladdress.js'
import { type OpenOption, openTurns } from './questions.js'
import type { Conversation, OutboundMessageRecord, Result } from './state.js'
import type { ConversationTx } from './transaction.js'

export interface Answer {
  readonly questionMessage: OutboundMessageRecord
  readonly tap: Tap
  readonly result: Result
}

/** The answer that the content gives; undefined unless it clearly is one. */
export function findAnswer(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  content: UserContent,
): Answer | undefined {
  if (!conversation.pendingQuestions) return undefined
  const turns = () => openTurns(tx, conversation, agent)
  const { text, place } = content
  const locationOption = place ? findLocationQuestion(turns()) : undefined
  if (locationOption) return locationAnswer(locationOption, content, 'location')
  if (text === undefined) return undefined
  const matched = matchReply(text, replyOptions(turns()))
  if (matched) {
    const { questionMessage, tap, names } = matched
    return { questionMessage, tap, result: resultOf(questionMessage, tap, names[0], { via: 'text', ...content }) }
  }
  const addressOption = isPostalAddress(text) ? findLocationQuestion(turns()) : undefined
  return addressOption && locationAnswer(addressOption, content, 'text')
}

function* replyOptions(turns: Iterable<readonly OpenOption[]>): Iterable<readonly OpenOption[]> {
  for (const options of turns) yield options.filter(({ tap }) => tap.kind === 'reply')
}

/**
 * The location question of the newest turn that has any; undefined if that turn has two, since the answer could be to
 * either.
 */
function findLocationQuestion(turns: Iterable<readonly OpenOption[]>): OpenOption | undefined {
  for (const options of turns) {
    const locationOptions = options.filter(({ tap }) => tap.intent === 'ask.location')
    if (locationOptions.length > 0) return locationOptions.length === 1 ? locationOptions[0] : undefined
  }
  return undefined
}

function locationAnswer({ questionMessage, tap }: OpenOption, content: UserContent, via: 'location' | 'text'): Answer {
  const { intent, intentId = '' } = tap
  return { questionMessage, tap, result: { intent, intentId, optionIds: [], labels: [], via, ...content } }
}

export function resultOf(
  questionMessage: OutboundMessageRecord,
  { intent, intentId = agentMessageId(questionMessage), optionId }: Tap,
  label: string,
  source: Pick<Result, 'via' | 'text' | 'media' | 'place'>,
): Result {
  return { intent, intentId, optionIds: [optionId], labels: [label], ...source }
}

/** The message id that the agent knows: a message that another channel took over keeps its first id. */
export function agentMessageId({ id, onBehalfOf }: OutboundMessageRecord): string {
  return onBehalfOf?.messageId ?? id
}
