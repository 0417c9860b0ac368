/** Agents and their identity as callers send and read them. */
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { Identity, IdentityPatch } from '../../core/agent/resources/identity.js'
import { pathIdPattern, slugPattern } from '../../core/ids.js'
import { agent as limits, page } from '../../core/limits.js'

/** What every route of this area has in common; the accesses are those of reading, of writing and of copying from the catalog. */
export const ofAgents = { plane: 'mgmt', tag: 'Agents' } as const
export const reading = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
export const writing = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const
export const applying = { who: 'member', role: 'editor', scopes: ['templates:apply'] } as const

export { Identity, IdentityPatch }

const closed = { additionalProperties: false } as const
const Moment = Type.String({ format: 'date-time' })

const name = Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: '\\S' })
const description = { type: 'string', maxLength: limits.descriptionChars } as const
const framework = Type.Optional(Type.String({ description: 'Always v2.' }))

function agentBody<P extends TProperties>(title: string, properties: P) {
  return Type.Object(properties, { ...closed, title })
}

export const Agent = agentBody('Agent', {
  id: Type.String(),
  orgId: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  identity: Type.Optional(Identity),
  framework: Type.Literal('v2'),
  createdAt: Moment,
  updatedAt: Moment,
})
export type Agent = Static<typeof Agent>

export const AgentCreate = agentBody('AgentCreate', {
  name,
  id: Type.Optional(
    Type.String({ pattern: slugPattern, description: 'For good. Made from the name when it is left out.' }),
  ),
  description: Type.Optional(Type.Unsafe<string>(description)),
  identity: Type.Optional(Identity),
  framework,
})

export const AgentPatch = agentBody('AgentPatch', {
  name: Type.Optional(name),
  description: Type.Optional(
    Type.Unsafe<string | null>({ ...description, type: ['string', 'null'], description: 'Null clears it.' }),
  ),
  identity: Type.Optional(IdentityPatch),
  framework,
})
export type AgentPatch = Static<typeof AgentPatch>

export const AgentList = Type.Object(
  { data: Type.Array(Agent), nextPageToken: Type.Optional(Type.String()) },
  { ...closed, title: 'AgentList' },
)

export const AgentListQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: page.maxRows })),
    pageToken: Type.Optional(Type.String({ maxLength: 1024 })),
  },
  closed,
)

export function listOf<T extends TSchema>(item: T, title: string) {
  return Type.Object({ data: Type.Array(item) }, { ...closed, title })
}

const pathId = Type.String({ pattern: pathIdPattern })

/** For paths below an agent whose last parameter has a grammar of its own. */
export function agentParams<P extends TProperties>(properties: P) {
  return Type.Object({ org: pathId, agent: pathId, ...properties })
}
