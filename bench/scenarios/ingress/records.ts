/** A node's records of one inbound message: one commit, with the same keys and values. */
import { ownerOf } from '../commit/command.js'
import { ofOwner, type RecordKey } from '../store/keys.js'
import { addressOf, messageText, people } from './fixtures.js'

export type RecordWrite = readonly [key: RecordKey, value: object]

const owners = Array.from({ length: people }, (_, person) => ownerOf(person))
const agent = { orgId: 'demo', agentId: 'bench-desk' }
const channel = 'sms'

export function recordsOf(serial: number, at: number, asid = owners[serial % people]!): readonly RecordWrite[] {
  const person = serial % people
  const itemId = `SM${String(serial).padStart(32, '0')}`
  const sessionId = `ses_${String(person).padStart(26, '0')}`
  const content = { text: messageText }
  const conversation = {
    asid,
    agent,
    channel,
    address: addressOf(person),
    createdAt: at,
    windowIsOpen: true,
    queue: [],
    held: [],
    nextSendAt: 0,
    firstEvent: 0,
    nextEvent: 0,
    nextRecord: serial,
    lastInboundAt: at,
    lastInboundId: itemId,
    session: { id: sessionId, lastAt: at },
  }
  const messageId = `inb_${String(serial).padStart(26, '0')}`
  return [
    [ofOwner(asid, 'conversation.seen', itemId), { until: at }],
    [
      ['traffic', agent.orgId, agent.agentId, at, asid, serial],
      { origin: 'user', type: 'content', sessionId, messageId, text: messageText, raw: content, channel },
    ],
    [ofOwner(asid, 'conversation'), conversation],
  ]
}
