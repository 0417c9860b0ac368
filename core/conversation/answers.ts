/** The answer that typed text or a shared place is to an open question, with everything else that came along. */
import type { Tap } from '../amf/index.js'
import type { UserContent } from '../channel/inbound.js'
import type { AgentContext } from './context.js'
import { matchReply } from './match.js'
import { isAddress } from './postal.js'
import { type OpenOption, openTurns } from './questions.js'
import type { Conversation, Outgoing, Result } from './state.js'
import type { ConversationTx } from './transaction.js'

export interface Answer {
  readonly asking: Outgoing
  readonly tap: Tap
  readonly result: Result
}

/** Undefined where it is not clearly an answer. */
export function answerIn(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  content: UserContent,
): Answer | undefined {
  if (!conversation.asks) return undefined
  const turns = () => openTurns(tx, conversation, agent)
  const { text, place } = content
  const asked = place ? placeAskedIn(turns()) : undefined
  if (asked) return placed(asked, content, 'location')
  if (text === undefined) return undefined
  const meant = matchReply(text, repliesIn(turns()))
  if (meant) {
    const { asking, tap, names } = meant
    return { asking, tap, result: resultOf(asking, tap, names[0], { via: 'text', ...content }) }
  }
  const wanted = isAddress(text) ? placeAskedIn(turns()) : undefined
  return wanted && placed(wanted, content, 'text')
}

function* repliesIn(turns: Iterable<readonly OpenOption[]>): Iterable<readonly OpenOption[]> {
  for (const options of turns) yield options.filter(({ tap }) => tap.kind === 'reply')
}

/** Of two that were asked for in one turn it could be either. */
function placeAskedIn(turns: Iterable<readonly OpenOption[]>): OpenOption | undefined {
  for (const options of turns) {
    const wanted = options.filter(({ tap }) => tap.intent === 'ask.location')
    if (wanted.length > 0) return wanted.length === 1 ? wanted[0] : undefined
  }
  return undefined
}

function placed({ asking, tap }: OpenOption, content: UserContent, via: 'location' | 'text'): Answer {
  const { intent, intentId = '' } = tap
  return { asking, tap, result: { intent, intentId, optionIds: [], labels: [], via, ...content } }
}

export function resultOf(
  asking: Outgoing,
  { intent, intentId = knownId(asking), optionId }: Tap,
  label: string,
  how: Pick<Result, 'via' | 'text' | 'media' | 'place'>,
): Result {
  return { intent, intentId, optionIds: [optionId], labels: [label], ...how }
}

/** The id under which the agent knows the message: one that another channel took over keeps its first. */
export function knownId({ id, carriedFor }: Outgoing): string {
  return carriedFor?.messageId ?? id
}
