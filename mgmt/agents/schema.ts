/** Schemas of agents, and defaults of the routes of their documents. */
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { Identity, IdentityPatch } from '../../core/agent/resources/identity.js'
import { closedObject, optional } from '../../core/agent/resources/schemas.js'
import { pathIdPattern, slugPattern } from '../../core/ids.js'
import { agent as limits, page } from '../../core/limits/index.js'

export { Identity, IdentityPatch }

export const routeDefaults = { plane: 'mgmt', tag: 'Agents' } as const
export const readAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
export const writeAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const
/** Applying a catalog template has a scope of its own, so that a key can be limited to that. */
export const applyAccess = { who: 'member', role: 'editor', scopes: ['templates:apply'] } as const

const moment = Type.String({ format: 'date-time' })
const name = Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: '\\S' })
const description = { type: 'string', maxLength: limits.descriptionChars } as const
/** Accepts any value, since a wrong one is refused with an error code of its own. */
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

/** A list with pages, and the query that asks for a page. */
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

/** A list without pages. */
export function listOf<T extends TSchema>(item: T, title: string) {
  return closedObject(title, { data: Type.Array(item) })
}

const pathId = Type.String({ pattern: pathIdPattern })

/** For paths below an agent whose last parameter has its own pattern. */
export function agentParams<P extends TProperties>(properties: P) {
  return Type.Object({ org: pathId, agent: pathId, ...properties })
}

export const AgentList = pagesOf(Agent, 'AgentList')
