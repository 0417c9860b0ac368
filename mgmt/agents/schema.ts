/** Agents as callers send and read them, and what the routes of their documents have in common. */
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { Identity, IdentityPatch } from '../../core/agent/resources/identity.js'
import { closedObject, optional } from '../../core/agent/resources/schemas.js'
import { pathIdPattern, slugPattern } from '../../core/ids.js'
import { agent as limits, page } from '../../core/limits/index.js'

export { Identity, IdentityPatch }

export const routeDefaults = { plane: 'mgmt', tag: 'Agents' } as const
export const readAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
export const writeAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const
/** What is copied from the catalog has a scope of its own, so that a key may do no more than that. */
export const applyAccess = { who: 'member', role: 'editor', scopes: ['templates:apply'] } as const

const moment = Type.String({ format: 'date-time' })
const name = Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: '\\S' })
const description = { type: 'string', maxLength: limits.descriptionChars } as const
/** Taken as it is, since a wrong one is answered with a code of its own. */
const framework = optional(Type.Unsafe<unknown>({ description: 'Always v2.' }))

export const Agent = closedObject('Agent', {
  id: Type.String(),
  orgId: Type.String(),
  name: Type.String(),
  description: optional(Type.String()),
  identity: optional(Identity),
  framework: Type.Literal('v2'),
  createdAt: moment,
  updatedAt: moment,
})
export type Agent = Static<typeof Agent>

export const AgentCreate = closedObject('AgentCreate', {
  name,
  id: optional(Type.String({ pattern: slugPattern, description: 'For good. Made from the name when it is left out.' })),
  description: optional(Type.Unsafe<string>(description)),
  identity: optional(Identity),
  framework,
})

export const AgentPatch = closedObject('AgentPatch', {
  name: optional(name),
  description: optional(
    Type.Unsafe<string | null>({ ...description, type: ['string', 'null'], description: 'Null clears it.' }),
  ),
  identity: optional(IdentityPatch),
  framework,
})
export type AgentPatch = Static<typeof AgentPatch>

/** A list that is shown page by page, and the query that asks for one. */
export function pagesOf<T extends TSchema>(item: T, title: string) {
  return closedObject(title, { data: Type.Array(item), nextPageToken: optional(Type.String()) })
}

export const PageQuery = Type.Object(
  {
    limit: optional(Type.Integer({ minimum: 1, maximum: page.maxRows })),
    pageToken: optional(Type.String({ maxLength: page.tokenChars })),
  },
  { additionalProperties: false },
)

/** A list that is shown whole. */
export function listOf<T extends TSchema>(item: T, title: string) {
  return closedObject(title, { data: Type.Array(item) })
}

const pathId = Type.String({ pattern: pathIdPattern })

/** For paths below an agent whose last parameter has a grammar of its own. */
export function agentParams<P extends TProperties>(properties: P) {
  return Type.Object({ org: pathId, agent: pathId, ...properties })
}

export const AgentList = pagesOf(Agent, 'AgentList')
