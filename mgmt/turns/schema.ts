/** Schemas of turn records as operators read them, and of the query of their list. */
import Type, { type TProperties, type TSchema } from 'typebox'
import { channelNames } from '../../core/channelnames.js'
import { turnLists as limits, page, traffic } from '../../core/limits/index.js'
import { DirectiveBody } from '../../core/sandbox/directive.js'
import { emulatedChannels } from '../../core/traffic/view.js'
import { type ToolCallRecord, type TurnRecord, triggerKinds, warningCodes } from '../../core/turn/record.js'
import { includeTest, nextPageToken, timeRange } from '../agents/recordlists.js'

const optional = Type.Optional
const moment = Type.String({ format: 'date-time' })
const id = Type.String({ minLength: 1, maxLength: traffic.idChars })
const count = Type.Integer({ minimum: 0 })
const ms = Type.Number({ minimum: 0, description: 'Milliseconds.' })
const text = Type.String()
const list = <S extends TSchema>(items: S, description?: string) =>
  Type.Array(items, { ...(description && { description }) })
const closed = <P extends TProperties>(title: string, properties: P, description?: string) =>
  Type.Object(properties, { additionalProperties: false, title, ...(description && { description }) })

const states = ['open', 'completed', 'cut', 'failed'] as const satisfies readonly TurnRecord['state'][]
const ends = ['stopped', 'deadline', 'webhook', 'agentGone', 'superseded'] as const satisfies readonly NonNullable<
  TurnRecord['endedBy']
>[]
const callStates = [
  ...(['ok', 'captured', 'refused', 'failed', 'unknown', 'cancelled', 'pending'] as const),
] satisfies readonly ToolCallRecord['state'][]
const goalSources = ['playbook', 'outreach', 'default'] as const

const Trigger = closed('TurnTrigger', {
  kind: Type.Enum([...triggerKinds], { description: '`quiet`: the session is over.' }),
  eventIds: list(text),
  text: optional(Type.String({ description: 'What the person wrote or tapped.' })),
  directive: optional(DirectiveBody),
  opening: optional(Type.Enum(['outreach', 'reminder', 'link'], { description: 'The turn answers the answer to it.' })),
})

const Times = closed(
  'TurnTimes',
  { total: ms, waiting: ms, gathering: ms, model: ms, tools: ms, committing: ms },
  '`waiting`: from the event to the start of the turn.',
)

const Flow = closed('TurnFlow', {
  from: optional(text),
  to: optional(text),
  outcome: optional(text),
  slots: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Values of slots that are bound to a field of the person are masked.',
  }),
})

const tokens = { inputTokens: count, outputTokens: count, cacheReadTokens: count }

const ModelCall = closed('TurnModelCall', {
  purpose: text,
  model: text,
  attempts: Type.Integer({ minimum: 1 }),
  ms,
  firstMs: optional(ms),
  ...tokens,
  promptHash: text,
  promptChars: count,
  error: optional(text),
})

const toolCall = {
  name: text,
  by: Type.Enum(['flow', 'model']),
  state: Type.Enum([...callStates], { description: '`unknown`: it is not known whether it was done.' }),
  reason: optional(text),
  ms: optional(ms),
  key: Type.String({ description: 'The same in every attempt at the call.' }),
}
const ToolCall = closed('TurnToolCall', { ...toolCall, arguments: Type.Unknown(), result: optional(Type.Unknown()) })
const ToolCallSummary = closed('TurnToolCallSummary', toolCall)

const effect = { kind: text, summary: text, at: moment }
const Effect = closed(
  'CapturedEffect',
  { ...effect, payload: optional(Type.Unknown()) },
  'What would have left Parley; the sandbox captured it.',
)
const EffectSummary = closed('CapturedEffectSummary', effect)

const record = {
  id: text,
  agentId: text,
  userId: text,
  sessionId: text,
  channel: Type.Enum([...channelNames], { description: '`webchat` for the emulator, whatever it looks like.' }),
  test: optional(Type.Literal(true)),
  emulatedChannel: optional(
    Type.Enum([...emulatedChannels], { description: 'The channel that the emulator showed: display this one.' }),
  ),
  personId: optional(text),
  state: Type.Enum([...states]),
  endedBy: optional(Type.Enum([...ends], { description: 'Why it was cut; `stopped`: the person opted out.' })),
  trigger: Trigger,
  startedAt: moment,
  endedAt: optional(moment),
  took: Times,
  definition: closed('TurnDefinition', {
    digest: Type.String({ description: 'Differs after any change of the agent’s document.' }),
    updatedAt: moment,
  }),
  playbook: closed('TurnPlaybook', { before: optional(text), after: optional(text), why: text }),
  flow: optional(Flow),
  goal: optional(
    closed('TurnGoal', { id: text, from: Type.Enum([...goalSources]), reached: optional(Type.Literal(true)) }),
  ),
  modelCalls: list(ModelCall),
  found: list(closed('TurnHit', { kind: Type.Enum(['fact', 'thing', 'passage']), id: text, score: Type.Number() })),
  rules: list(closed('TurnRule', { ruleId: text, action: Type.Enum(['block', 'flag']) })),
  messages: list(text, 'Ids of the messages that the conversation accepted, in order.'),
  outcomes: list(text, 'Outcomes of flows, in order.'),
  warnings: list(closed('TurnWarning', { code: Type.Enum([...warningCodes]), message: text })),
  usage: closed('TurnUsage', tokens),
}

export const AgentTurn = closed('AgentTurn', {
  ...record,
  toolCalls: list(ToolCall, 'Arguments are masked like those of log lines.'),
  effects: list(Effect),
  trace: list(text, 'How it was decided, one line for each step.'),
})

const AgentTurnSummary = closed('AgentTurnSummary', {
  ...record,
  toolCalls: list(ToolCallSummary),
  effects: list(EffectSummary),
})

export const AgentTurnList = closed(
  'AgentTurnList',
  { data: list(AgentTurnSummary), nextPageToken },
  'Without arguments and results of tools, payloads of effects and the trace: one turn by its id has them.',
)

export const TurnsQuery = closed('TurnsQuery', {
  ...timeRange,
  limit: optional(Type.Integer({ minimum: 1, maximum: limits.maxRows, default: limits.defaultRows })),
  userId: optional(id),
  sessionId: optional(id),
  playbookId: optional(
    Type.String({ minLength: 1, maxLength: traffic.idChars, description: 'Active before the turn or after it.' }),
  ),
  warning: optional(Type.Enum([...warningCodes])),
  state: optional(Type.Enum([...states])),
  pageToken: optional(Type.String({ minLength: 1, maxLength: page.tokenChars })),
  includeTest,
})
