/** What comes from the person's side: keywords first, then answers, and whatever is neither is a message. */
import { isSignal, tapsOf } from '../amf/index.js'
import { carrierChannels } from '../channel/names.js'
import { having, type Writable } from '../having.js'
import { labelsOf } from '../render/taplabels.js'
import { said } from './accept.js'
import { type Answer, answerIn, knownId, resultOf } from './answers.js'
import type { Around, Desk, TrafficEntry } from './desk.js'
import { systemEvent, tellAgent } from './events.js'
import { releasedByWindow } from './held.js'
import { type Keyword, keywordIn, stockTexts } from './keywords.js'
import { withoutUnanswered } from './loopguard.js'
import { optedIn, optedOut } from './optout.js'
import { closeQuestion } from './questions.js'
import { type Receipt, received, toldSend } from './receipts.js'
import { sessionNow, withNewSession } from './session.js'
import type { Conversation, SystemKind, UserContent } from './state.js'
import { opened } from './windowchange.js'

export type Inbound =
  | { readonly kind: 'content'; readonly content: UserContent }
  /** A tap says which message it belongs to and which of its places; `label` is what the channel showed, if it tells. */
  | { readonly kind: 'tap'; readonly messageId: string; readonly place: number; readonly label?: string }
  | { readonly kind: 'system'; readonly system: Exclude<SystemKind, 'windowChanged'> }
  | { readonly kind: 'receipt'; readonly receipt: Receipt }

/** `id` is what their provider knows it by. */
export function heard(desk: Desk, before: Conversation, around: Around, inbound: Inbound, id: string): Conversation {
  const conversation = inbound.kind === 'receipt' ? before : withoutUnanswered(before)
  switch (inbound.kind) {
    case 'content':
      return heardContent(desk, conversation, around, inbound.content, id)
    case 'tap':
      return heardTap(desk, conversation, around, inbound, id)
    case 'system':
      return heardSystem(desk, conversation, around, inbound.system)
    case 'receipt':
      return received(desk, conversation, around, inbound.receipt)
  }
}

/** Everything that the person does themselves begins or prolongs a session and opens the window. */
function present(desk: Desk, before: Conversation, around: Around, heardId: string): Conversation {
  const isFirst = before.heardAt === undefined && before.session === undefined
  const heardAt = desk.at
  const here = isFirst
    ? having(started(desk, before, around), { heardAt, heardId })
    : having(before, { session: sessionNow(desk, before), heardAt, heardId })
  const begun = answering(desk, here)
  if (before.heardAt === undefined || begun.session?.id !== before.session?.id) desk.tellPeople('seen')
  return releasedByWindow(desk, opened(desk, begun, around), around)
}

/** Whatever the person does first after an opening went out is their answer to it. */
function answering(desk: Desk, conversation: Conversation): Conversation {
  const outgoing = conversation.opening && desk.outgoing(conversation.opening.messageId)
  if (outgoing?.sentAt === undefined) return conversation
  toldSend(desk, outgoing, { state: 'responded' })
  const { opening: _answered, ...rest } = conversation
  return rest
}

function started(desk: Desk, conversation: Conversation, around: Around): Conversation {
  const begun = withNewSession(desk, conversation)
  return tellAgent(desk, begun, around, systemEvent('conversationStarted'))
}

function heardContent(
  desk: Desk,
  before: Conversation,
  around: Around,
  content: UserContent,
  id: string,
): Conversation {
  const conversation = cameBack(desk, present(desk, before, around, id), around)
  const { text } = content
  const isAnswered = around.binding?.compliance !== undefined
  const standing = { isAnswered, isOptedOut: conversation.optedOutAt !== undefined }
  const keyword = text === undefined ? undefined : keywordIn(text, conversation.channel, standing)
  recordContent(desk, conversation, content, keyword)
  if (keyword) return heardKeyword(desk, conversation, around, keyword)
  const answer = answerIn(desk, conversation, around.reader, content)
  if (!answer) {
    if (conversation.asks) desk.log({ event: 'message.unmatched' })
    return tellAgent(desk, conversation, around, { type: 'message', message: content })
  }
  const { intentId, via } = answer.result
  desk.log({ event: 'message.matched', data: { intentId, via } })
  return answered(desk, conversation, around, answer)
}

function answered(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  { asking, tap, result }: Answer,
): Conversation {
  return tellAgent(desk, closeQuestion(desk, conversation, asking, tap), around, { type: 'result', result })
}

/** Carriers have START for it. Elsewhere people come back by writing. */
function cameBack(desk: Desk, conversation: Conversation, around: Around): Conversation {
  return carrierChannels.includes(conversation.channel) ? conversation : optedIn(desk, conversation, around)
}

function recordContent(desk: Desk, conversation: Conversation, content: UserContent, keyword?: Keyword): void {
  const entry = byUser(desk, conversation, 'content', content)
  if (keyword) entry.subtype = keyword
  if (content.text !== undefined) entry.text = content.text
  desk.traffic(entry)
}

/** What is on record of everything that the person does. */
function byUser(desk: Desk, { session, heardId }: Conversation, type: 'content' | 'action', raw: TrafficEntry['raw']) {
  const sessionId = session?.id ?? ''
  const entry: Writable<TrafficEntry> = { type, origin: 'user', sessionId, messageId: desk.mint('inb'), raw }
  if (heardId !== undefined) entry.channelMessageId = heardId
  return entry
}

/** Where the channel does not say what it showed there. */
const unnamedTap = 'Tapped a button of an earlier message.'

/** A tap answers the message it belongs to, however old; one that is not remembered is what its label says. */
function heardTap(
  desk: Desk,
  before: Conversation,
  around: Around,
  { messageId, place, label = '' }: Extract<Inbound, { kind: 'tap' }>,
  id: string,
): Conversation {
  const asking = desk.outgoing(messageId)
  const tap = asking && !isSignal(asking.message) ? tapsOf(asking.message)[place] : undefined
  if (!asking || !tap) {
    return heardContent(desk, before, around, { text: label.trim() === '' ? unnamedTap : label }, id)
  }
  const conversation = present(desk, before, around, id)
  const written = labelsOf(asking.message as never, around.reader)[place] ?? label
  const { kind } = tap
  if (kind === 'reply') {
    const result = resultOf(asking, tap, written, { via: 'tap' })
    desk.traffic(having(byUser(desk, conversation, 'content', result), { subtype: 'result', text: written }))
    return answered(desk, conversation, around, { asking, tap, result })
  }
  const action = { kind, label: written, messageId: knownId(asking) }
  desk.traffic(having(byUser(desk, conversation, 'action', action), { subtype: kind, text: written }))
  // The place itself is the answer, and comes by itself.
  if (kind === 'shareLocation') return conversation
  return tellAgent(desk, conversation, around, { type: 'action', action: { ...action, kind } })
}

function heardKeyword(desk: Desk, conversation: Conversation, around: Around, keyword: Keyword): Conversation {
  const isAnswered = around.binding?.compliance !== undefined
  if (keyword === 'help') {
    desk.log({ event: 'consent.help_answered' })
    return said(desk, conversation, around, stockTexts.help(around.brand))
  }
  const changed = keyword === 'stop' ? optedOut(desk, conversation, around) : optedIn(desk, conversation, around)
  if (changed === conversation || !isAnswered) return changed
  return said(desk, changed, around, stockTexts[keyword](around.brand))
}

function heardSystem(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  kind: Exclude<SystemKind, 'windowChanged'>,
): Conversation {
  switch (kind) {
    case 'conversationStarted':
      return started(desk, conversation, around)
    case 'optOut':
      return optedOut(desk, conversation, around)
    case 'optIn':
      return optedIn(desk, conversation, around)
    case 'unsubscribed':
      return tellAgent(desk, optedOut(desk, conversation, around), around, systemEvent(kind))
    case 'subscribed':
      return tellAgent(desk, optedIn(desk, conversation, around), around, systemEvent(kind))
    case 'typing':
      return tellAgent(desk, conversation, around, systemEvent(kind))
  }
}
