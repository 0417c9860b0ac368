/** The OpenAPI 3.1 document of a plane, generated from its route declarations alone. */
import { operationIds } from './openapi-names.js'
import { writeOperation } from './openapi-operation.js'
import { createComponents, type Json, type JsonObject } from './openapi-schemas.js'
import { tagDescriptions } from './openapi-tags.js'
import type { Method, Plane, Route } from './route.js'

/** Plain JSON; it does not depend on the order of the declarations. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: '3.1.0'
  readonly info: JsonObject
  readonly paths: JsonObject
  readonly components: JsonObject
}

export interface ApiInfo {
  readonly plane: Plane
  readonly version: string
  /** The base URL of the routes, with the version prefix and without a slash at the end. */
  readonly serverUrl: string
}

export const titles: Readonly<Record<Plane, string>> = {
  mgmt: 'Parley management API',
  gateway: 'Parley gateway API',
}

const introductions: Readonly<Record<Plane, string>> = {
  mgmt: [
    'Runs the agents of an org: their configuration, channels, people, outreach and traffic.',
    'Lists answer `{ data }`, long ones page by page with `nextPageToken`. Writes answer the resource as it now is.',
    'Scopes say which routes a key may call, and not whose data it meets there: `agents:read` opens template and campaign previews and campaign recipients, which name people and show what is written to each, with their fields filled in. `people:read` is for the people themselves; their addresses take `people:export`.',
    'A program that calls on behalf of a person may name itself in `X-Svc-Agent` (up to 32 of `a-z 0-9 . _ -`).',
  ].join('\n\n'),
  gateway: 'Carries the messages between an agent and its people. The access token is the agent.',
}
const commonDescription =
  'Every answer carries `X-Request-Id`: the one you sent, if it is up to 64 of `A-Z a-z 0-9 . _ -`, or one of ours.'

const methodOrder: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function openapi(routes: readonly Route[], info: ApiInfo): OpenApiDocument {
  const planeRoutes = routes.filter(({ plane }) => plane === info.plane).sort(byPathAndMethod)
  const ids = operationIds(planeRoutes)
  const components = createComponents()
  const paths: Record<string, Record<string, Json>> = {}
  const responses = new Map<string, JsonObject>()
  const schemes = new Set<string>()
  for (const route of planeRoutes) {
    const operation = writeOperation(route, ids.get(route)!, components)
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operation.operation
    for (const { name, response } of operation.responses) responses.set(name, response)
    for (const scheme of operation.securitySchemes) schemes.add(scheme)
  }
  return components.resolve({
    openapi: '3.1.0',
    info: {
      title: titles[info.plane],
      version: info.version,
      description: `${introductions[info.plane]}\n\n${commonDescription}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: info.serverUrl }],
    tags: tagsOf(planeRoutes),
    paths,
    components: {
      responses: Object.fromEntries([...responses].sort(byName)),
      headers: {
        ...(planeRoutes.some(({ budget, addressBudget }) => budget ?? addressBudget) && rateLimitHeaders),
        ...retryHeader,
        ...(planeRoutes.some(({ hasEtag }) => hasEtag) && etagHeader),
      },
      securitySchemes: Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => schemes.has(name))),
    },
  }) as OpenApiDocument
}

const rateLimitHeaders: JsonObject = {
  RateLimitLimit: integerHeader('Calls that a full bucket holds. Calls with an API key are limited, others are not.'),
  RateLimitRemaining: integerHeader('Whole calls left after this one.'),
  RateLimitReset: integerHeader('Seconds until the bucket is full.'),
}
const etagHeader: JsonObject = {
  ETag: {
    description:
      'Of the item where the path names one or one was made, of the list or part otherwise. Send it back as If-Match.',
    schema: { type: 'string' },
  },
}
const retryHeader: JsonObject = { RetryAfter: integerHeader('Seconds to wait before the next try.') }

const securitySchemes: Readonly<Record<string, JsonObject>> = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `sk-svc-…`.' },
  idToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The ID token of a signed-in user.' },
  emulatorGrant: { type: 'http', scheme: 'bearer', description: 'An emulator grant, `v1.…` or `v2.…`.' },
  accessToken: { type: 'http', scheme: 'bearer', description: "The agent's access token, `at-svc-…`." },
  accessTokenInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'access_token',
    description: 'The same token, for clients that cannot set headers. It wins over the header.',
  },
}

function integerHeader(description: string): JsonObject {
  return { description, schema: { type: 'integer', minimum: 0 } }
}

function tagsOf(routes: readonly Route[]): JsonObject[] {
  const order = Object.keys(tagDescriptions)
  const rank = (tag: string) => (order.includes(tag) ? order.indexOf(tag) : order.length)
  const used = [...new Set(routes.map(({ tag }) => tag))].sort()
  used.sort((one, other) => rank(one) - rank(other))
  return used.map((name) => ({ name, ...(name in tagDescriptions && { description: tagDescriptions[name]! }) }))
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}

function byPathAndMethod(one: Route, other: Route): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1
  return methodOrder.indexOf(one.method) - methodOrder.indexOf(other.method)
}
