/** Schemas of traffic records and of their queries. */

import Type, { type TProperties } from 'typebox'
import { channelNames } from '../../core/channelnames.js'
import { traffic as limits, page } from '../../core/limits/index.js'
import { describePattern } from '../../core/patterndescriptions.js'
import { levels, origins, types } from '../../core/traffic/query.js'
import { emulatedChannels } from '../../core/traffic/view.js'
import { includeTest, nextPageToken, timeRange } from '../agents/recordlists.js'

/** Common settings of the routes of traffic. */
export const ofTraffic = {
  plane: 'mgmt',
  method: 'GET',
  tag: 'Traffic',
  access: { who: 'member', role: 'viewer', scopes: ['messages:read'] },
} as const

const optional = Type.Optional
const moment = Type.String({ format: 'date-time' })
const id = Type.String({ minLength: 1, maxLength: limits.idChars })
const count = Type.Integer({ minimum: 0 })
const raw = Type.Unknown({ description: 'The record as it was made.' })

function closed<P extends TProperties>(title: string, properties: P) {
  return Type.Object(properties, { additionalProperties: false, title })
}

const surface = {
  channel: Type.Enum([...channelNames], { description: '`webchat` for the emulator, whatever it looks like.' }),
  test: optional(Type.Literal(true)),
  emulatedChannel: optional(
    Type.Enum([...emulatedChannels], { description: 'The channel that the emulator showed: display this one.' }),
  ),
}

const AgentMessageEntry = closed('AgentMessageEntry', {
  timestamp: moment,
  agentId: Type.String(),
  userId: Type.String(),
  sessionId: Type.String(),
  origin: Type.Enum([...origins]),
  type: Type.Enum([...types]),
  subtype: optional(Type.String()),
  ...surface,
  text: optional(Type.String()),
  messageId: Type.String(),
  channelMessageId: optional(Type.String({ description: 'What the provider calls the message.' })),
  channelConversationId: optional(Type.String()),
  error: optional(Type.String({ description: 'Why it could not be delivered.' })),
  raw,
})

const AgentConversationSummary = closed('AgentConversationSummary', {
  sessionId: Type.String(),
  userId: Type.String(),
  ...surface,
  startedAt: moment,
  endedAt: Type.String({ format: 'date-time', description: 'The last message so far.' }),
  messageCount: count,
  firstMessagePreview: optional(Type.String()),
})

const AgentUserSummary = closed('AgentUserSummary', {
  userId: Type.String(),
  ...surface,
  lastSeenAt: moment,
  messageCount: Type.Integer({ minimum: 0, description: 'Messages of the conversations in that time.' }),
})

const AgentLogEntry = closed('AgentLogEntry', {
  timestamp: moment,
  agentId: Type.String(),
  level: Type.Enum([...levels]),
  event: Type.String(),
  framework: optional(Type.String()),
  userId: optional(Type.String()),
  sessionId: optional(Type.String()),
  channel: optional(Type.Enum([...channelNames])),
  data: optional(Type.Record(Type.String(), Type.Unknown())),
  error: optional(closed('AgentLogError', { message: Type.String(), stack: optional(Type.String()) })),
  raw,
})

const eventTypes = ['message', 'result', 'action', 'status', 'system'] as const
const outcomes = ['taken', 'retried', 'failed'] as const

const AgentWebhookAttempt = closed('AgentWebhookAttempt', {
  timestamp: moment,
  eventId: Type.String(),
  type: Type.Enum([...eventTypes]),
  userId: Type.String(),
  sessionId: Type.String(),
  channel: Type.Enum([...channelNames]),
  attempt: Type.Integer({ minimum: 1, description: 'Which try of the event it was.' }),
  outcome: Type.Enum([...outcomes], {
    description:
      '`retried`: there is another try at `nextAttemptAt`. `failed`: there is none, or the reply could not be used; the event is in the dead letters.',
  }),
  durationMs: count,
  status: optional(Type.Integer({ description: 'The HTTP status; absent when no answer came.' })),
  messages: optional(Type.Integer({ minimum: 0, description: 'Messages in the reply.' })),
  reason: optional(Type.String({ description: 'Why it failed, in one sentence.' })),
  nextAttemptAt: optional(moment),
})

const windowed = {
  ...timeRange,
  limit: optional(Type.Integer({ minimum: 1, maximum: limits.maxRows, default: limits.defaultRows })),
}
const pageToken = optional(Type.String({ minLength: 1, maxLength: page.tokenChars }))

export const queries = {
  messages: closed('MessagesQuery', {
    ...windowed,
    userId: optional(id),
    sessionId: optional(id),
    origin: optional(Type.Enum([...origins])),
    type: optional(Type.Enum([...types])),
    pageToken,
    includeTest,
  }),
  attempts: closed('WebhookAttemptsQuery', {
    ...windowed,
    userId: optional(id),
    outcome: optional(Type.Enum([...outcomes])),
    pageToken,
  }),
  conversations: closed('ConversationsQuery', { ...windowed, userId: optional(id), includeTest }),
  users: closed('UsersQuery', { ...windowed, includeTest }),
  logs: closed('LogsQuery', {
    ...windowed,
    userId: optional(id),
    sessionId: optional(id),
    level: optional(Type.Enum([...levels])),
    event: optional(
      Type.String({
        pattern: describePattern('^[a-z][A-Za-z0-9_]*(\\.[A-Za-z0-9_]+)*$', 'must be the name of a log event'),
        maxLength: limits.eventChars,
        description: 'As the catalog of log events has it, such as `framework.dispatched`.',
      }),
    ),
    pageToken,
  }),
}

export const replies = {
  messages: closed('AgentMessageList', { data: Type.Array(AgentMessageEntry), nextPageToken }),
  conversations: closed('AgentConversationList', { data: Type.Array(AgentConversationSummary) }),
  users: closed('AgentUserList', { data: Type.Array(AgentUserSummary) }),
  attempts: closed('AgentWebhookAttemptList', { data: Type.Array(AgentWebhookAttempt), nextPageToken }),
  logs: closed('AgentLogList', { data: Type.Array(AgentLogEntry), nextPageToken }),
}
