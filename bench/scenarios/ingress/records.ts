/** A node's records of one inbound message: one commit, with the same keys and values; a test compares the sizes. */
import type { Conversation } from '../../../core/conversation/state.js'
import type { TrafficRecord } from '../../../runtime/conversation/tables.js'
import { ownerOf } from '../commit/command.js'
import { ofOwner, type RecordKey } from '../store/keys.js'
import { addressOf, messageText, people } from './fixtures.js'

export type RecordWrite = readonly [key: RecordKey, value: object]

const owners = Array.from({ length: people }, (_, person) => ownerOf(person))
const agent = { orgId: 'demo', agentId: 'bench-shop' }
const channel = 'sms' as const

export function recordsOf(sequence: number, at: number, asid = owners[sequence % people]!): readonly RecordWrite[] {
  const person = sequence % people
  const itemId = `SM${String(sequence).padStart(32, '0')}`
  const sessionId = `ses_${String(person).padStart(26, '0')}`
  const content = { text: messageText }
  const session = { id: sessionId, lastAt: at, messageCount: 2, indexedAt: at }
  const conversation: Conversation = {
    asid,
    agent,
    channel,
    address: addressOf(person),
    createdAt: at,
    windowIsOpen: true,
    queue: [],
    deferred: [],
    nextSendAt: 0,
    firstEvent: 0,
    nextEvent: 0,
    nextRecord: sequence + 1,
    lastInboundAt: at,
    lastInboundId: itemId,
    session: { id: sessionId, lastAt: at },
    history: { session, traffic: [at, sequence], last: [at, sequence] },
  }
  const messageId = `inb_${String(sequence).padStart(26, '0')}`
  const received: TrafficRecord = {
    origin: 'user',
    type: 'content',
    sessionId,
    messageId,
    text: messageText,
    raw: content,
    channel,
    channelMessageId: itemId,
    previous: [at, sequence - 1],
  }
  return [
    [ofOwner(asid, 'conversation.seen', itemId), { until: at }],
    [['traffic', agent.orgId, agent.agentId, at, asid, sequence], received],
    [ofOwner(asid, 'conversation'), conversation],
  ]
}
