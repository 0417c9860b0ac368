/** The OpenAPI operation of a route: access, parameters, body and responses. */
import type { TSchema } from 'typebox'
import type { Access } from '../../core/access.js'
import { pathIdPattern } from '../../core/ids.js'
import { type BudgetName, budgets, http } from '../../core/limits/index.js'
import { errorResponse, errorsOf, type NamedResponse, scopesOf } from './openapi-errors.js'
import type { Components, Json, JsonObject } from './openapi-schemas.js'
import type { Route, RouteExample } from './route.js'

export interface WrittenOperation {
  readonly operation: JsonObject
  /** The error responses that the operation refers to, for the components of the document. */
  readonly responses: readonly NamedResponse[]
  readonly securitySchemes: readonly string[]
}

const rateLimitHeaders: JsonObject = {
  'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
}

/** Statuses without rate limit headers: answered before the budget is spent, or after a failure. */
const statusesWithoutLimits = new Set([401, 403, 408, 500, 503])

export function writeOperation(route: Route, operationId: string, components: Components): WrittenOperation {
  const schemes = schemesOf(route.access)
  const example = route.example?.()
  const limits = (route.budget ?? route.addressBudget) && rateLimitHeaders
  const style = route.style ?? (route.plane === 'gateway' ? 'gateway' : 'problem')
  const errors = [...errorsOf(route)].map(([status, codes]) => {
    return {
      status,
      ...errorResponse(status, codes, style, components, statusesWithoutLimits.has(status) ? undefined : limits),
    }
  })
  const declared = Object.entries(route.reply).map(([status, reply]) => [
    status,
    successResponse(status, reply, route, components, limits, example),
  ])
  const responses: Record<string, JsonObject> = Object.fromEntries(declared)
  for (const { status, name, response } of errors) {
    const own = responses[status]
    responses[status] = own ? mergeResponses(own, response) : { $ref: `#/components/responses/${name}` }
  }
  const exampleValues = { ...example?.params, ...example?.query }
  const parameters = [
    ...[...pathParameters(route, components), ...queryParameters(route, components)].map((each) =>
      withExample(each, exampleValues),
    ),
    ...headerParameters(route),
  ]
  return {
    operation: {
      operationId,
      tags: [route.tag],
      summary: route.summary,
      description: describe(route),
      'x-role': route.access.who === 'member' ? route.access.role : route.access.who,
      'x-scopes': [...scopesOf(route.access)],
      security: schemes.map((scheme) => ({ [scheme]: [] })),
      ...(parameters.length > 0 && { parameters }),
      ...((route.body || route.rawTypes) && { requestBody: requestBody(route, components, example) }),
      responses,
    },
    responses: errors,
    securitySchemes: schemes,
  }
}

/**
 * The response of a status that both the route and an error have: each content type, and the route's where both have
 * it.
 */
function mergeResponses(own: JsonObject, error: JsonObject): JsonObject {
  return {
    ...error,
    headers: { ...(error.headers as JsonObject), ...(own.headers as JsonObject) },
    content: { ...(error.content as JsonObject), ...(own.content as JsonObject) },
  }
}

function schemesOf(access: Access): string[] {
  switch (access.who) {
    case 'public':
      return []
    case 'agent':
      return ['accessToken', 'accessTokenInQuery']
    case 'emulator':
      return ['emulatorGrant']
    case 'member':
      return ['apiKey', 'idToken', ...(access.grant ? ['emulatorGrant'] : [])]
    default:
      return ['apiKey', 'idToken']
  }
}

function describe({ access, budget, addressBudget }: Route): string {
  const sentences = [describeAccess(access)]
  if (budget) sentences.push(describeBudget('API key', budget))
  if (addressBudget) sentences.push(describeBudget('address (of IPv6, each /64)', addressBudget))
  return sentences.join(' ')
}

function describeBudget(subject: string, budget: BudgetName): string {
  const { burstCalls, refillPerSecond } = budgets[budget]
  return `Each ${subject} may call this ${refillPerSecond * 60} times a minute, in bursts of up to ${burstCalls}.`
}

function describeAccess(access: Access): string {
  const named = scopesOf(access).map((scope) => `\`${scope}\``)
  const scope =
    named.length > 1 ? `one of the scopes ${named.join(', ')}` : named.map((one) => `the scope ${one}`).join('')
  switch (access.who) {
    case 'public':
      return 'Needs no token.'
    case 'agent':
      return "Needs the agent's access token."
    case 'emulator':
      return 'Needs an emulator grant.'
    case 'sysop':
      return 'Kept for those who run the installation.'
    case 'any':
      return scope ? `Needs a token with ${scope}.` : 'Needs a token of any role.'
    case 'member': {
      const role = `Needs the role \`${access.role}\`${access.role === 'owner' ? '' : ' or above'}`
      const grant = access.grant ? ' An emulator grant reaches it for its own agent.' : ''
      return `${role}${scope && ` and ${scope}`}.${grant}`
    }
  }
}

const knownParams: Readonly<Record<string, string>> = {
  org: "Id of the org. Any other than the token's own is answered as if it did not exist.",
  agent: 'Id of the agent.',
}

function pathParameters({ path, params }: Route, components: Components): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const schema = params?.properties[name!] ?? ({ type: 'string', pattern: pathIdPattern } as TSchema)
    return parameter('path', name!, true, schema, components, knownParams[name!])
  })
}

function queryParameters({ query }: Route, components: Components): JsonObject[] {
  if (!query) return []
  const required = new Set(query.required)
  const named = Object.entries(query.properties).map(([name, schema]) =>
    // Defaults are filled in before required parameters are checked.
    parameter('query', name, required.has(name) && !('default' in schema), schema, components),
  )
  const { patternProperties } = query as { patternProperties?: Record<string, TSchema> }
  if (!patternProperties) return named
  // A family of names is an exploded object in the query.
  const family = { type: 'object', patternProperties, additionalProperties: false } as TSchema
  const defaultDescription = `Names that match ${Object.keys(patternProperties).join(' or ')}.`
  return [
    ...named,
    { ...parameter('query', 'others', false, family, components, defaultDescription), style: 'form', explode: true },
  ]
}

/** Headers that every HTTP client sets itself; they are no parameters. */
const transportHeaders = new Set(['accept', 'accept-encoding', 'authorization', 'content-type'])

const headerDescriptions: Readonly<Record<string, string>> = {
  'if-match': 'ETags, or `*`. The write is refused with 412 unless what it changes still has one of them.',
  'if-none-match':
    'ETags, or `*`. While what is asked for has one of them, a read answers 304 without a body, and a write is refused with 412.',
}

function headerParameters({ headers }: Route): JsonObject[] {
  const named = (headers ?? []).filter((name) => !transportHeaders.has(name))
  return named.map((name) => ({
    name,
    in: 'header',
    required: false,
    ...(headerDescriptions[name] && { description: headerDescriptions[name] }),
    schema: { type: 'string' },
  }))
}

function parameter(
  location: string,
  name: string,
  required: boolean,
  schema: TSchema,
  components: Components,
  defaultDescription?: string,
): JsonObject {
  const { description = defaultDescription, ...rest } = schema as TSchema & { description?: string }
  return { name, in: location, required, ...(description && { description }), schema: components.write(rest) }
}

function withExample(parameter: JsonObject, exampleValues: Readonly<Record<string, unknown>>): JsonObject {
  const example = exampleValues[parameter.name as string]
  return example === undefined ? parameter : { ...parameter, example: example as Json }
}

function requestBody(route: Route, components: Components, example?: RouteExample): JsonObject {
  const content: Record<string, Json> = {}
  if (route.body) content['application/json'] = { schema: components.write(route.body), ...exampleOf(example?.body) }
  for (const type of route.rawTypes ?? []) content[type] = { schema: rawSchema(type) }
  const limitBytes = route.bodyLimitBytes ?? http.bodyBytes
  return { description: `At most ${limitBytes} bytes.`, required: !route.bodyOptional, content }
}

/** A body without a schema is text or bytes; JSON without a schema may be any value. */
function rawSchema(type: string): JsonObject {
  if (/[+/]json$/.test(type)) return {}
  return type.startsWith('text/') || /[+/](x-ndjson|xml)$/.test(type)
    ? { type: 'string' }
    : { type: 'string', format: 'binary' }
}

const etagHeader: JsonObject = { ETag: { $ref: '#/components/headers/ETag' } }

const successDescriptions: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; it goes on after this answer.',
  204: 'Done, with nothing to say.',
  302: 'Go on at `Location`.',
  303: 'Go on at `Location`.',
  304: 'What you have is still right.',
}

function successResponse(
  status: string,
  reply: TSchema | null | string,
  { replyTypes: otherTypes = [], hasEtag }: Route,
  components: Components,
  limits?: JsonObject,
  example?: RouteExample,
): JsonObject {
  const exampleValues = example?.status === Number(status) ? example.reply : undefined
  const location = status === '302' || status === '303' ? { Location: { schema: { type: 'string' } } } : undefined
  const headers = { ...location, ...limits, ...(hasEtag && etagHeader) }
  return {
    description: successDescriptions[status] ?? 'Done.',
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(reply !== null && {
      content: { ...contentOf(reply, components, exampleValues), ...alternativeContents(otherTypes) },
    }),
  }
}

function alternativeContents(types: readonly string[]): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: rawSchema(type) }])) as JsonObject
}

/** The example as JSON, without members that are undefined. */
function exampleOf(exampleValues: unknown): JsonObject {
  return exampleValues === undefined ? {} : { example: JSON.parse(JSON.stringify(exampleValues)) as Json }
}

function contentOf(reply: TSchema | string, components: Components, exampleValues?: unknown): JsonObject {
  if (typeof reply !== 'string')
    return { 'application/json': { schema: components.write(reply), ...exampleOf(exampleValues) } }
  const type = reply.split(';', 1)[0]!
  return { [type]: { schema: rawSchema(type) } }
}
