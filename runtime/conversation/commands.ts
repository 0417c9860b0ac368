/** The commands of a conversation: each finds the conversation, has the reducer decide, and commits what follows. */
import { isSignal } from '../../core/amf/index.js'
import { type AgentFacts, factsOf } from '../../core/conversation/context.js'
import { inFlightAfterOptOut } from '../../core/conversation/optout.js'
import type { OutboundRequest } from '../../core/conversation/outbound.js'
import type { AnswerTo, ConversationInput } from '../../core/conversation/reduce.js'
import { reject } from '../../core/conversation/rejections.js'
import { webhookOutcomeOf, withRejection } from '../../core/conversation/replyoutcome.js'
import type { Conversation, ConversationEvent, KnownAs, Outgoing } from '../../core/conversation/state.js'
import { conversation as limits } from '../../core/limits.js'
import type { Told, Tx } from '../shard/contract.js'
import type { ConversationCommands, Identity, InboundBatch } from './contract.js'
import { type ExpiringTable, expireRows, scheduleExpiry } from './retention.js'
import { conversationTable, eventTable, outgoingTable, seenTable } from './tables.js'
import { createDecide, type MessageListener, type Subscribers } from './transaction.js'

export interface ConversationOptions {
  readonly timeScale: number
  readonly subscribers?: Subscribers
  readonly listeners?: readonly MessageListener[]
  /** Rows that others keep under an asid, and that expire with those of the conversation. */
  readonly expiring?: readonly ExpiringTable[]
}

export function conversationCommands(options: ConversationOptions): ConversationCommands {
  const { timeScale, subscribers = {}, listeners = [], expiring = [] } = options
  const timerCommand = 'conversation.timerFired'

  /** Decides on one input; on nothing when the conversation does not exist and is not begun by it. */
  function apply<Input extends ConversationInput>(
    tx: Tx,
    meta: Told,
    who: Identity | { readonly asid: string },
    input: Input,
  ): { readonly conversation: Conversation; readonly answer: AnswerTo<Input> } | undefined {
    const stored = tx.get(conversationTable, [who.asid])
    const before = stored ?? ('agent' in who ? newConversation(who, meta.at) : undefined)
    if (!before) return undefined
    if (!before.isTidy) return decide(tx, meta, before, input)
    const { isTidy: _before, ...rest } = before
    scheduleExpiry(tx, before, meta.at, timeScale)
    return decide(tx, meta, rest, input)
  }

  const commands: ConversationCommands = {
    receiveInbound: {
      name: 'conversation.receiveInbound',
      decide(tx, batch, meta) {
        const { who, agent, other, isFirst } = batch
        const before = tx.get(conversationTable, [who.asid])
        if (before?.knownAs) return { fresh: 0, knownAs: before.knownAs }
        if (!before && other && !isFirst) return { fresh: 0, isUnknown: true }
        const { items, repeats } = withoutRepeats(tx, batch, meta, timeScale)
        const isNews = items.length > 0 || repeats.messages + repeats.receipts > 0
        const alias = other && other.address !== before?.alias ? other.address : undefined
        const input = { kind: 'inbound', agent, items, repeats, ...(alias !== undefined && { alias }) } as const
        const conversation = isNews ? apply(tx, meta, who, input)!.conversation : before
        const isAliased = isNews && alias !== undefined
        if (isAliased) redirect(tx, conversation!, other!, factsOf(agent))
        const messageOf = (id: string) => tx.get(outgoingTable, [who.asid, id])
        const flight = conversation && inFlightAfterOptOut(conversation, messageOf, meta.at)
        return {
          fresh: items.length,
          ...(isAliased && { isAliased: true as const }),
          ...(flight && { inFlight: { messageId: flight.messageId, tried: flight.tried } }),
        }
      },
    },
    mergeInto: {
      name: 'conversation.mergeInto',
      isRepeatable: true,
      decide(tx, { who, agent, knownAs }, { at }) {
        const conversation = tx.get(conversationTable, [who.asid]) ?? newConversation(who, at)
        // Two calls at once may have each begun one of the two: the first in their order is the one that stays.
        if (conversation.alias === knownAs.address && who.asid < knownAs.asid) return null
        // The other conversation already has this opt-out: sending it again would undo an opt-in that came after it.
        if (conversation.knownAs?.asid === knownAs.asid) return null
        tx.put(conversationTable, [who.asid], { ...conversation, knownAs })
        const { optedOutAt } = conversation
        if (optedOutAt !== undefined) tx.tell(knownAs.asid, commands.optOut, { asid: knownAs.asid, agent })
        return null
      },
    },
    optOut: {
      name: 'conversation.optOut',
      isRepeatable: true,
      decide(tx, { asid, agent }, meta) {
        apply(tx, meta, { asid }, { kind: 'optOut', facts: agent })
        return null
      },
    },
    sendMessages: {
      name: 'conversation.sendMessages',
      decide(tx, { asid, who, agent, requests }, meta) {
        const decided = apply(tx, meta, who ?? { asid }, { kind: 'send', agent, requests })
        return decided?.answer ?? requests.map(() => reject('unknownRecipient'))
      },
    },
    openConversation: {
      name: 'conversation.open',
      decide(tx, { who, agent, opening }, meta) {
        const knownAs = tx.get(conversationTable, [who.asid])?.knownAs
        if (knownAs) return { knownAs }
        return apply(tx, meta, who, { kind: 'open', agent, opening })!.answer
      },
    },
    sendOutcome: {
      name: 'conversation.sendOutcome',
      decide(tx, { asid, ...outcome }, meta) {
        apply(tx, meta, { asid }, { kind: 'sendOutcome', ...outcome })
        return null
      },
    },
    timerFired: {
      name: timerCommand,
      decide(tx, { asid, timer, facts }, meta) {
        const isFree = timer === 'send' || timer === 'paced' || timer === 'call'
        apply(tx, meta, { asid }, isFree ? { kind: 'timer', timer } : { kind: 'timer', timer, facts: facts! })
        return null
      },
    },
    takeOver: {
      name: 'conversation.takeOver',
      decide(tx, { who, agent, outgoing, sender }, meta) {
        const knownAs = tx.get(conversationTable, [who.asid])?.knownAs
        if (knownAs) {
          tx.tell(knownAs.asid, commands.takeOver, { who: { ...who, ...knownAs }, agent, outgoing, sender })
          return null
        }
        apply(tx, meta, who, { kind: 'takeOver', agent, request: requestOf(outgoing, sender) })
        return null
      },
    },
    failoverUpdate: {
      name: 'conversation.failoverUpdate',
      decide(tx, { asid, ...update }, meta) {
        apply(tx, meta, { asid }, { kind: 'failoverUpdate', ...update })
        return null
      },
    },
    expireRows: {
      name: 'conversation.expireRows',
      decide(tx, { asid, cursor }, { at }) {
        const conversation = tx.get(conversationTable, [asid])
        if (!conversation) return null
        const { left, next } = expireRows(tx, conversation, at, timeScale, expiring, cursor)
        if (left || next) scheduleExpiry(tx, conversation, at, timeScale, next)
        else tx.put(conversationTable, [asid], { ...conversation, isTidy: true })
        return null
      },
    },
    reply: {
      name: 'conversation.reply',
      decide(tx, { asid, number, agent, requests: numbered, reply, called }, meta) {
        const event = headEvent(tx, asid, number)
        if (!event) return []
        const requests = numbered.map(({ request }) => request)
        const { answer } = apply(tx, meta, { asid }, { kind: 'send', agent, requests })!
        const after = numbered.reduce((outcome, { position, request }, nth) => {
          const result = answer[nth]!
          return 'reason' in result && !isSignal(request.message) ? withRejection(outcome, position, result) : outcome
        }, reply)
        const outcome = { ...webhookOutcomeOf(after), ...(called && { called }) }
        apply(tx, meta, { asid }, { kind: 'webhookOutcome', event, outcome })
        return answer
      },
    },
    webhookOutcome: {
      name: 'conversation.webhookOutcome',
      decide(tx, { asid, number, outcome }, meta) {
        const event = headEvent(tx, asid, number)
        if (event) apply(tx, meta, { asid }, { kind: 'webhookOutcome', event, outcome })
        return null
      },
    },
  }
  const { failoverUpdate } = commands
  const decide = createDecide({ timeScale, subscribers, listeners, failoverUpdate, timerCommand })
  return commands

  /** From here on everything for the other address goes to this conversation. */
  function redirect(tx: Tx, conversation: Conversation, { asid, address }: KnownAs, facts: AgentFacts): void {
    const { agent, channel } = conversation
    const who: Identity = { asid, agent, channel, address }
    const knownAs = { asid: conversation.asid, address: conversation.address }
    tx.tell(asid, commands.mergeInto, { who, agent: facts, knownAs })
  }
}

/** The event, while it is the next one that the agent is told of. */
function headEvent(tx: Tx, asid: string, number: number): ConversationEvent | undefined {
  const isHead = tx.get(conversationTable, [asid])?.firstEvent === number
  return isHead ? tx.get(eventTable, [asid, number]) : undefined
}

/** The log has the first repeat of an item only, so that a provider that goes on repeating writes nothing. */
function withoutRepeats(tx: Tx, { who, items: all }: InboundBatch, { at }: Told, timeScale: number) {
  const until = at + Math.ceil(limits.seenMs / timeScale)
  const repeats = { messages: 0, receipts: 0 }
  const items = all.filter(({ id, inbound }) => {
    // The rows of this command are read here too, so that an id twice among the items is a repeat the second time.
    const seen = tx.get(seenTable, [who.asid, id])
    const isKnown = seen !== undefined && seen.until > at
    if (!isKnown) tx.put(seenTable, [who.asid, id], { until })
    else if (!seen.isRepeated) {
      tx.put(seenTable, [who.asid, id], { ...seen, isRepeated: true })
      repeats[inbound.kind === 'receipt' ? 'receipts' : 'messages']++
    }
    return !isKnown
  })
  return { items, repeats }
}

/** The message as the other channel takes it over: its own channels and its caller's id stay behind. */
function requestOf(
  { id: messageId, message: given, media, from }: Outgoing,
  { asid, facts }: { readonly asid: string; readonly facts: AgentFacts },
): OutboundRequest {
  const { delivery: _channels, id: _clientId, ...message } = given as typeof given & { delivery?: unknown }
  return {
    message,
    ...(media && { media }),
    from: from === 'reply' ? 'reply' : 'send',
    carriedFor: { asid, messageId, facts },
  }
}

export function newConversation({ asid, agent, channel, address, sandbox }: Identity, at: number): Conversation {
  return {
    asid,
    agent,
    channel,
    address,
    createdAt: at,
    windowIsOpen: false,
    queue: [],
    held: [],
    nextSendAt: 0,
    firstEvent: 1,
    nextEvent: 1,
    nextRecord: 1,
    isTidy: true,
    ...(sandbox && { sandbox }),
  }
}
