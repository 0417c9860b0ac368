/**
 * Pending questions: questions that a person can answer by text, from every message that was handed over and has not
 * failed, until they are answered or too old. A message may ask several, and each is answered on its own.
 */
import { isQuestion, isSignal, type Tap, tapsOf } from '../amf/index.js'
import { conversation as limits } from '../limits/index.js'
import { namesOf } from '../render/optionlabels.js'
import { render } from '../render/render.js'
import type { AgentContext } from './context.js'
import type { Option } from './match.js'
import type { Conversation, OutboundMessageRecord, PendingQuestion } from './state.js'
import type { ConversationTx } from './transaction.js'

/** An option with the message that contains it. */
export interface OpenOption extends Option {
  readonly questionMessage: OutboundMessageRecord
}

/**
 * Opens the questions of a message that begins to go out: the person may answer before the provider has answered the
 * send.
 */
export function addPendingQuestion(
  tx: ConversationTx,
  conversation: Conversation,
  outgoing: OutboundMessageRecord | undefined,
): Conversation {
  if (!outgoing || !isQuestion(outgoing.message)) return conversation
  const { pendingQuestions = [], lastInboundAt } = conversation
  const recent = pendingQuestions.filter(({ messageId, at }) => messageId !== outgoing.id && isRecent(tx, at))
  const question: PendingQuestion = {
    messageId: outgoing.id,
    at: tx.command.at,
    ...(lastInboundAt !== undefined && { turn: lastInboundAt }),
  }
  return { ...conversation, pendingQuestions: [...recent, question].slice(-limits.openQuestions) }
}

/** Closes the questions of a message that has not reached the person. */
export function removePendingQuestion(conversation: Conversation, id: string): Conversation {
  const { pendingQuestions = [] } = conversation
  return pendingQuestions.some(({ messageId }) => messageId === id)
    ? withPendingQuestions(
        conversation,
        pendingQuestions.filter(({ messageId }) => messageId !== id),
      )
    : conversation
}

/** Closes one question, in every message that asked it. */
export function closeQuestion(
  tx: ConversationTx,
  conversation: Conversation,
  { id }: OutboundMessageRecord,
  tap: Tap,
): Conversation {
  const { pendingQuestions = [] } = conversation
  const remaining = pendingQuestions.flatMap((question) => {
    const { messageId, closed = [] } = question
    const message = messageId === id || tap.intentId !== undefined ? tx.stored.message(messageId)?.message : undefined
    const questionIds = !message || isSignal(message) ? [] : tapsOf(message).filter(isAnswerable).map(questionIdOf)
    if (!questionIds.includes(questionIdOf(tap))) return [question]
    const closedNow = [...closed, questionIdOf(tap)]
    return questionIds.every((each) => closedNow.includes(each)) ? [] : [{ ...question, closed: closedNow }]
  })
  return pendingQuestions.length > 0 ? withPendingQuestions(conversation, remaining) : conversation
}

function withPendingQuestions(conversation: Conversation, pendingQuestions: readonly PendingQuestion[]): Conversation {
  if (pendingQuestions.length > 0) return { ...conversation, pendingQuestions }
  const { pendingQuestions: _none, ...rest } = conversation
  return rest
}

/**
 * What can be answered now, newest turn first. Turns are read lazily. A question that was asked again is answered where
 * it was asked last.
 */
export function* openTurns(
  tx: ConversationTx,
  { pendingQuestions = [] }: Conversation,
  agent: AgentContext,
): Iterable<readonly OpenOption[]> {
  const newer = new Set<string>()
  const open = pendingQuestions.filter(({ at }) => isRecent(tx, at))
  for (let last = open.length; last > 0; ) {
    const { turn } = open[last - 1]!
    const options: OpenOption[] = []
    for (; last > 0 && open[last - 1]!.turn === turn; last -= 1) {
      const unanswered = optionsOf(open[last - 1]!, tx, agent).filter(({ tap }) => !newer.has(questionIdOf(tap)))
      options.push(...unanswered)
      for (const { tap } of unanswered) if (tap.intentId !== undefined) newer.add(tap.intentId)
    }
    yield options
  }
}

/** The shown numbers are known once the message is out; before that they are those of a rendering made now. */
function optionsOf(
  { messageId, closed = [] }: PendingQuestion,
  tx: ConversationTx,
  agent: AgentContext,
): readonly OpenOption[] {
  const questionMessage = tx.stored.message(messageId)
  if (!questionMessage || isSignal(questionMessage.message) || hasFailed(questionMessage)) return []
  const { message } = questionMessage
  const numbered = questionMessage.numbered ?? render(message, agent.traits, agent.reader).numbered
  const names = namesOf(message, agent.reader)
  return tapsOf(message).flatMap((tap, tapIndex) => {
    if (!isAnswerable(tap) || closed.includes(questionIdOf(tap))) return []
    const numberIndex = numbered.indexOf(tapIndex)
    const option = { messageId, tapIndex, tap, names: names[tapIndex]!, questionMessage }
    return [numberIndex < 0 ? option : { ...option, number: numberIndex + 1 }]
  })
}

/** A failed message that arrived after all is open again. */
function hasFailed({ states: { failed, delivered, read } }: OutboundMessageRecord): boolean {
  return failed !== undefined && delivered === undefined && read === undefined
}

function isAnswerable({ kind, intent }: Tap): boolean {
  return kind === 'reply' || intent === 'ask.location'
}

/** Chips belong to no intent: those of one message are one question. */
function questionIdOf({ intentId = '' }: Tap): string {
  return intentId
}

function isRecent(tx: ConversationTx, at: number): boolean {
  return tx.command.at - at < tx.command.scaled(limits.questionMs)
}
