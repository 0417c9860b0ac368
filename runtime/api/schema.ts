/** Schemas of the gateway's requests and answers. */

import Type from 'typebox'
import { channelNames } from '../../core/channelnames.js'
import { rejectionReasons } from '../../core/conversation/rejections.js'
import { amf as limits } from '../../core/limits/index.js'

const closed = { additionalProperties: false } as const

export const SendBody = Type.Object(
  {
    userId: Type.String({ minLength: 1, maxLength: limits.idChars }),
    messages: Type.Array(Type.Unknown({ description: 'AMF/1; each is judged by itself.' }), {
      minItems: 1,
      maxItems: limits.messagesPerCall,
    }),
    priority: Type.Optional(Type.Literal('batch', { description: 'Bulk traffic, at the pace the provider takes it.' })),
  },
  { ...closed, title: 'Send' },
)

const Results = Type.Array(
  Type.Object(
    {
      messageId: Type.String({ description: 'Empty when it was not accepted.' }),
      accepted: Type.Boolean(),
      reason: Type.Optional(Type.Enum(rejectionReasons)),
      detail: Type.Optional(Type.String()),
    },
    closed,
  ),
)

/** At least one message was accepted. */
export const SendResults = Type.Object({ results: Results }, { ...closed, title: 'SendResults' })

/** An error of the gateway. A valid call of which no message was accepted has results, one for each message. */
export const NothingAccepted = Type.Object(
  {
    message: Type.String(),
    code: Type.Optional(Type.String()),
    errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
    results: Type.Optional(Results),
  },
  { title: 'NothingAccepted', description: 'No message was accepted: each result has its reason.' },
)

export const CompileBody = Type.Object(
  { aml: Type.String({ maxLength: limits.callBytes }), validateOnly: Type.Optional(Type.Boolean()) },
  { ...closed, title: 'Compile' },
)

const CompileProblem = Type.Object(
  { line: Type.Integer(), column: Type.Integer(), code: Type.String(), message: Type.String() },
  closed,
)

export const Compiled = Type.Object(
  {
    message: Type.Optional(Type.Unknown({ description: 'AMF/1' })),
    warnings: Type.Array(CompileProblem),
    problems: Type.Array(CompileProblem),
    renderings: Type.Optional(
      Type.Unknown({
        description: 'For each channel what a person would see; for sms its text, encoding and segments.',
      }),
    ),
  },
  { ...closed, title: 'Compiled' },
)

const NumberOrNull = Type.Union([Type.Number(), Type.Null()])

export const CapabilityDocument = Type.Object(
  {
    channel: Type.Enum(channelNames),
    provider: Type.String(),
    parts: Type.Record(Type.String(), Type.Enum(['native', 'degraded', 'text'])),
    chips: Type.Object({ kinds: Type.Array(Type.String()), max: Type.Integer(), labelMax: Type.Integer() }, closed),
    carousel: Type.Object({ min: Type.Integer(), max: Type.Integer() }, closed),
    card: Type.Object({ titleMax: Type.Integer(), descriptionMax: Type.Integer(), chipsMax: Type.Integer() }, closed),
    text: Type.Object({ max: Type.Integer(), encoding: Type.String(), segments: Type.Boolean() }, closed),
    media: Type.Object({ types: Type.Array(Type.String()), maxBytes: Type.Integer() }, closed),
    receipts: Type.Object({ delivered: Type.Boolean(), read: Type.Boolean() }, closed),
    typing: Type.Boolean(),
    window: Type.Object({ hours: NumberOrNull }, closed),
  },
  { ...closed, title: 'Capabilities' },
)
