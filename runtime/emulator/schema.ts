/** Schemas of the emulator page's requests and answers. */

import Type from 'typebox'
import { messageStates } from '../../core/channel/inbound.js'
import { channelNames } from '../../core/channelnames.js'
import { emulatorPage as limits } from '../../core/limits/index.js'
import { describePattern } from '../../core/patterndescriptions.js'

const closed = { additionalProperties: false } as const
const Channel = Type.Enum(channelNames)
const agent = Type.String({ description: 'One of the agents of the page.' })
export const AgentParams = Type.Object({ agent })
export const PhoneParams = Type.Object({ agent, channel: Channel })
export const ActParams = Type.Object({ agent, number: Type.String({ pattern: '^[0-9]{1,9}$' }) })
export const ChatEntryParams = Type.Object({ agent, cursor: Type.String({ pattern: '^[0-9]{1,12}$' }) })

/** The visitor id from `POST /v4/webchat/{chat}/visitors`. */
export const Visitor = Type.Optional(
  Type.String({ maxLength: 100, description: 'The visitor whose web chat is in view.' }),
)

const AgentView = Type.Object(
  {
    orgId: Type.String(),
    agentId: Type.String(),
    name: Type.String(),
    mode: Type.Enum(['managed', 'webhook']),
    suggestions: Type.Array(Type.String(), { description: 'What a person may write first.' }),
    phones: Type.Array(Type.Object({ channel: Channel, provider: Type.String(), address: Type.String() }, closed)),
    chatUrl: Type.Optional(Type.String()),
  },
  closed,
)
export const StageView = Type.Object(
  {
    agents: Type.Array(AgentView),
    pollMs: Type.Integer(),
    compileAfterMs: Type.Integer(),
    pictureChars: Type.Integer({ description: 'The most that the base64 of a picture may have.' }),
  },
  { ...closed, title: 'EmulatorStage' },
)

const named = (kind: string) => Type.Object({ kind: Type.Literal(kind) }, closed)
const switches = ['typing', 'read', 'stop', 'optOut', 'optIn', 'offline', 'online', 'lose', 'regain']
export const PageActBody = Type.Union([
  Type.Object({ kind: Type.Literal('text'), text: Type.String({ minLength: 1, maxLength: 10_000 }) }, closed),
  Type.Object(
    {
      kind: Type.Literal('tap'),
      label: Type.String({ maxLength: 500 }),
      postback: Type.String({ maxLength: 2_048 }),
      number: Type.Integer({ minimum: 1 }),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('location'),
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
      label: Type.Optional(Type.String({ maxLength: 500 })),
    },
    closed,
  ),
  ...switches.map(named),
])

/** Picture types that phones accept. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export const PictureBody = Type.Object(
  {
    type: Type.Enum(pictureTypes),
    data: Type.String({
      minLength: 4,
      maxLength: limits.pictureChars,
      pattern: describePattern('^[A-Za-z0-9+/]+={0,2}$', 'must be base64'),
      description: 'The file in base64.',
    }),
    name: Type.String({ minLength: 1, maxLength: limits.pictureNameChars, description: 'That of the file.' }),
  },
  { ...closed, title: 'EmulatorPicture' },
)
export const ActView = Type.Object({ calls: Type.Integer(), taken: Type.Boolean() }, closed)

const refusals = Type.Array(
  Type.Object(
    {
      number: Type.Integer(),
      at: Type.Integer(),
      reason: Type.String({ description: 'As in the answer of `POST /v4/messages`.' }),
      detail: Type.Optional(Type.String()),
    },
    closed,
  ),
  { description: "The agent's messages that were refused, oldest first." },
)

const actFields = {
  number: Type.Integer({ description: 'Go on after it.' }),
  agentId: Type.String(),
  channel: Channel,
  at: Type.Integer(),
  act: Type.Unknown({ description: 'As it was done.' }),
}
export const UpdatesView = Type.Object(
  {
    phones: Type.Array(
      Type.Object(
        {
          channel: Channel,
          isOffline: Type.Boolean(),
          isLost: Type.Boolean(),
          isOptedOut: Type.Boolean({ description: 'The person has opted out and is not written to.' }),
          sent: Type.Array(
            Type.Object(
              {
                number: Type.Integer({ description: 'Go on after it.' }),
                account: Type.String(),
                providerId: Type.String(),
                body: Type.Unknown({ description: 'As the provider got it.' }),
                at: Type.Integer(),
              },
              closed,
            ),
          ),
          fares: Type.Array(
            Type.Object(
              {
                messageId: Type.String(),
                at: Type.Integer(),
                state: Type.Enum(messageStates),
                providerIds: Type.Array(Type.String()),
              },
              closed,
            ),
          ),
          refusals,
        },
        closed,
      ),
    ),
    acts: Type.Array(Type.Object(actFields, closed)),
    chat: Type.Array(
      Type.Object(
        {
          cursor: Type.Integer(),
          at: Type.Integer(),
          by: Type.Enum(['agent', 'visitor']),
          words: Type.String({ description: 'Its beginning, as plain words.' }),
        },
        closed,
      ),
      { description: 'The newest lines of the visitor.' },
    ),
  },
  { ...closed, title: 'EmulatorNews' },
)

const records = Type.Array(Type.Unknown(), { description: 'What is on record of it, oldest first.' })
const events = Type.Array(Type.Unknown(), { description: "As the sample agent's webhook got them." })
const turn = Type.Optional(
  Type.Unknown({
    description: 'The turn in which a managed agent sent it, or answered it; absent until it is on record.',
  }),
)
export const MessageView = Type.Object(
  {
    messageId: Type.String(),
    message: Type.Unknown({ description: 'AMF/1' }),
    attempt: Type.Optional(Type.Unknown()),
    states: Type.Unknown({ description: 'When it came to each.' }),
    providerIds: Type.Array(Type.String()),
    wires: Type.Array(Type.Unknown(), { description: 'Bodies as the provider got them.' }),
    turn,
    events,
    records,
  },
  { ...closed, title: 'EmulatorMessage' },
)
const answers = Type.Array(Type.String(), { description: 'Bodies with which the agent answered.' })
export const ActDetailsView = Type.Object(
  { ...actFields, turn, events, answers, refusals, records },
  { ...closed, title: 'EmulatorDeed' },
)

export const ChatEntryView = Type.Object(
  {
    cursor: Type.Integer(),
    at: Type.Integer(),
    wires: Type.Array(Type.Unknown(), { description: 'Frames as pages get them.' }),
    messageId: Type.Optional(Type.String({ description: 'Of a line of the agent.' })),
    message: Type.Optional(Type.Unknown({ description: 'AMF/1' })),
    attempt: Type.Optional(Type.Unknown()),
    states: Type.Optional(Type.Unknown({ description: 'When it came to each.' })),
    turn,
    events,
    records,
  },
  { ...closed, title: 'EmulatorChatLine' },
)

export const AmlBody = Type.Object({ aml: Type.String({ maxLength: limits.amlChars }) }, closed)
const ProblemView = Type.Object(
  { line: Type.Integer(), column: Type.Integer(), code: Type.String(), message: Type.String() },
  closed,
)
export const AmlView = Type.Object(
  {
    problems: Type.Array(ProblemView),
    warnings: Type.Array(ProblemView),
    message: Type.Optional(Type.Unknown({ description: 'AMF/1' })),
    renderings: Type.Optional(Type.Unknown({ description: 'What each channel would show.' })),
  },
  { ...closed, title: 'EmulatorCompiled' },
)
export const SendAsBody = Type.Object(
  { aml: Type.String({ maxLength: limits.amlChars }), channel: Channel, visitor: Visitor },
  closed,
)
export const SendAsView = Type.Object(
  { accepted: Type.Boolean(), reason: Type.Optional(Type.String({ description: 'Why not.' })) },
  { ...closed, title: 'EmulatorSaid' },
)
export const TicketView = Type.Object({ ticket: Type.String() }, { ...closed, title: 'EmulatorTicket' })
