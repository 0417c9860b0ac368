/** The commands of a conversation. Each brings what its process knows of the agent, and decides with the conversation alone. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channel/names.js'
import { withAbilities } from '../../core/conversation/abilities.js'
import { type Accepted, accepted, type Offered } from '../../core/conversation/accept.js'
import type { Around, CarriedNews, Desk, WakeReason } from '../../core/conversation/desk.js'
import { heard, type Inbound } from '../../core/conversation/hear.js'
import { heldTooLong } from '../../core/conversation/held.js'
import { type Opening, type OpeningAnswer, openedFor } from '../../core/conversation/opening.js'
import { optedOut, stillAloft } from '../../core/conversation/optout.js'
import { reject } from '../../core/conversation/refusals.js'
import {
  carriedBack,
  dispatched,
  enqueued,
  type NotHandedOver,
  type Outcome,
  wokenToSend,
} from '../../core/conversation/sending.js'
import type { Conversation, Flight, KnownAs, Outgoing } from '../../core/conversation/state.js'
import { notArrived } from '../../core/conversation/undelivered.js'
import { lookedAt } from '../../core/conversation/windowchange.js'
import { having, type Writable } from '../../core/having.js'
import { conversation as limits } from '../../core/limits.js'
import type { Command, Told, Tx } from '../shard/contract.js'
import { type CallOutcome, callAgain, called } from './calls.js'
import { type Keepers, TxDesk } from './desk.js'
import { type Attend, effectKinds, type Matter } from './effects.js'
import { conversationTable, outgoingTable, seenTable } from './tables.js'
import { type TidyWalk, tidy, tidyLater } from './tidy.js'

/** Whose conversation it is: with this it is begun when it is not known yet. */
export interface Identity {
  readonly asid: string
  readonly agent: AgentPlace
  readonly channel: ChannelName
  readonly address: string
  readonly sandbox?: true
}

export interface HeardItem {
  readonly id: string
  readonly inbound: Inbound
  /** What the person's device can do, where the provider says so with it. */
  readonly abilities?: readonly string[]
}

export interface Hearing {
  readonly who: Identity
  readonly around: Around
  readonly items: readonly HeardItem[]
  /** Another address of the same person. */
  readonly other?: KnownAs
  /** Nobody is known by that other address. */
  readonly isFirst?: true
}

export interface Heard {
  /** How many of them were new. */
  readonly fresh: number
  /** Nothing of it was taken: the person is known by this. */
  readonly knownAs?: KnownAs
  /** Nothing of it was taken: the person is not known by this address, and may be by the other. */
  readonly isUnknown?: true
  /** The other address was not known to be of this person before. It is told, and may be told at once. */
  readonly isAliased?: true
  /** They have opted out, and this is still with the provider. */
  readonly aloft?: Pick<Flight, 'messageId' | 'tried'>
}

export interface ConversationCommands {
  /** What a provider told us of one person; what it told before is passed over. */
  readonly hear: Command<Hearing, Heard>
  /** The person of this address is known by another one, and everything that comes by this goes there. */
  readonly knownAs: Command<{ who: Identity; knownAs: KnownAs }, null>
  /** The person had opted out under another address. */
  readonly optedOut: Command<{ asid: string }, null>
  /** Messages of the agent for a person. Answers one by one, in their order. */
  readonly offer: Command<
    { asid: string; who?: Identity; around: Around; offered: readonly Offered[] },
    readonly Accepted[]
  >
  /** The opening of a send, to somebody who may never have been heard of. */
  readonly open: Command<
    { who: Identity; around: Around; opening: Opening },
    OpeningAnswer | { readonly knownAs: KnownAs }
  >
  readonly dispatched: Command<
    { asid: string; around: Around; messageId: string; tried: number; outcome: Outcome | NotHandedOver },
    null
  >
  readonly woken: Command<{ asid: string; reason: WakeReason | 'call' }, null>
  readonly attend: Command<{ asid: string; around: Around; matter: Matter }, null>
  /** The bulk queue lets a message go. */
  readonly released: Command<{ asid: string; messageId: string }, null>
  /** A message of the same person's conversation on another channel. */
  readonly carry: Command<{ who: Identity; around: Around; outgoing: Outgoing; for: string }, null>
  readonly carried: Command<{ asid: string; messageId: string; news: CarriedNews }, null>
  readonly tidy: Command<{ asid: string; walk?: TidyWalk }, null>
  /** What calling the agent with an event came to. */
  readonly called: Command<{ asid: string; number: number; outcome: CallOutcome }, null>
}

export interface ConversationOptions {
  readonly timeScale: number
  readonly keepers?: Keepers
}

export function conversationCommands({ timeScale, keepers = {} }: ConversationOptions): ConversationCommands {
  /** One decision over the conversation as it is; nothing for one that is not there and has nobody to begin it. */
  function turn<R>(
    tx: Tx,
    told: Told,
    who: Identity | { readonly asid: string },
    decide: (desk: Desk, conversation: Conversation) => { conversation: Conversation; answer: R },
  ): R | undefined {
    const conversation = tx.get(conversationTable, [who.asid]) ?? ('agent' in who ? begun(who, told.at) : undefined)
    if (!conversation) return undefined
    const desk = new TxDesk({ tx, told, conversation, timeScale, commands: () => commands, keepers })
    const { conversation: after, answer } = decide(desk, conversation)
    if (after.isTidy) tidyLater(tx, conversation, told.at, timeScale)
    desk.keep(after.isTidy ? untidy(after) : after)
    return answer
  }

  function changing(
    tx: Tx,
    told: Told,
    who: Identity | { readonly asid: string },
    change: (desk: Desk, conversation: Conversation) => Conversation,
  ): null {
    turn(tx, told, who, (desk, conversation) => ({ conversation: change(desk, conversation), answer: null }))
    return null
  }

  const commands: ConversationCommands = {
    hear: {
      name: 'conversation.hear',
      decide(tx, { who, around, items, other, isFirst }, told) {
        const before = tx.get(conversationTable, [who.asid])
        if (before?.knownAs) return { fresh: 0, knownAs: before.knownAs }
        if (!before && other && !isFirst) return { fresh: 0, isUnknown: true }
        const until = told.at + Math.ceil(limits.seenMs / timeScale)
        const repeated = { messages: 0, receipts: 0 }
        const fresh = items.filter(({ id, inbound }) => {
          // What was put before is read here too, so that an id twice among the items is known the second time.
          const known = tx.get(seenTable, [who.asid, id])
          const isKnown = known !== undefined && known.until > told.at
          if (!isKnown) tx.put(seenTable, [who.asid, id], { until })
          else if (!known.isRepeated) {
            // The log has the first repeat of an item only, so that a provider that goes on repeating writes nothing.
            tx.put(seenTable, [who.asid, id], { ...known, isRepeated: true })
            repeated[inbound.kind === 'receipt' ? 'receipts' : 'messages']++
          }
          return !isKnown
        })
        const conversation =
          fresh.length === 0 && repeated.messages + repeated.receipts === 0
            ? before
            : turn(tx, told, who, (desk, before) => {
                let after = before
                logRepeats(desk, repeated)
                for (const { id, inbound, abilities } of fresh)
                  after = heard(desk, withAbilities(after, abilities), around, inbound, id)
                if (other && other.address !== after.alias) after = aliasedTo(tx, after, other, commands.knownAs)
                return { conversation: after, answer: after }
              })
        const aloft = conversation && stillAloft(conversation, (id) => tx.get(outgoingTable, [who.asid, id]))
        const answer: Writable<Heard> = { fresh: fresh.length }
        if (other && conversation?.alias !== before?.alias) answer.isAliased = true
        if (aloft) answer.aloft = { messageId: aloft.messageId, tried: aloft.tried }
        return answer
      },
    },
    knownAs: {
      name: 'conversation.knownAs',
      isRepeatable: true,
      decide(tx, { who, knownAs }, { at }) {
        const conversation = tx.get(conversationTable, [who.asid]) ?? begun(who, at)
        // Two calls at once may have each begun one of the two: the first in their order is the one that stays.
        if (conversation.alias === knownAs.address && who.asid < knownAs.asid) return null
        // The other conversation already has this opt-out: sending it again would undo an opt-in that came after it.
        if (conversation.knownAs?.asid === knownAs.asid) return null
        tx.put(conversationTable, [who.asid], { ...conversation, knownAs })
        const { optedOutAt } = conversation
        if (optedOutAt !== undefined) tx.tell(knownAs.asid, commands.optedOut, { asid: knownAs.asid })
        return null
      },
    },
    optedOut: {
      name: 'conversation.optedOut',
      isRepeatable: true,
      decide: (tx, { asid }) => attendTo(tx, asid, { kind: 'optedOut' }),
    },
    offer: {
      name: 'conversation.offer',
      decide(tx, { asid, who, around, offered }, told) {
        const answers = turn(tx, told, who ?? { asid }, (desk, conversation) => {
          let changed = conversation
          const answer = offered.map((each) => {
            const taken = accepted(desk, changed, around, each)
            changed = taken.conversation
            return taken.answer
          })
          return { conversation: changed, answer }
        })
        return answers ?? offered.map(() => reject('unknownRecipient'))
      },
    },
    open: {
      name: 'conversation.open',
      decide(tx, { who, around, opening }, told) {
        const knownAs = tx.get(conversationTable, [who.asid])?.knownAs
        if (knownAs) return { knownAs }
        return turn(tx, told, who, (desk, conversation) => openedFor(desk, conversation, around, opening))!
      },
    },
    dispatched: {
      name: 'conversation.dispatched',
      decide: (tx, { asid, around, ...said }, told) =>
        changing(tx, told, { asid }, (desk, conversation) => dispatched(desk, conversation, around, said)),
    },
    woken: {
      name: 'conversation.woken',
      decide(tx, { asid, reason }, told) {
        if (reason === 'send') return changing(tx, told, { asid }, wokenToSend)
        if (reason === 'call') return callAgain(tx, asid)
        return attendTo(tx, asid, { kind: reason })
      },
    },
    attend: {
      name: 'conversation.attend',
      decide: (tx, { asid, around, matter }, told) =>
        changing(tx, told, { asid }, (desk, conversation) => {
          if (matter.kind === 'held') return heldTooLong(desk, conversation, around)
          if (matter.kind === 'window') return lookedAt(desk, conversation, around)
          if (matter.kind === 'undelivered') return notArrived(desk, conversation, around)
          if (matter.kind === 'optedOut') return optedOut(desk, conversation, around)
          return carriedBack(desk, conversation, around, matter.messageId, matter.news)
        }),
    },
    released: {
      name: 'conversation.released',
      decide: (tx, { asid, messageId }, told) =>
        changing(tx, told, { asid }, (desk, conversation) => enqueued(desk, conversation, { id: messageId })),
    },
    carry: {
      name: 'conversation.carry',
      decide(tx, { who, around, outgoing, for: asker }, told) {
        const knownAs = tx.get(conversationTable, [who.asid])?.knownAs
        if (knownAs) {
          tx.tell(knownAs.asid, commands.carry, { who: { ...who, ...knownAs }, around, outgoing, for: asker })
          return null
        }
        return changing(tx, told, who, (desk, conversation) => {
          const { message: given, from, id: messageId } = outgoing
          const { delivery: _roads, id: _callers, ...message } = given as typeof given & { delivery?: unknown }
          const offered: Offered = {
            message,
            from: from === 'reply' ? 'reply' : 'send',
            carriedFor: { asid: asker, messageId },
          }
          const taken = accepted(desk, conversation, around, offered)
          if ('reason' in taken.answer) {
            const attempt = { channel: who.channel, provider: around.binding?.provider ?? '' }
            desk.carried(asker, messageId, { state: 'failed', attempt, ...taken.answer })
          }
          return taken.conversation
        })
      },
    },
    carried: {
      name: 'conversation.carried',
      decide: (tx, { asid, messageId, news }) => attendTo(tx, asid, { kind: 'carried', messageId, news }),
    },
    tidy: {
      name: 'conversation.tidy',
      decide(tx, { asid, walk }, { at }) {
        const conversation = tx.get(conversationTable, [asid])
        if (!conversation) return null
        const { left, next } = tidy(tx, conversation, at, timeScale, walk)
        if (left || next) tidyLater(tx, conversation, at, timeScale, next)
        else tx.put(conversationTable, [asid], { ...conversation, isTidy: true })
        return null
      },
    },
    called: {
      name: 'conversation.called',
      decide: (tx, { asid, number, outcome }, told) =>
        changing(tx, told, { asid }, (desk, conversation) => called(tx, desk, conversation, number, outcome)),
    },
  }
  return commands
}

/** Whatever comes by the other address from here on comes here. */
function aliasedTo(
  tx: Tx,
  conversation: Conversation,
  { asid, address }: KnownAs,
  knownAs: ConversationCommands['knownAs'],
): Conversation {
  const { agent, channel } = conversation
  const who: Identity = { asid, agent, channel, address }
  tx.tell(asid, knownAs, { who, knownAs: { asid: conversation.asid, address: conversation.address } })
  return having(conversation, { alias: address })
}

function logRepeats(
  desk: Desk,
  { messages, receipts }: { readonly messages: number; readonly receipts: number },
): void {
  if (messages > 0) desk.log({ event: 'message.duplicate', data: { count: messages } })
  if (receipts > 0) desk.log({ event: 'receipt.ignored', data: { count: receipts } })
}

function untidy({ isTidy: _before, ...conversation }: Conversation): Conversation {
  return conversation
}

function attendTo(tx: Tx, asid: string, matter: Matter): null {
  const payload: Attend = { asid, matter }
  tx.effect({ kind: effectKinds.attend, payload, destination: asid })
  return null
}

export function begun({ asid, agent, channel, address, sandbox }: Identity, at: number): Conversation {
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
