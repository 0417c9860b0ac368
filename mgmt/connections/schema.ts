/** Schemas of connections and of the sign-ins of tools. */
import Type, { type Static } from 'typebox'
import { type ConnectionState, connectionStates, type Status, statuses } from '../../core/connections/status.js'
import { pathIdPattern } from '../../core/ids.js'
import { oauth as limits } from '../../core/limits/index.js'

/** Defaults of the area's routes, and their accesses. */
export const routeDefaults = { plane: 'mgmt', tag: 'Connections' } as const
export const readAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
export const adminAccess = { who: 'member', role: 'admin', scopes: ['agents:write'] } as const
export const writeAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

const closed = (title: string) => ({ additionalProperties: false, title }) as const
const moment = Type.String({ format: 'date-time' })

const returnTo = Type.Optional(
  Type.String({
    maxLength: limits.returnToChars,
    description: 'Where the browser goes afterwards. On a host that the installation does not know, a page is shown.',
  }),
)

export const ConnectionStart = Type.Object(
  {
    label: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.labelChars,
        pattern: '\\S',
        description:
          'Tells connections of one provider apart; the name of the account when it is left out. One that has the label already is connected again.',
      }),
    ),
    returnTo,
  },
  closed('ConnectionStart'),
)
export const ConnectionReconnect = Type.Object({ returnTo }, closed('ConnectionReconnect'))
export const ToolOAuthStart = Type.Object({ returnTo }, closed('ToolOAuthStart'))

export const SignInStarted = Type.Object(
  { authorizationUrl: Type.String({ description: 'Where to send the browser; good once, for ten minutes.' }) },
  closed('SignInStarted'),
)

const usedBy = Type.Array(Type.Object({ agentId: Type.String(), name: Type.String() }, closed('ConnectionUser')), {
  description: 'Agents with a tool that names the connection, by name.',
})

export const Connection = Type.Object(
  {
    id: Type.String(),
    provider: Type.String(),
    label: Type.String(),
    accountLabel: Type.Optional(Type.String()),
    status: Type.Unsafe<Status>({ type: 'string', enum: [...statuses] }),
    lastError: Type.Optional(Type.String()),
    expiresAt: Type.Optional(moment),
    lastUsedAt: Type.Optional(moment),
    usedBy,
  },
  closed('Connection'),
)
export type ConnectionView = Static<typeof Connection>

export const ConnectionList = Type.Object({ data: Type.Array(Connection) }, closed('ConnectionList'))

export const ConnectionDisconnect = Type.Object(
  { disconnected: Type.Boolean(), usedBy },
  closed('ConnectionDisconnect'),
)

export const OAuthStatus = Type.Object(
  {
    status: Type.Unsafe<ConnectionState>({ type: 'string', enum: [...connectionStates] }),
    connectedAt: Type.Optional(moment),
    lastError: Type.Optional(Type.String()),
  },
  closed('OAuthStatus'),
)
export type OAuthStatusView = Static<typeof OAuthStatus>

const pathId = Type.String({ pattern: pathIdPattern })
export const toolParams = Type.Object({ org: pathId, agent: pathId, toolId: pathId })
