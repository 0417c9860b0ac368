/** Schemas of the audit trail. */
import Type, { type Static } from 'typebox'
import { page } from '../../core/limits/index.js'

const closed = { additionalProperties: false } as const
const moment = Type.String({ format: 'date-time' })
const optional = Type.Optional

export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    at: moment,
    actor: Type.Object(
      {
        kind: Type.String({ description: 'key, session, grant, unknown for callers without a good token, or system.' }),
        id: Type.String(),
        keyId: optional(Type.String({ description: 'The API key that the session was made with.' })),
        svcAgent: optional(Type.String()),
      },
      { ...closed, title: 'AuditActor' },
    ),
    action: Type.String({ description: 'What was done, as in `api_key.created` or `access.refused`.' }),
    agentId: optional(Type.String()),
    target: optional(Type.String({ description: 'Id of what it was done to.' })),
    requestId: optional(Type.String()),
    code: optional(Type.String({ description: 'Why access was refused.' })),
    count: optional(Type.Integer({ description: 'How many further refused calls the entry stands for.' })),
  },
  { ...closed, title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditList = Type.Object(
  { data: Type.Array(AuditEntry), nextPageToken: optional(Type.String({ description: 'Absent at the end.' })) },
  { ...closed, title: 'AuditList' },
)

export const AuditQuery = Type.Object(
  {
    actor: optional(Type.String({ minLength: 1, maxLength: 200, description: 'Id of a key, a session or a user.' })),
    action: optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'An action, or its part before the dot.' }),
    ),
    start: optional(moment),
    end: optional(moment),
    limit: optional(Type.Integer({ minimum: 1, maximum: page.maxRows })),
    pageToken: optional(Type.String({ maxLength: page.tokenChars })),
  },
  closed,
)
