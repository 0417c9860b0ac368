/** Schemas of journey calls for the documentation; the parser accepts more than a schema can express. */
import Type, { type TSchema } from 'typebox'
import { outcomes } from '../../core/journey/response.js'
import { sendStates } from '../../core/outreach/send.js'

const closed = { additionalProperties: false } as const
const optional = Type.Optional
const text = optional(Type.String())
const object = (title: string, members: Record<string, TSchema>) => Type.Object(members, { ...closed, title })

/** Any content type. Null, empty text and a missing member are the same; numbers and booleans count as their text. */
export const JourneySendBody = object('JourneySend', {
  profile: optional(
    object('JourneyProfile', {
      phone: optional(
        Type.String({ description: 'A plus sign and 7 to 15 digits. Required unless a persona is named.' }),
      ),
      channel: optional(Type.String({ default: 'rcs' })),
      id: text,
      firstName: text,
      lastName: text,
      email: text,
    }),
  ),
  profileUpdate: optional(Type.Enum(['fill', 'overwrite'])),
  consent: optional(
    object('JourneyConsent', {
      sms: optional(Type.String({ description: 'y grants, n refuses, anything else says nothing.' })),
      evidence: text,
    }),
  ),
  journey: optional(object('JourneyStep', { versionId: text, nodeId: text, instanceId: text })),
  inputs: optional(Type.Record(Type.String(), Type.String())),
  emulator: optional(object('JourneyRehearsal', { personaId: text })),
  dryRun: optional(Type.Boolean()),
})

export const JourneySendAnswer = object('JourneySendAnswer', {
  outcome: Type.Enum([...outcomes]),
  reason: Type.String(),
  detail: Type.String(),
  sendId: Type.String(),
  personId: Type.String(),
  unknownInputs: Type.Array(Type.String()),
  idempotency: Type.Enum(['journey', 'derived']),
})

export const JourneyStatusAnswer = object('JourneyStatus', {
  sendId: Type.String(),
  state: Type.Enum([...sendStates]),
  reason: Type.String(),
  reachable: Type.Boolean(),
  delivered: Type.Boolean(),
  read: Type.Boolean(),
  replied: Type.Boolean(),
  final: Type.Boolean(),
  nextAttemptAt: Type.String(),
})

const ActionField = object('ActionField', {
  field: Type.String(),
  type: Type.Enum(['string', 'boolean']),
  mode: Type.Enum(['constant', 'variable']),
  value: text,
  optional: Type.Boolean(),
  mapFrom: text,
})
const example = Type.Record(Type.String(), Type.Unknown())
const ActionSpec = object('ActionSpec', {
  name: Type.String({ pattern: '^[a-z0-9_]{1,30}$' }),
  method: Type.Enum(['POST', 'GET']),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  request: optional(example),
  fields: optional(Type.Array(ActionField)),
  path: text,
  queryParameter: optional(Type.Literal('sendId')),
  response: example,
  errorResponse: example,
})

export const ActionDefinitionAnswer = object('JourneyActionDefinition', {
  contract: Type.Literal('journey/1'),
  agentId: Type.String(),
  outreachId: Type.String(),
  inputs: Type.Array(Type.String()),
  send: ActionSpec,
  status: ActionSpec,
  runbook: Type.Array(Type.String()),
})
