/** Inbound: content is read as a keyword first, then as an answer to a question; all other content is a message. */
import { isSignal, tapsOf } from '../amf/index.js'
import type { Inbound, SystemKind, UserContent } from '../channel/inbound.js'
import { carrierChannels } from '../channelnames.js'
import { labelsOf } from '../render/optionlabels.js'
import type { Writable } from '../writable.js'
import { type Answer, agentMessageId, findAnswer, resultOf } from './answers.js'
import type { AgentContext } from './context.js'
import { releaseDeferred } from './deferral.js'
import type { TrafficEntry } from './entry.js'
import { enqueueEvent, systemEvent } from './events.js'
import { defaultTexts, type Keyword, parseKeyword } from './keywords.js'
import { withoutUnanswered } from './loopguard.js'
import { optIn, optOut } from './optout.js'
import { closeQuestion } from './questions.js'
import { enqueueMessage } from './queue.js'
import { applyReceipt } from './receipts.js'
import { currentSession, startSession } from './session.js'
import type { Conversation } from './state.js'
import { notifySend } from './status.js'
import { saveSystemMessage } from './system.js'
import { type ConversationTx, log } from './transaction.js'
import { openWindow } from './windowlifecycle.js'

/** `id` is the provider's id of the item. */
export function applyInbound(
  tx: ConversationTx,
  before: Conversation,
  agent: AgentContext,
  inbound: Inbound,
  id: string,
): Conversation {
  const conversation = inbound.kind === 'receipt' ? before : withoutUnanswered(before)
  switch (inbound.kind) {
    case 'content':
      return applyContent(tx, conversation, agent, inbound.content, id)
    case 'tap':
      return applyTap(tx, conversation, agent, inbound, id)
    case 'system':
      return applySystemEvent(tx, conversation, agent, inbound.system)
    case 'receipt':
      return applyReceipt(tx, conversation, agent, inbound.receipt)
  }
}

/** Any action of the person begins or prolongs a session and opens the window. */
function touchSession(
  tx: ConversationTx,
  before: Conversation,
  agent: AgentContext,
  lastInboundId: string,
): Conversation {
  const isFirst = before.lastInboundAt === undefined && before.session === undefined
  const lastInboundAt = tx.command.at
  const touched = isFirst
    ? Object.assign({}, startConversation(tx, before, agent), { lastInboundAt, lastInboundId })
    : Object.assign({}, before, { session: currentSession(tx, before), lastInboundAt, lastInboundId })
  const updated = markResponded(tx, touched)
  if (before.lastInboundAt === undefined || updated.session?.id !== before.session?.id)
    tx.emit({ kind: 'notifyPeople', event: 'seen' })
  return releaseDeferred(tx, openWindow(tx, updated, agent), agent)
}

/** The person's first action after an opener went out is their response to it. */
function markResponded(tx: ConversationTx, conversation: Conversation): Conversation {
  const outgoing = conversation.opener && tx.stored.message(conversation.opener.messageId)
  if (outgoing?.sentAt === undefined) return conversation
  notifySend(tx, outgoing, { state: 'responded' })
  const { opener, ...rest } = conversation
  return opener?.start ? { ...rest, start: opener.start } : rest
}

function startConversation(tx: ConversationTx, conversation: Conversation, agent: AgentContext): Conversation {
  const started = startSession(tx, conversation)
  return enqueueEvent(tx, started, agent, systemEvent('conversationStarted'))
}

/** Logged at the first words of a session and at the answer to an opener: the agent may be one that only sends. */
const noVoice = { why: 'The agent does not answer: it has no webhook, no written playbook and no enabled fact.' }

function applyContent(
  tx: ConversationTx,
  before: Conversation,
  agent: AgentContext,
  content: UserContent,
  id: string,
): Conversation {
  const conversation = optInByWriting(tx, touchSession(tx, before, agent, id), agent)
  const isFirst = conversation.session?.id !== before.session?.id || conversation.opener !== before.opener
  if (!agent.receivesEvents && isFirst) log(tx, 'framework.failed', noVoice)
  const { text } = content
  const answersKeywords = agent.binding?.compliance !== undefined
  const keywordContext = { answersKeywords, isOptedOut: conversation.optedOutAt !== undefined }
  const keyword = text === undefined ? undefined : parseKeyword(text, conversation.channel, keywordContext)
  recordUserContent(tx, conversation, content, keyword)
  if (keyword) return applyKeyword(tx, conversation, agent, keyword)
  const answer = findAnswer(tx, conversation, agent, content)
  if (!answer) {
    if (conversation.pendingQuestions) log(tx, 'message.unmatched')
    return enqueueEvent(tx, conversation, agent, { type: 'message', message: content })
  }
  const { intentId, via } = answer.result
  log(tx, 'message.matched', { intentId, via })
  return applyAnswer(tx, conversation, agent, answer)
}

function applyAnswer(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  { questionMessage, tap, result }: Answer,
): Conversation {
  return enqueueEvent(tx, closeQuestion(tx, conversation, questionMessage, tap), agent, { type: 'result', result })
}

/** Carrier channels have START for this. On other channels writing opts the person in again. */
function optInByWriting(tx: ConversationTx, conversation: Conversation, agent: AgentContext): Conversation {
  return carrierChannels.includes(conversation.channel) ? conversation : optIn(tx, conversation, agent)
}

function recordUserContent(
  tx: ConversationTx,
  conversation: Conversation,
  content: UserContent,
  keyword?: Keyword,
): void {
  const entry = userEntry(tx, conversation, 'content', content)
  if (keyword) entry.subtype = keyword
  if (content.text !== undefined) entry.text = content.text
  tx.record({ kind: 'traffic', entry })
}

/** The traffic entry of an action of the person. */
function userEntry(
  tx: ConversationTx,
  { session, lastInboundId }: Conversation,
  type: 'content' | 'action',
  raw: TrafficEntry['raw'],
) {
  const sessionId = session?.id ?? ''
  const entry: Writable<TrafficEntry> = { type, origin: 'user', sessionId, messageId: tx.command.mint('inb'), raw }
  if (lastInboundId !== undefined) entry.channelMessageId = lastInboundId
  return entry
}

/** For a channel that does not report the label it showed. */
const unlabelledTapText = 'Tapped a button of an earlier message.'

/**
 * A tap answers the message it belongs to, however old. If that message is no longer stored, the label becomes a text
 * message.
 */
function applyTap(
  tx: ConversationTx,
  before: Conversation,
  agent: AgentContext,
  { messageId, tapIndex, label = '' }: Extract<Inbound, { kind: 'tap' }>,
  id: string,
): Conversation {
  const questionMessage = tx.stored.message(messageId)
  const tap =
    questionMessage && !isSignal(questionMessage.message) ? tapsOf(questionMessage.message)[tapIndex] : undefined
  if (!questionMessage || !tap) {
    return applyContent(tx, before, agent, { text: label.trim() === '' ? unlabelledTapText : label }, id)
  }
  const conversation = touchSession(tx, before, agent, id)
  const shownLabel = labelsOf(questionMessage.message as never, agent.reader)[tapIndex] ?? label
  const { kind } = tap
  if (kind === 'reply') {
    const result = resultOf(questionMessage, tap, shownLabel, { via: 'tap' })
    const entry = { ...userEntry(tx, conversation, 'content', result), subtype: 'result', text: shownLabel }
    tx.record({ kind: 'traffic', entry })
    return applyAnswer(tx, conversation, agent, { questionMessage, tap, result })
  }
  const action = { kind, label: shownLabel, messageId: agentMessageId(questionMessage) }
  const entry = { ...userEntry(tx, conversation, 'action', action), subtype: kind, text: shownLabel }
  tx.record({ kind: 'traffic', entry })
  // The location itself is the answer, and arrives as its own item.
  if (kind === 'shareLocation') return conversation
  return enqueueEvent(tx, conversation, agent, { type: 'action', action: { ...action, kind } })
}

/** Confirmations and help go out whether or not the person opted out. */
function sendSystemMessage(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  text: string,
): Conversation {
  return enqueueMessage(tx, conversation, saveSystemMessage(tx, conversation, agent, text), agent)
}

function applyKeyword(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  keyword: Keyword,
): Conversation {
  const answersKeywords = agent.binding?.compliance !== undefined
  if (keyword === 'help') {
    log(tx, 'consent.help_answered')
    return sendSystemMessage(tx, conversation, agent, defaultTexts.help(agent.brand))
  }
  const changed = keyword === 'stop' ? optOut(tx, conversation, agent) : optIn(tx, conversation, agent)
  if (changed === conversation || !answersKeywords) return changed
  return sendSystemMessage(tx, changed, agent, defaultTexts[keyword](agent.brand))
}

function applySystemEvent(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  kind: Exclude<SystemKind, 'windowChanged'>,
): Conversation {
  switch (kind) {
    case 'conversationStarted':
      return startConversation(tx, conversation, agent)
    case 'optOut':
      return optOut(tx, conversation, agent)
    case 'optIn':
      return optIn(tx, conversation, agent)
    case 'unsubscribed':
      return enqueueEvent(tx, optOut(tx, conversation, agent), agent, systemEvent(kind))
    case 'subscribed':
      return enqueueEvent(tx, optIn(tx, conversation, agent), agent, systemEvent(kind))
    case 'typing':
      return enqueueEvent(tx, conversation, agent, systemEvent(kind))
  }
}
