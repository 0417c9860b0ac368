/**
 * A node's records of one turn: three commits, each after the one before, with the same keys and values. A test
 * compares the sizes of those that remain.
 */
import type { Conversation, ConversationEvent, OutboundMessageRecord } from '../../../core/conversation/state.js'
import type { Play } from '../../../core/turn/play.js'
import { turnIdOf } from '../../../core/turn/turnid.js'
import { type Deliver, type DispatchEvent, effectKinds } from '../../../runtime/conversation/effects.js'
import type { LogRecord, TrafficRecord } from '../../../runtime/conversation/tables.js'
import type { OutboxRow } from '../../../runtime/shard/tables.js'
import type { StoredTurn } from '../../../runtime/turn/tables.js'
import { ownerOf } from '../commit/command.js'
import type { RecordWrite } from '../messages/records.js'
import { ofOwner, type RecordKey } from '../store/keys.js'
import { orderText, people, question, statusOf } from './agent.js'
import { textAt } from './calls.js'

export interface TurnCommits {
  /** The commit that accepts the text; the provider awaits it. */
  readonly accepted: readonly RecordWrite[]
  /** The commit of the turn. */
  readonly answered: readonly RecordWrite[]
  /** The commit after delivery. */
  readonly handedOver: readonly RecordWrite[]
}

const owners = Array.from({ length: people }, (_, person) => ownerOf(person))
const agent = { orgId: 'demo', agentId: 'bench-shop' }
const channel = 'sms' as const
const address = '+15550000002'
const attempt = { channel, provider: 'emulator' }
const idOf = (prefix: string, sequence: number) => `${prefix}_${String(sequence).padStart(26, '0')}`
/** Records of traffic and of the log that a turn writes. */
const recordsPerTurn = 6

export function commitsOf(sequence: number, at: number, asid = owners[sequence % owners.length]!): TurnCommits {
  const person = sequence % owners.length
  const number = 1 + Math.floor(sequence / owners.length)
  const [sessionId, personId] = [idOf('ses', person), idOf('pr', person)]
  const [messageId, eventId, itemId] = [idOf('msg', sequence), idOf('evt', sequence), `text-${sequence}`]
  const turnId = turnIdOf(asid, at, number)
  const first = 1 + number * recordsPerTurn
  const text = textAt([orderText], sequence)
  const message = {
    spec: 'amf/1',
    parts: [
      { type: 'text', text: statusOf(sequence) },
      { type: 'text', text: question },
    ],
  } as const

  const traffic = (nth: number): RecordKey => ['traffic', agent.orgId, agent.agentId, at, asid, nth]
  const logged = (nth: number): RecordKey => ['agentlog', agent.orgId, agent.agentId, at, asid, nth]
  const conversationKey = ofOwner(asid, 'conversation')
  const eventKey = ofOwner(asid, 'conversation.event', number)
  const messageKey = ofOwner(asid, 'conversation.messages', messageId)
  const dispatchKey: RecordKey = ['shard.outbox', `${effectKinds.dispatchEvent} ${asid}`, sequence, 0]
  const deliverKey: RecordKey = ['shard.outbox', `${effectKinds.deliver} demo/bench-shop/sms`, sequence, 0]
  const commandId = (commit: number) => `${asid}:${idOf('cmd', 3 * sequence + commit)}:0`

  const dispatchPayload: DispatchEvent = { asid, number }
  const dispatch: OutboxRow = {
    kind: effectKinds.dispatchEvent,
    payload: dispatchPayload,
    owner: asid,
    id: commandId(0),
    at,
  }
  const deliverPayload: Deliver = { asid, messageId, attempt: 1 }
  const deliver: OutboxRow = { kind: effectKinds.deliver, payload: deliverPayload, owner: asid, id: commandId(1), at }
  const event: ConversationEvent = {
    eventId,
    at,
    sessionId,
    provider: 'emulator',
    window: 'open',
    event: { type: 'message', message: { text } },
  }
  const received: TrafficRecord = {
    channel,
    type: 'content',
    origin: 'user',
    sessionId,
    messageId: idOf('inb', sequence),
    raw: { text },
    channelMessageId: itemId,
    text,
    previous: [at, first - 1],
  }
  const log = (nth: number, level: LogRecord['level'], name: string, data: object): RecordWrite => {
    const record: LogRecord = {
      channel,
      level,
      event: name,
      data: { turnId, ...data },
      sessionId,
      prior: [at, nth - 1],
    }
    return [logged(nth), record]
  }
  const outgoing: OutboundMessageRecord = {
    id: messageId,
    message,
    at,
    sessionId,
    from: 'reply',
    states: {},
    attempt,
  }
  const common = { channel, origin: 'agent', sessionId, messageId } as const
  const said: TrafficRecord = {
    ...common,
    type: 'content',
    text: `${statusOf(sequence)}\n${question}`,
    previous: [at, first],
    prior: [at, first + 3],
  }
  const status: TrafficRecord = {
    ...common,
    type: 'status',
    subtype: 'sent',
    raw: { messageId, state: 'sent', attempt },
    previous: [at, first + 4],
  }
  const conversation = (newest: number, more: Partial<Conversation>): Conversation => ({
    asid,
    agent,
    channel,
    address,
    createdAt: at,
    windowIsOpen: false,
    queue: [],
    deferred: [],
    nextSendAt: at,
    firstEvent: number + 1,
    nextEvent: number + 1,
    nextRecord: newest + 1,
    session: { id: sessionId, lastAt: at },
    lastInboundAt: at,
    lastInboundId: itemId,
    history: {
      session: { id: sessionId, lastAt: at, messageCount: 2 * number, indexedAt: at },
      traffic: [at, newest],
      last: [at, newest],
      turn: [at, number],
    },
    ...more,
  })
  const unanswered = { at: [at] }
  const inFlight = { messageId, at, attempt: 1 }
  const play: Play = {
    sessionId,
    startedAt: at,
    playbookId: 'tracking',
    stack: [
      {
        playbookId: 'tracking',
        step: 0,
        slots: {},
        waiting: { kind: 'slot', slot: 'order' },
        digressions: 0,
        asked: { order: 1 },
      },
    ],
    summary: { playbooks: ['tracking'], outcomes: [], savedFields: [] },
    hasReplied: true,
  }
  const turn: StoredTurn = {
    id: turnId,
    userId: asid,
    sessionId,
    channel,
    state: 'completed',
    trigger: { kind: 'message', eventIds: [eventId], text },
    startedAt: at,
    took: { total: 1, waiting: 1, gathering: 1, model: 0, tools: 0, committing: 0 },
    definition: { digest: 'x'.repeat(22), updatedAt: at },
    playbook: { before: 'tracking', after: 'tracking', why: 'handoff' },
    modelCalls: [],
    toolCalls: [],
    found: [],
    rules: [],
    messages: [messageId],
    effects: [],
    outcomes: [],
    warnings: [],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 },
    trace: ['tracking:1 say', 'tracking:2 handoff', 'playbook tracking', 'tracking:0 collect'],
    personId,
    flow: { from: 'tracking:0', to: 'tracking:0', slots: {} },
    endedAt: at,
    previous: [at, number - 1],
  }
  const providerId = `emu-${messageId}.0`

  return {
    accepted: [
      [ofOwner(asid, 'conversation.seen', itemId), { until: at }],
      [traffic(first), received],
      [eventKey, event],
      [conversationKey, conversation(first, { firstEvent: number })],
      [dispatchKey, dispatch],
    ],
    answered: [
      [eventKey],
      log(first + 1, 'info', 'framework.dispatched', { trigger: 'message', eventIds: [eventId] }),
      log(first + 2, 'debug', 'flow.step', { playbook: 'tracking', from: 'tracking:0', to: 'tracking:0', slots: [] }),
      log(first + 3, 'info', 'framework.replied', { ms: 1, messages: 1 }),
      [messageKey, outgoing],
      [traffic(first + 4), said],
      [conversationKey, conversation(first + 4, { queue: [messageId], unanswered, inFlight })],
      [ofOwner(asid, 'turn.play'), play],
      [['turn', agent.orgId, agent.agentId, at, asid, number], turn],
      [deliverKey, deliver],
      [dispatchKey],
    ],
    handedOver: [
      [ofOwner(asid, 'conversation.providerIds', providerId), { messageId, until: at }],
      [messageKey, { ...outgoing, states: { sent: at }, sentAt: at, providerIds: [providerId] }],
      [traffic(first + 5), status],
      [conversationKey, conversation(first + 5, { unanswered })],
      [deliverKey],
    ],
  }
}
