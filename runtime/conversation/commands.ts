/** The commands of a conversation: each loads the conversation, runs the reducer, and commits the result. */

import { isSignal } from '../../core/amf/index.js'
import { type AgentFacts, factsOf } from '../../core/conversation/context.js'
import { isDelayTimer } from '../../core/conversation/effects.js'
import { inFlightAfterOptOut } from '../../core/conversation/optout.js'
import type { OutboundRequest } from '../../core/conversation/outbound.js'
import type { AnswerTo, ConversationInput } from '../../core/conversation/reduce.js'
import { isFinalRejection, reject } from '../../core/conversation/rejections.js'
import { webhookOutcomeOf, withRejection } from '../../core/conversation/replyoutcome.js'
import type {
  CanonicalIdentity,
  Conversation,
  ConversationEvent,
  OutboundMessageRecord,
} from '../../core/conversation/state.js'
import { invalid } from '../../core/errors.js'
import { conversation as limits } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { CommandMeta, Tx } from '../shard/contract.js'
import type { ConversationCommands, Identity, InboundBatch } from './contract.js'
import { type ExpiringTable, expireRows, scheduleExpiry } from './retention.js'
import { conversationTable, eventTable, messageTable, seenTable } from './tables.js'
import { createDecide, type MessageListener, type Subscribers, type TurnCutListener } from './transaction.js'

export interface ConversationOptions {
  readonly timeScale: number
  readonly subscribers?: Subscribers
  readonly listeners?: readonly MessageListener[]
  /** Rows that other modules keep under an asid; they expire with the rows of the conversation. */
  readonly expiring?: readonly ExpiringTable[]
  /** Closes a managed turn that is cut. */
  readonly onTurnCut?: TurnCutListener
}

/**
 * Runs the reducer on one input in the transaction of a command, and writes everything that it returns. Undefined when
 * the conversation does not exist and the input does not begin one.
 */
export type ApplyInput = <Input extends ConversationInput>(
  tx: Tx,
  meta: CommandMeta,
  identity: Identity | { readonly asid: string },
  input: Input,
) => { readonly conversation: Conversation; readonly answer: AnswerTo<Input> } | undefined

export function conversationCommands(options: ConversationOptions): ConversationCommands {
  return createConversation(options).commands
}

/** The commands, and the function with which other commands of the conversation's shard change it. */
export function createConversation(options: ConversationOptions): {
  readonly commands: ConversationCommands
  readonly apply: ApplyInput
} {
  const { timeScale, subscribers = {}, listeners = [], expiring = [], onTurnCut } = options
  const timerCommand = 'conversation.timerFired'

  function apply<Input extends ConversationInput>(
    tx: Tx,
    meta: CommandMeta,
    identity: Identity | { readonly asid: string },
    input: Input,
  ): { readonly conversation: Conversation; readonly answer: AnswerTo<Input> } | undefined {
    const stored = tx.get(conversationTable, [identity.asid])
    const before = stored ?? ('agent' in identity ? newConversation(identity, meta.at) : undefined)
    if (!before) return undefined
    if (!before.nothingToExpire) return decide(tx, meta, before, input)
    const { nothingToExpire: _before, ...rest } = before
    scheduleExpiry(tx, before, meta.at, timeScale)
    return decide(tx, meta, rest, input)
  }

  const commands: ConversationCommands = {
    receiveInbound: {
      name: 'conversation.receiveInbound',
      decide(tx, batch, meta) {
        const { identity, agent, other, isFirst } = batch
        const before = tx.get(conversationTable, [identity.asid])
        if (before?.canonical) return { newCount: 0, canonical: before.canonical }
        if (!before && other && !isFirst) return { newCount: 0, isUnknown: true }
        const { items, repeats } = withoutRepeats(tx, batch, meta, timeScale)
        const hasNewItems = items.length > 0 || repeats.messages + repeats.receipts > 0
        const alias = other && other.address !== before?.alias ? other.address : undefined
        const input = { kind: 'inbound', agent, items, repeats, ...(alias !== undefined && { alias }) } as const
        const conversation = hasNewItems ? apply(tx, meta, identity, input)!.conversation : before
        const isAliased = hasNewItems && alias !== undefined
        if (isAliased) redirect(tx, conversation!, other!, factsOf(agent))
        const messageOf = (id: string) => tx.get(messageTable, [identity.asid, id])
        const inFlight = conversation && inFlightAfterOptOut(conversation, messageOf, meta.at)
        return {
          newCount: items.length,
          ...(isAliased && { isAliased: true as const }),
          ...(inFlight && { inFlight: { messageId: inFlight.messageId, attempt: inFlight.attempt } }),
        }
      },
    },
    mergeInto: {
      name: 'conversation.mergeInto',
      idempotent: true,
      decide(tx, { identity, agent, canonical }, { at }) {
        const conversation = tx.get(conversationTable, [identity.asid]) ?? newConversation(identity, at)
        // Two concurrent calls may each have begun one of the two conversations: the one with the smaller asid stays.
        if (conversation.alias === canonical.address && identity.asid < canonical.asid) return null
        // The other conversation already has this opt-out: sending it again would undo a later opt-in.
        if (conversation.canonical?.asid === canonical.asid) return null
        tx.put(conversationTable, [identity.asid], { ...conversation, canonical })
        const { optedOutAt } = conversation
        if (optedOutAt !== undefined) tx.send(canonical.asid, commands.optOut, { asid: canonical.asid, agent })
        return null
      },
    },
    optOut: {
      name: 'conversation.optOut',
      idempotent: true,
      decide(tx, { asid, agent }, meta) {
        apply(tx, meta, { asid }, { kind: 'optOut', facts: agent })
        return null
      },
    },
    sendMessages: {
      name: 'conversation.sendMessages',
      decide(tx, { asid, identity, agent, requests }, meta) {
        const result = apply(tx, meta, identity ?? { asid }, { kind: 'send', agent, requests })
        return result?.answer ?? requests.map(() => reject('unknownRecipient'))
      },
    },
    openConversation: {
      name: 'conversation.open',
      decide(tx, { identity, agent, opener }, meta) {
        const canonical = tx.get(conversationTable, [identity.asid])?.canonical
        if (canonical) return { canonical }
        return apply(tx, meta, identity, { kind: 'open', agent, opener })!.answer
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
        apply(
          tx,
          meta,
          { asid },
          isDelayTimer(timer) ? { kind: 'timer', timer } : { kind: 'timer', timer, facts: facts! },
        )
        return null
      },
    },
    acceptFailover: {
      name: 'conversation.acceptFailover',
      decide(tx, { identity, agent, outgoing, sender }, meta) {
        const canonical = tx.get(conversationTable, [identity.asid])?.canonical
        if (canonical) {
          tx.send(canonical.asid, commands.acceptFailover, {
            identity: { ...identity, ...canonical },
            agent,
            outgoing,
            sender,
          })
          return null
        }
        apply(tx, meta, identity, { kind: 'takeOver', agent, request: requestOf(outgoing, sender) })
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
        const { hasLiveRows, next } = expireRows(tx, conversation, at, timeScale, expiring, cursor)
        if (hasLiveRows || next) scheduleExpiry(tx, conversation, at, timeScale, next)
        else tx.put(conversationTable, [asid], { ...conversation, nothingToExpire: true })
        return null
      },
    },
    reply: {
      name: 'conversation.reply',
      decide(tx, { asid, number, agent, messages, reply, call }, meta) {
        const event = headEvent(tx, asid, number)
        if (!event) return []
        const requests = messages.map(({ request }) => request)
        const { answer } = apply(tx, meta, { asid }, { kind: 'send', agent, requests })!
        let outcomeOfReply = reply
        for (const [nth, { position, request }] of messages.entries()) {
          const result = answer[nth]!
          if (!('reason' in result) || isSignal(request.message)) continue
          if (!isFinalRejection(result)) return invalid('messages', 'a message of the reply is rejected')
          outcomeOfReply = withRejection(outcomeOfReply, position, result)
        }
        const outcome = { ...webhookOutcomeOf(outcomeOfReply), call }
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
  const decide = createDecide({ timeScale, subscribers, listeners, failoverUpdate, timerCommand, onTurnCut })
  return { commands, apply }

  /** Directs all later input for the other address to this conversation. */
  function redirect(tx: Tx, conversation: Conversation, { asid, address }: CanonicalIdentity, facts: AgentFacts): void {
    const { agent, channel } = conversation
    const identity: Identity = { asid, agent, channel, address }
    const canonical = { asid: conversation.asid, address: conversation.address }
    tx.send(asid, commands.mergeInto, { identity, agent: facts, canonical })
  }
}

/** The event, if it is at the head of the event queue. */
function headEvent(tx: Tx, asid: string, number: number): ConversationEvent | undefined {
  const isHead = tx.get(conversationTable, [asid])?.firstEvent === number
  return isHead ? tx.get(eventTable, [asid, number]) : undefined
}

/** Logs only the first repeat of an item, so a provider that goes on repeating writes nothing. */
function withoutRepeats(tx: Tx, { identity, items: all }: InboundBatch, { at }: CommandMeta, timeScale: number) {
  const until = at + scaledMs(limits.dedupeMs, timeScale)
  const repeats = { messages: 0, receipts: 0 }
  const items = all.filter(({ id, inbound }) => {
    // The transaction also reads rows that this command wrote, so an id that comes twice among the items is a repeat
    // the second time.
    const seen = tx.get(seenTable, [identity.asid, id])
    const isRepeat = seen !== undefined && seen.until > at
    if (!isRepeat) tx.put(seenTable, [identity.asid, id], { until })
    else if (!seen.isRepeated) {
      tx.put(seenTable, [identity.asid, id], { ...seen, isRepeated: true })
      repeats[inbound.kind === 'receipt' ? 'receipts' : 'messages']++
    }
    return !isRepeat
  })
  return { items, repeats }
}

/** The message as the other channel takes it over, without its own channels and the caller's id. */
function requestOf(
  { id: messageId, message: original, media, from }: OutboundMessageRecord,
  { asid, facts }: { readonly asid: string; readonly facts: AgentFacts },
): OutboundRequest {
  const { delivery: _channels, id: _clientId, ...message } = original as typeof original & { delivery?: unknown }
  return {
    message,
    ...(media && { media }),
    from: from === 'reply' ? 'reply' : 'send',
    onBehalfOf: { asid, messageId, facts },
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
    deferred: [],
    nextSendAt: 0,
    firstEvent: 1,
    nextEvent: 1,
    nextRecord: 1,
    nothingToExpire: true,
    ...(sandbox && { sandbox }),
  }
}
