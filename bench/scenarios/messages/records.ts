/** A node's records of one message: two commits, the second after the first, with the same keys and values. */
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
const agent = { orgId: 'demo', agentId: 'bench-desk' }
const channel = 'sms'
const attempt = { channel, provider: 'emulator' }
const message = { spec: 'amf/1', parts: [{ type: 'text', text: messageText }] }
const idOf = (prefix: string, sequence: number) => `${prefix}_${String(sequence).padStart(26, '0')}`

export function commitsOf(sequence: number, at: number, asid = owners[sequence % owners.length]!): Commits {
  const messageId = idOf('msg', sequence)
  const sessionId = idOf('ses', sequence % owners.length)
  const status = { messageId, state: 'sent', attempt }

  const traffic = (number: number): RecordKey => ['traffic', agent.orgId, agent.agentId, at, asid, number]
  const conversationKey = ofOwner(asid, 'conversation')
  const outgoingKey = ofOwner(asid, 'conversation.messages', messageId)
  const deliveryKey: RecordKey = ['shard.outbox', 'conversationDeliver demo/bench-desk/sms', sequence, 0]

  const effectRow = { owner: asid, id: `${asid}:${idOf('cmd', sequence)}:0`, at }
  const outgoing = { id: messageId, message, at, sessionId, from: 'send', states: {}, attempt }
  const conversation = {
    asid,
    agent,
    channel,
    address: '+15550000002',
    createdAt: at,
    windowIsOpen: false,
    queue: [],
    deferred: [],
    nextSendAt: at,
    firstEvent: sequence,
    nextEvent: sequence,
    nextRecord: sequence,
    session: { id: sessionId, lastAt: at },
    lastInboundAt: at,
  }
  const common = { origin: 'agent', sessionId, messageId, channel }
  return {
    accepted: [
      [outgoingKey, outgoing],
      [traffic(sequence), { type: 'content', text: messageText, ...common }],
      [conversationKey, { inFlight: { messageId, at, attempt: 1 }, ...conversation, queue: [messageId] }],
      [deliveryKey, { kind: 'conversationDeliver', payload: { asid, messageId, attempt: 1 }, ...effectRow }],
    ],
    handedOver: [
      [outgoingKey, { sentAt: at, providerIds: [`emu-${messageId}.0`], ...outgoing, states: { sent: at } }],
      [ofOwner(asid, 'conversation.providerIds', `emu-${messageId}.0`), { messageId, until: at }],
      [traffic(sequence + 0.5), { type: 'status', subtype: 'sent', raw: status, ...common }],
      [conversationKey, conversation],
      [deliveryKey],
    ],
  }
}
