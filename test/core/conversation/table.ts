/** A conversation on a table: everything it remembers and leaves behind, in memory, on a clock that tests move. */
import type { OutboundMessage } from '../../../core/amf/index.js'
import type { ChannelName } from '../../../core/channel/names.js'
import { traitsOf } from '../../../core/channel/table.js'
import { type Accepted, accepted, type Offered } from '../../../core/conversation/accept.js'
import type { Around, CarriedNews, Desk, LogNote, TrafficEntry, WakeReason } from '../../../core/conversation/desk.js'
import { heard, type Inbound } from '../../../core/conversation/hear.js'
import { heldTooLong } from '../../../core/conversation/held.js'
import { type Opening, openedFor } from '../../../core/conversation/opening.js'
import type { Receipt } from '../../../core/conversation/receipts.js'
import {
  carriedBack,
  dispatched,
  enqueued,
  type NotHandedOver,
  type Outcome,
  wokenToSend,
} from '../../../core/conversation/sending.js'
import type { Conversation, ConversationEvent, Outgoing, TypedEvent } from '../../../core/conversation/state.js'
import { notArrived } from '../../../core/conversation/undelivered.js'
import { lookedAt } from '../../../core/conversation/windowchange.js'
import type { SendNews } from '../../../core/outreach/send.js'
import type { IdentityNews } from '../../../core/people/person.js'

const start = Date.UTC(2026, 10, 15, 12)

export const minute = 60_000

export interface TableOptions {
  readonly channel?: ChannelName
  readonly compliance?: { readonly disclaimer?: string }
  readonly minDelayMs?: number
  readonly siblings?: Around['siblings']
  readonly isOurs?: true
  readonly loopGuard?: { readonly messages: number; readonly seconds: number }
}

/** `outcome` is what the provider says of everything from now on; none: it has not answered yet. */
const bulkPerSecond = 40

export function laid(options: TableOptions = {}) {
  const { channel = 'sms', compliance, minDelayMs = 0, siblings = {}, isOurs, loopGuard } = options
  let at = start
  let ids = 0
  let conversation: Conversation = {
    asid: 'usr_a',
    agent: { orgId: 'demo', agentId: 'desk' },
    channel,
    address: '+15550100',
    createdAt: start,
    windowIsOpen: false,
    queue: [],
    held: [],
    nextSendAt: 0,
    firstEvent: 1,
    nextEvent: 1,
    nextRecord: 1,
  }
  const around: Around = {
    binding: {
      provider: 'emulator',
      isActive: true,
      minDelayMs,
      bulkPerSecond,
      ...(isOurs && { isOurs }),
      ...(compliance && { compliance }),
      ...(loopGuard && { loopGuard }),
    },
    isListening: true,
    traits: traitsOf(channel),
    brand: { name: 'Harbor Hotel', contactPhone: '+15550199' },
    reader: { locale: 'en-US', zone: 'America/New_York' },
    siblings,
  }
  const outgoing = new Map<string, Outgoing>()
  const providerIds = new Map<string, string>()
  const callerIds = new Map<string, { id: string; until: number }>()
  const parked = new Map<string, Receipt[]>()
  const wakes = new Map<WakeReason, number>()
  const events: ConversationEvent[] = []
  const traffic: TrafficEntry[] = []
  const logs: LogNote[] = []
  const delivered: { messageId: string; tried: number }[] = []
  const governed: { messageId: string; perSecond: number }[] = []
  const carried: { to: ChannelName; outgoing: Outgoing }[] = []
  const news: { asid: string; messageId: string; news: CarriedNews }[] = []
  const sendNews: SendNews[] = []
  const peopleNews: IdentityNews['kind'][] = []

  const desk: Desk = {
    get at() {
      return at
    },
    scaled: (ms) => ms,
    mint: (prefix) => `${prefix}_${++ids}`,
    outgoing: (id) => outgoing.get(id),
    idOfProvider: (id) => providerIds.get(id),
    idOfCaller: (id) => (callerIds.get(id) && callerIds.get(id)!.until > at ? callerIds.get(id)!.id : undefined),
    sentSince: (since) =>
      [...outgoing.values()].filter((each) => each.sentAt !== undefined && each.sentAt >= since).reverse(),
    parked: (id) => parked.get(id) ?? [],
    keep: () => {},
    keepOutgoing: (each) => void outgoing.set(each.id, each),
    nameForProvider: (id, messageId) => void providerIds.set(id, messageId),
    nameForCaller: (id, messageId) => void callerIds.set(id, { id: messageId, until: at + 24 * 60 * minute }),
    park: (receipt) => void parked.set(receipt.providerId, [...(parked.get(receipt.providerId) ?? []), receipt]),
    tell: (_number, event) => void events.push(event),
    traffic: (entry) => void traffic.push(entry),
    log: (entry) => void logs.push(entry),
    attempt: () => {},
    deliver: (messageId, tried) => void delivered.push({ messageId, tried }),
    govern: (messageId, perSecond) => void governed.push({ messageId, perSecond }),
    wake: (reason, wakeAt) => void (wakeAt === undefined ? wakes.delete(reason) : wakes.set(reason, wakeAt)),
    carry: (_asid, to, each) => void carried.push({ to, outgoing: each }),
    carried: (asid, messageId, told) => void news.push({ asid, messageId, news: told }),
    tellSend: (told) => void sendNews.push(told),
    tellPeople: (kind) => void peopleNews.push(kind),
  }

  let heardSoFar = 0
  const table = {
    around,
    traffic,
    logs,
    delivered,
    governed,
    carried,
    news,
    /** What sends and people were told since the last look. */
    sendNews: () => sendNews.splice(0),
    peopleNews: () => peopleNews.splice(0),
    wakes,
    now: () => at,
    conversation: () => conversation,
    outgoing: (id: string) => outgoing.get(id),
    /** Events told since the last look. */
    told: () => events.splice(0),
    types: (): TypedEvent[] => table.told().map(({ event }) => event),
    pass(ms: number) {
      at += ms
    },
    hear(inbound: Inbound) {
      conversation = heard(desk, conversation, around, inbound, `in_${++heardSoFar}`)
    },
    says: (text: string) => table.hear({ kind: 'content', content: { text } }),
    taps: (messageId: string, place: number, label?: string) =>
      table.hear({ kind: 'tap', messageId, place, ...(label !== undefined && { label }) }),
    receipt: (receipt: Receipt) => table.hear({ kind: 'receipt', receipt }),
    offer(message: OutboundMessage, about: Partial<Omit<Offered, 'message'>> & { around?: Partial<Around> } = {}) {
      const { from = 'send', around: other, ...more } = about
      const offered = { message, from, ...more }
      const taken = accepted(desk, conversation, { ...around, ...other }, offered)
      conversation = taken.conversation
      return taken.answer
    },
    open(opening: Opening) {
      const taken = openedFor(desk, conversation, around, opening)
      conversation = taken.conversation
      return taken.answer
    },
    /** The provider answers for what it was given last. */
    answers(outcome: Outcome | NotHandedOver, which = delivered.at(-1)!) {
      conversation = dispatched(desk, conversation, around, { ...which, outcome })
    },
    sent(providerId = `p-${delivered.at(-1)!.messageId}`) {
      table.answers({ kind: 'sent', providerIds: [providerId] })
    },
    woken(reason: WakeReason) {
      wakes.delete(reason)
      const decide = {
        send: () => wokenToSend(desk, conversation),
        held: () => heldTooLong(desk, conversation, around),
        undelivered: () => notArrived(desk, conversation, around),
      }
      conversation = reason === 'window' ? lookedAt(desk, conversation, around) : decide[reason]()
    },
    released(id: string) {
      conversation = enqueued(desk, conversation, { id })
    },
    carriedBack(messageId: string, told: CarriedNews) {
      conversation = carriedBack(desk, conversation, around, messageId, told)
    },
  }
  return table
}

export type Table = ReturnType<typeof laid>

export const text = (words: string, more: object = {}): OutboundMessage => ({
  spec: 'amf/1',
  parts: [{ type: 'text', text: words }],
  ...more,
})

export function idOf(answer: Accepted): string {
  if ('reason' in answer) throw new Error(`refused: ${answer.reason}`)
  return answer.messageId
}
