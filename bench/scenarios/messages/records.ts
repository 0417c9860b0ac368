/**
 * A node's records of one message: two commits, the second after the first, with the same keys and values. A test
 * compares the sizes of those that remain.
 */
import type { Conversation, OutboundMessageRecord } from '../../../core/conversation/state.js'
import { type Deliver, effectKinds } from '../../../runtime/conversation/effects.js'
import type { TrafficRecord } from '../../../runtime/conversation/tables.js'
import type { OutboxRow } from '../../../runtime/shard/tables.js'
import { ownerOf } from '../commit/command.js'
import { ofOwner, type RecordKey } from '../store/keys.js'
import { messageText, people } from './fixtures.js'

/** Without a value the record is removed. */
export type RecordWrite = readonly [key: RecordKey, value?: object]

export interface Commits {
  /** The commit that accepts the message; the sender awaits it. */
  readonly accepted: readonly RecordWrite[]
  /** The commit after delivery, which removes the effect. */
  readonly handedOver: readonly RecordWrite[]
}

const owners = Array.from({ length: people }, (_, person) => ownerOf(person))
const agent = { orgId: 'demo', agentId: 'bench-shop' }
const channel = 'sms' as const
const address = '+15550000002'
const attempt = { channel, provider: 'emulator' }
const message = { spec: 'amf/1', parts: [{ type: 'text', text: messageText }] } as const
const idOf = (prefix: string, sequence: number) => `${prefix}_${String(sequence).padStart(26, '0')}`

export function commitsOf(sequence: number, at: number, asid = owners[sequence % owners.length]!): Commits {
  const messageId = idOf('msg', sequence)
  const sessionId = idOf('ses', sequence % owners.length)
  const status = { messageId, state: 'sent', attempt }
  const contentNumber = 2 * sequence
  const statusNumber = contentNumber + 1

  const traffic = (number: number): RecordKey => ['traffic', agent.orgId, agent.agentId, at, asid, number]
  const conversationKey = ofOwner(asid, 'conversation')
  const outgoingKey = ofOwner(asid, 'conversation.messages', messageId)
  const deliveryKey: RecordKey = ['shard.outbox', `${effectKinds.deliver} demo/bench-shop/sms`, sequence, 0]

  const payload: Deliver = { asid, messageId, attempt: 1 }
  const delivery: OutboxRow = {
    kind: effectKinds.deliver,
    payload,
    owner: asid,
    id: `${asid}:${idOf('cmd', sequence)}:0`,
    at,
  }
  const outgoing: OutboundMessageRecord = { id: messageId, message, at, sessionId, from: 'send', states: {}, attempt }
  const session = { id: sessionId, lastAt: at, messageCount: 2, indexedAt: at }
  const conversation: Conversation = {
    asid,
    agent,
    channel,
    address,
    createdAt: at,
    windowIsOpen: false,
    queue: [],
    deferred: [],
    nextSendAt: at,
    firstEvent: sequence,
    nextEvent: sequence,
    nextRecord: statusNumber + 1,
    session: { id: sessionId, lastAt: at },
    lastInboundAt: at,
    lastInboundId: `first-${address}`,
    history: { session, traffic: [at, statusNumber], last: [at, statusNumber] },
    unanswered: { at: [at] },
  }
  const accepted: Conversation = {
    ...conversation,
    inFlight: { messageId, at, attempt: 1 },
    queue: [messageId],
    nextRecord: statusNumber,
    history: { session, traffic: [at, contentNumber], last: [at, contentNumber] },
  }
  const common = { origin: 'agent', sessionId, messageId, channel } as const
  const content: TrafficRecord = { type: 'content', text: messageText, ...common, previous: [at, contentNumber - 1] }
  const sent: TrafficRecord = {
    type: 'status',
    subtype: 'sent',
    raw: status,
    ...common,
    previous: [at, contentNumber],
  }
  return {
    accepted: [
      [outgoingKey, outgoing],
      [traffic(contentNumber), content],
      [conversationKey, accepted],
      [deliveryKey, delivery],
    ],
    handedOver: [
      [outgoingKey, { sentAt: at, providerIds: [`emu-${messageId}.0`], ...outgoing, states: { sent: at } }],
      [ofOwner(asid, 'conversation.providerIds', `emu-${messageId}.0`), { messageId, until: at }],
      [traffic(statusNumber), sent],
      [conversationKey, conversation],
      [deliveryKey],
    ],
  }
}
