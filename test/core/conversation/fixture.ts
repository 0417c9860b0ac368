/** A conversation in memory: the reducer over its rows, on a clock that tests move. */
import type { OutboundMessage } from '../../../core/amf/index.js'
import type { LogNote } from '../../../core/catalogs/logevents.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import type { Inbound, Receipt } from '../../../core/channel/inbound.js'
import type { ChannelName } from '../../../core/channelnames.js'
import { type AgentContext, factsOf } from '../../../core/conversation/context.js'
import type { DeliveryReport } from '../../../core/conversation/deliveryreport.js'
import {
  type ConversationEffect,
  type ConversationRecord,
  type FailoverUpdate,
  isDelayTimer,
  type TimerName,
} from '../../../core/conversation/effects.js'
import type { TrafficEntry } from '../../../core/conversation/entry.js'
import type { SendOpener } from '../../../core/conversation/opener.js'
import type { OutboundRequest, SendResult } from '../../../core/conversation/outbound.js'
import type { DeliveryOutcome, NotSent } from '../../../core/conversation/outcome.js'
import { type ConversationInput, reduce } from '../../../core/conversation/reduce.js'
import type {
  Conversation,
  ConversationEvent,
  OutboundMessageRecord,
  TypedEvent,
} from '../../../core/conversation/state.js'
import type { StoredMessages } from '../../../core/conversation/transaction.js'
import type { IdentityEvent } from '../../../core/people/person.js'

const start = Date.UTC(2026, 10, 15, 12)

export const minute = 60_000

export interface ChatOptions {
  readonly channel?: ChannelName
  readonly compliance?: { readonly disclaimer?: string }
  readonly minDelayMs?: number
  readonly siblings?: AgentContext['siblings']
  readonly isOwnChannel?: true
  readonly loopGuard?: { readonly messages: number; readonly seconds: number }
  readonly failsOverUndelivered?: boolean
}

export function createChat(options: ChatOptions = {}) {
  const { channel = 'sms', compliance, minDelayMs = 0, siblings = {}, isOwnChannel, loopGuard } = options
  const { failsOverUndelivered = false } = options
  const traits = traitsOf(channel)
  const agent: AgentContext = {
    provider: 'emulator',
    windowHours: traits.windowHours,
    receivesEvents: true,
    siblings,
    binding: {
      isActive: true,
      minDelayMs,
      ...(isOwnChannel && { isOwnChannel }),
      ...(compliance && { compliance }),
      ...(loopGuard && { loopGuard }),
    },
    traits,
    brand: { name: 'Harbor Hotel', contactPhone: '+15550199' },
    reader: { locale: 'en-US', zone: 'America/New_York' },
  }
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
    deferred: [],
    nextSendAt: 0,
    firstEvent: 1,
    nextEvent: 1,
    nextRecord: 1,
  }
  const messages = new Map<string, OutboundMessageRecord>()
  const providerIds = new Map<string, string>()
  const clientIds = new Map<string, { id: string; until: number }>()
  const parked = new Map<string, readonly Receipt[]>()
  const timers = new Map<TimerName, number>()
  const events: ConversationEvent[] = []
  const traffic: TrafficEntry[] = []
  const logs: LogNote[] = []
  const delivered: { messageId: string; attempt: number }[] = []
  const failovers: { to: ChannelName; outgoing: OutboundMessageRecord }[] = []
  const updates: { asid: string; messageId: string; update: FailoverUpdate }[] = []
  const reports: DeliveryReport[] = []
  const peopleEvents: IdentityEvent['kind'][] = []

  const stored: StoredMessages = {
    message: (id) => messages.get(id),
    byProviderId: (id) => providerIds.get(id),
    byClientId: (id) => (clientIds.get(id) && clientIds.get(id)!.until > at ? clientIds.get(id)!.id : undefined),
    sentSince: (since) =>
      [...messages.values()].filter((each) => each.sentAt !== undefined && each.sentAt >= since).reverse(),
    parked: (id) => parked.get(id) ?? [],
  }

  function write(record: ConversationRecord): void {
    if (record.kind === 'message') messages.set(record.message.id, record.message)
    if (record.kind === 'providerId') providerIds.set(record.providerId, record.messageId)
    if (record.kind === 'clientId')
      clientIds.set(record.clientId, { id: record.messageId, until: at + 24 * 60 * minute })
    if (record.kind === 'parked') parked.set(record.providerId, record.receipts)
    if (record.kind === 'event' && record.event) events.push(record.event)
    if (record.kind === 'traffic') traffic.push(record.entry)
    if (record.kind === 'log') logs.push(record.note)
  }

  function applyEffect(effect: ConversationEffect): void {
    if (effect.kind === 'deliver') delivered.push({ messageId: effect.messageId, attempt: effect.attempt })
    if (effect.kind === 'failover') failovers.push({ to: effect.channel, outgoing: messages.get(effect.messageId)! })
    if (effect.kind === 'failoverUpdate') {
      const { asid, messageId, update } = effect
      updates.push({ asid, messageId, update })
    }
    if (effect.kind === 'notifySend') reports.push(effect.report)
    if (effect.kind === 'notifyPeople') peopleEvents.push(effect.event)
    if (effect.kind === 'setTimer') timers.set(effect.timer, effect.at)
    if (effect.kind === 'clearTimer') timers.delete(effect.timer)
  }

  function apply<Input extends ConversationInput>(input: Input) {
    const command = { at, mint: (prefix: string) => `${prefix}_${++ids}`, scaled: (ms: number) => ms }
    const reduction = reduce(conversation, input, { command, stored, failsOverUndelivered })
    for (const record of reduction.records) write(record)
    for (const effect of reduction.effects) applyEffect(effect)
    conversation = reduction.conversation
    return reduction.answer
  }

  let items = 0
  const chat = {
    agent,
    traffic,
    logs,
    delivered,
    failovers,
    updates,
    /** What sends and people were told since the last look. */
    reports: () => reports.splice(0),
    peopleEvents: () => peopleEvents.splice(0),
    timers,
    now: () => at,
    conversation: () => conversation,
    outgoing: (id: string) => messages.get(id),
    /** Events for the agent since the last look. */
    events: () => events.splice(0),
    types: (): TypedEvent[] => chat.events().map(({ event }) => event),
    advance(ms: number) {
      at += ms
    },
    receive(inbound: Inbound) {
      const repeats = { messages: 0, receipts: 0 }
      apply({ kind: 'inbound', agent, items: [{ id: `in_${++items}`, inbound }], repeats })
    },
    receiveText: (text: string) => chat.receive({ kind: 'content', content: { text } }),
    receiveTap: (messageId: string, tapIndex: number, label?: string) =>
      chat.receive({ kind: 'tap', messageId, tapIndex, ...(label !== undefined && { label }) }),
    receipt: (receipt: Receipt) => chat.receive({ kind: 'receipt', receipt }),
    send(
      message: OutboundMessage,
      about: Partial<Omit<OutboundRequest, 'message'>> & { agent?: Partial<AgentContext> } = {},
    ) {
      const { from = 'send', agent: other, ...more } = about
      const request = { message, from, ...more }
      return apply({ kind: 'send', agent: { ...agent, ...other }, requests: [request] })[0]!
    },
    open: (opener: SendOpener) => apply({ kind: 'open', agent, opener }),
    /** The provider answers for the message that it was given last. */
    applyOutcome(outcome: DeliveryOutcome | NotSent, which = delivered.at(-1)!) {
      apply({ kind: 'sendOutcome', agent, ...which, outcome })
    },
    sent(providerId = `p-${delivered.at(-1)!.messageId}`) {
      chat.applyOutcome({ kind: 'sent', providerIds: [providerId] })
    },
    fireTimer(timer: TimerName) {
      timers.delete(timer)
      apply(isDelayTimer(timer) ? { kind: 'timer', timer } : { kind: 'timer', timer, facts: factsOf(agent) })
    },
    failoverUpdate(messageId: string, update: FailoverUpdate) {
      apply({ kind: 'failoverUpdate', facts: factsOf(agent), messageId, update })
    },
  }
  return chat
}

export type Chat = ReturnType<typeof createChat>

export const text = (words: string, more: object = {}): OutboundMessage => ({
  spec: 'amf/1',
  parts: [{ type: 'text', text: words }],
  ...more,
})

export function idOf(answer: SendResult): string {
  if ('reason' in answer) throw new Error(`refused: ${answer.reason}`)
  return answer.messageId
}
