/** One route as an OpenAPI operation: who may call it, what it takes, what it answers. */
import type { TSchema } from 'typebox'
import type { Access } from '../../core/access.js'
import { pathIdPattern } from '../../core/ids.js'
import { type BudgetName, budgets, http } from '../../core/limits.js'
import { errorResponse, errorsOf, type NamedResponse, scopesOf } from './openapi-errors.js'
import type { Json, JsonObject, Shelf } from './openapi-schemas.js'
import type { Route, RouteExample } from './route.js'

export interface WrittenOperation {
  readonly operation: JsonObject
  /** The error responses it refers to, to be kept among the components. */
  readonly responses: readonly NamedResponse[]
  readonly securitySchemes: readonly string[]
}

const rateLimitHeaders: JsonObject = {
  'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
}

/** Answered before the bucket is asked, or when something broke after. */
const saysNothingOfLimits = new Set([401, 403, 408, 500, 503])

export function writeOperation(route: Route, operationId: string, shelf: Shelf): WrittenOperation {
  const schemes = schemesOf(route.access)
  const example = route.example?.()
  const limits = (route.budget ?? route.addressBudget) && rateLimitHeaders
  const style = route.style ?? (route.plane === 'gateway' ? 'gateway' : 'problem')
  const errors = [...errorsOf(route)].map(([status, codes]) => {
    return {
      status,
      ...errorResponse(status, codes, style, shelf, saysNothingOfLimits.has(status) ? undefined : limits),
    }
  })
  const declared = Object.entries(route.reply).map(([status, reply]) => [
    status,
    success(status, reply, route, shelf, limits, example),
  ])
  const responses: Record<string, JsonObject> = Object.fromEntries(declared)
  for (const { status, name, response } of errors) {
    const own = responses[status]
    responses[status] = own ? either(own, response) : { $ref: `#/components/responses/${name}` }
  }
  const shown = { ...example?.params, ...example?.query }
  const parameters = [
    ...[...pathParameters(route, shelf), ...queryParameters(route, shelf)].map((each) => withExample(each, shown)),
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
      ...((route.body || route.rawTypes) && { requestBody: requestBody(route, shelf, example) }),
      responses,
    },
    responses: errors,
    securitySchemes: schemes,
  }
}

/** What a route answers itself under a status that is an error's too: each as its own type, and the route's word where both have one. */
function either(own: JsonObject, error: JsonObject): JsonObject {
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

function pathParameters({ path, params }: Route, shelf: Shelf): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const schema = params?.properties[name!] ?? ({ type: 'string', pattern: pathIdPattern } as TSchema)
    return parameter('path', name!, true, schema, shelf, knownParams[name!])
  })
}

function queryParameters({ query }: Route, shelf: Shelf): JsonObject[] {
  if (!query) return []
  const required = new Set(query.required)
  const named = Object.entries(query.properties).map(([name, schema]) =>
    // What has a default is filled in before the check for what is missing.
    parameter('query', name, required.has(name) && !('default' in schema), schema, shelf),
  )
  const { patternProperties } = query as { patternProperties?: Record<string, TSchema> }
  if (!patternProperties) return named
  // A family of names is an object that lies spread out over the query.
  const family = { type: 'object', patternProperties, additionalProperties: false } as TSchema
  const words = `Names that match ${Object.keys(patternProperties).join(' or ')}.`
  return [...named, { ...parameter('query', 'others', false, family, shelf, words), style: 'form', explode: true }]
}

/** Headers every HTTP client sets of itself are no parameters. */
const transportHeaders = new Set(['accept', 'accept-encoding', 'authorization', 'content-type'])

const headerWords: Readonly<Record<string, string>> = {
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
    ...(headerWords[name] && { description: headerWords[name] }),
    schema: { type: 'string' },
  }))
}

function parameter(
  place: string,
  name: string,
  required: boolean,
  schema: TSchema,
  shelf: Shelf,
  words?: string,
): JsonObject {
  const { description = words, ...rest } = schema as TSchema & { description?: string }
  return { name, in: place, required, ...(description && { description }), schema: shelf.write(rest) }
}

function withExample(parameter: JsonObject, shown: Readonly<Record<string, unknown>>): JsonObject {
  const example = shown[parameter.name as string]
  return example === undefined ? parameter : { ...parameter, example: example as Json }
}

function requestBody(route: Route, shelf: Shelf, example?: RouteExample): JsonObject {
  const content: Record<string, Json> = {}
  if (route.body) content['application/json'] = { schema: shelf.write(route.body), ...exampleOf(example?.body) }
  for (const type of route.rawTypes ?? []) content[type] = { schema: unstructured(type) }
  const limitBytes = route.bodyLimitBytes ?? http.bodyBytes
  return { description: `At most ${limitBytes} bytes.`, required: !route.bodyOptional, content }
}

/** A body that is no JSON of ours is text or bytes; JSON that is written by hand may be anything. */
function unstructured(type: string): JsonObject {
  if (/[+/]json$/.test(type)) return {}
  return type.startsWith('text/') || /[+/](x-ndjson|xml)$/.test(type)
    ? { type: 'string' }
    : { type: 'string', format: 'binary' }
}

const etagHeader: JsonObject = { ETag: { $ref: '#/components/headers/ETag' } }

const successWords: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; it goes on after this answer.',
  204: 'Done, with nothing to say.',
  302: 'Go on at `Location`.',
  303: 'Go on at `Location`.',
  304: 'What you have is still right.',
}

function success(
  status: string,
  reply: TSchema | null | string,
  { replyTypes: otherTypes = [], hasEtag }: Route,
  shelf: Shelf,
  limits?: JsonObject,
  example?: RouteExample,
): JsonObject {
  const shown = example?.status === Number(status) ? example.reply : undefined
  const location = status === '302' || status === '303' ? { Location: { schema: { type: 'string' } } } : undefined
  const headers = { ...location, ...limits, ...(hasEtag && etagHeader) }
  return {
    description: successWords[status] ?? 'Done.',
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(reply !== null && { content: { ...contentOf(reply, shelf, shown), ...otherwise(otherTypes) } }),
  }
}

function otherwise(types: readonly string[]): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: unstructured(type) }])) as JsonObject
}

/** As it would travel: without members that are undefined. */
function exampleOf(shown: unknown): JsonObject {
  return shown === undefined ? {} : { example: JSON.parse(JSON.stringify(shown)) as Json }
}

function contentOf(reply: TSchema | string, shelf: Shelf, shown?: unknown): JsonObject {
  if (typeof reply !== 'string') return { 'application/json': { schema: shelf.write(reply), ...exampleOf(shown) } }
  const type = reply.split(';', 1)[0]!
  return { [type]: { schema: unstructured(type) } }
}
