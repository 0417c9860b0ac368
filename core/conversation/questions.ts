/**
 * Questions that a person can answer by text: those of every message that was handed over and has not failed, until they
 * are answered or too old. A message may ask several, and each is answered on its own.
 */
import { isAsking, isSignal, type Tap, tapsOf } from '../amf/index.js'
import { conversation as limits } from '../limits.js'
import { render } from '../render/render.js'
import { namesOf } from '../render/taplabels.js'
import type { AgentContext } from './context.js'
import type { Option } from './match.js'
import type { Ask, Conversation, Outgoing } from './state.js'
import type { ConversationTx } from './transaction.js'

/** An option with the message that it stands in. */
export interface OpenOption extends Option {
  readonly asking: Outgoing
}

/** Opens the questions of a message that begins to go out: the person may answer before the provider has answered the send. */
export function openAsk(tx: ConversationTx, conversation: Conversation, outgoing: Outgoing | undefined): Conversation {
  if (!outgoing || !isAsking(outgoing.message)) return conversation
  const { asks = [], heardAt } = conversation
  const earlier = asks.filter(({ messageId, at }) => messageId !== outgoing.id && isRecent(tx, at))
  const ask: Ask = { messageId: outgoing.id, at: tx.command.at, ...(heardAt !== undefined && { turn: heardAt }) }
  return { ...conversation, asks: [...earlier, ask].slice(-limits.openAsks) }
}

/** Closes the questions of a message that has not reached the person. */
export function closeAsk(conversation: Conversation, id: string): Conversation {
  const { asks = [] } = conversation
  return asks.some(({ messageId }) => messageId === id)
    ? withAsks(
        conversation,
        asks.filter(({ messageId }) => messageId !== id),
      )
    : conversation
}

/** One question is answered, in every message that asked it. */
export function closeQuestion(
  tx: ConversationTx,
  conversation: Conversation,
  { id }: Outgoing,
  tap: Tap,
): Conversation {
  const { asks = [] } = conversation
  const left = asks.flatMap((ask) => {
    const { messageId, closed = [] } = ask
    const message = messageId === id || tap.intentId !== undefined ? tx.stored.message(messageId)?.message : undefined
    const asked = !message || isSignal(message) ? [] : tapsOf(message).filter(isAnswerable).map(questionOf)
    if (!asked.includes(questionOf(tap))) return [ask]
    const over = [...closed, questionOf(tap)]
    return asked.every((each) => over.includes(each)) ? [] : [{ ...ask, closed: over }]
  })
  return asks.length > 0 ? withAsks(conversation, left) : conversation
}

function withAsks(conversation: Conversation, asks: readonly Ask[]): Conversation {
  if (asks.length > 0) return { ...conversation, asks }
  const { asks: _none, ...rest } = conversation
  return rest
}

/**
 * What can be answered now, newest turn first. Each turn is read only when it is asked for. A question that was asked
 * again is answered where it was asked last.
 */
export function* openTurns(
  tx: ConversationTx,
  { asks = [] }: Conversation,
  agent: AgentContext,
): Iterable<readonly OpenOption[]> {
  const newer = new Set<string>()
  const open = asks.filter(({ at }) => isRecent(tx, at))
  for (let last = open.length; last > 0; ) {
    const { turn } = open[last - 1]!
    const options: OpenOption[] = []
    for (; last > 0 && open[last - 1]!.turn === turn; last -= 1) {
      const asked = optionsOf(open[last - 1]!, tx, agent).filter(({ tap }) => !newer.has(questionOf(tap)))
      options.push(...asked)
      for (const { tap } of asked) if (tap.intentId !== undefined) newer.add(tap.intentId)
    }
    yield options
  }
}

/** The numbers that were shown are known once the message is out; before that they are what would be shown now. */
function optionsOf({ messageId, closed = [] }: Ask, tx: ConversationTx, agent: AgentContext): readonly OpenOption[] {
  const asking = tx.stored.message(messageId)
  if (!asking || isSignal(asking.message) || isLost(asking)) return []
  const { message } = asking
  const numbered = asking.numbered ?? render(message, agent.traits, agent.reader).numbered
  const names = namesOf(message, agent.reader)
  return tapsOf(message).flatMap((tap, place) => {
    if (!isAnswerable(tap) || closed.includes(questionOf(tap))) return []
    const shown = numbered.indexOf(place)
    const option = { messageId, place, tap, names: names[place]!, asking }
    return [shown < 0 ? option : { ...option, number: shown + 1 }]
  })
}

/** What failed may have arrived after all, and is then open again. */
function isLost({ states: { failed, delivered, read } }: Outgoing): boolean {
  return failed !== undefined && delivered === undefined && read === undefined
}

function isAnswerable({ kind, intent }: Tap): boolean {
  return kind === 'reply' || intent === 'ask.location'
}

/** Chips belong to no intent: those of one message are one question. */
function questionOf({ intentId = '' }: Tap): string {
  return intentId
}

function isRecent(tx: ConversationTx, at: number): boolean {
  return tx.command.at - at < tx.command.scaled(limits.askMs)
}
