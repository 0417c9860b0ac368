/** The OpenAPI documents and the docs page, on routes that between them use everything a route can declare. */
import { mkdir } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import axe from 'axe-core'
import fc from 'fast-check'
import t from 'tap'
import Type, { type TSchema } from 'typebox'
import { request } from 'undici'
import { type ErrorCode, errorTable, refuse } from '../../core/errors.js'
import { pathIdPattern } from '../../core/ids.js'
import { budgets } from '../../core/limits/index.js'
import { docsRoutes, openapiRoute } from '../../runtime/http/docs.js'
import { acceptsGzip } from '../../runtime/http/docs-files.js'
import { type OpenApiDocument, openapi } from '../../runtime/http/openapi.js'
import { errorBodies } from '../../runtime/http/openapi-errors.js'
import { tagDescriptions } from '../../runtime/http/openapi-tags.js'
import { createPipeline } from '../../runtime/http/pipeline.js'
import { writeRefusal } from '../../runtime/http/problem.js'
import { type ErrorStyle, json, type Plane, type Route, route } from '../../runtime/http/route.js'
import { listen } from '../../runtime/http/server.js'
import { compileCheck } from '../../runtime/http/validator.js'
import { findChromium, openBrowser } from '../harness/browser.js'
import { openTestNode } from '../harness/node.js'
import { lintOpenApi } from '../harness/openapi.js'

// A browser and a linter take their time on a busy machine.
t.setTimeout(120_000)

const key = Type.Object(
  {
    id: Type.String(),
    scopes: Type.Array(Type.Enum(['agents:read', 'agents:write'])),
    expiresAt: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
    title: Type.Optional(
      Type.Unknown({ default: 'no title', examples: [{ title: 'Data', properties: { $id: 'data' } }] }),
    ),
  },
  { title: 'API key', additionalProperties: false },
)
const tree = Type.Cyclic({ folder: Type.Object({ folders: Type.Array(Type.Ref('folder')) }) }, 'folder')
const point = Type.Object({ at: Type.Tuple([Type.Number(), Type.Number()]) }, { $id: 'https://parley.test/Point' })
const once = Type.Object({ alone: Type.Boolean() }, { title: 'Used once' })

const done = () => json(200, {})
const declared = { plane: 'mgmt', tag: 'Documentation', handler: done } as const

const fixtures: readonly Route[] = [
  route({
    ...declared,
    method: 'GET',
    path: '/orgs/{org}/api-keys',
    summary: 'List API keys',
    access: { who: 'member', role: 'admin', scopes: ['org:admin'] },
    query: Type.Object({
      limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Rows a page.' }),
      pageToken: Type.Optional(Type.String()),
    }),
    reply: { 200: Type.Object({ data: Type.Array(key), nextPageToken: Type.Optional(Type.String()) }) },
  }),
  route({
    ...declared,
    method: 'POST',
    path: '/orgs/{org}/api-keys',
    summary: 'Create an API key',
    access: { who: 'member', role: 'admin', scopes: ['org:admin'] },
    body: Type.Object({ name: Type.String({ minLength: 1 }) }, { additionalProperties: false }),
    reply: { 201: key },
  }),
  route({
    ...declared,
    method: 'DELETE',
    path: '/orgs/{org}/api-keys/{keyId}',
    summary: 'Revoke an API key',
    access: { who: 'member', role: 'admin', scopes: ['org:admin'] },
    params: Type.Object({
      org: Type.String(),
      keyId: Type.String({ pattern: '^key_', description: 'Id of the key.' }),
    }),
    reply: { 204: null },
  }),
  route({
    ...declared,
    method: 'GET',
    path: '/orgs/{org}/people',
    summary: 'List people',
    access: { who: 'member', role: 'viewer', scopes: ['people:read'], grant: true },
    query: Type.Object({}, { patternProperties: { '^customFields\\.': Type.String() } }),
    reply: { 200: Type.Object({ data: Type.Array(tree) }) },
  }),
  route({
    ...declared,
    method: 'GET',
    path: '/orgs/{org}/people/{personId}',
    summary: 'Read a person',
    access: { who: 'member', role: 'viewer' },
    reply: { 200: Type.Object({ home: point, work: Type.Ref('Point'), once }) },
  }),
  route({
    ...declared,
    method: 'POST',
    path: '/orgs/{org}/people/import',
    summary: 'Import people',
    access: { who: 'member', role: 'editor', scopes: ['people:write'] },
    rawTypes: ['text/csv', 'application/zip'],
    bodyLimitBytes: 1024,
    reply: { 202: null },
  }),
  route({
    ...declared,
    method: 'POST',
    path: '/orgs/{org}/outreach/{outreachId}/_send',
    summary: 'Send an outreach',
    access: { who: 'member', role: 'editor', scopes: ['integrations:journey', 'people:write'] },
    headers: ['idempotency-key', 'accept-encoding'],
    body: Type.Object({ personId: Type.String() }),
    bodyOptional: true,
    budget: 'send',
    reply: { 200: Type.Object({ sendId: Type.String() }) },
    errors: ['request.method_not_allowed'],
  }),
  route({
    ...declared,
    method: 'PATCH',
    path: '/orgs/{org}/channels/{channel}',
    summary: 'Change a channel',
    access: { who: 'sysop' },
    style: 'classic',
    malformedStatus: 400,
    body: Type.Object({ note: Type.String() }),
    reply: { 200: Type.Unknown() },
  }),
  route({
    ...declared,
    method: 'PUT',
    path: '/orgs/{org}/flow:generate',
    summary: 'Generate a flow',
    access: { who: 'any', scopes: ['catalogs:read'] },
    body: tree,
    reply: { 200: Type.Object({ home: point }) },
  }),
  route({
    ...declared,
    method: 'GET',
    path: '/oauth/callback',
    summary: 'Come back from signing in',
    access: { who: 'public' },
    query: Type.Object({ code: Type.String() }),
    reply: { 200: 'text/html', 302: null },
  }),
  route({
    ...declared,
    method: 'GET',
    path: '/emulator/session',
    summary: 'Read the sitting',
    access: { who: 'emulator' },
    reply: { 200: Type.Object({ agentId: Type.String() }) },
  }),
  route({
    ...declared,
    method: 'GET',
    path: '/me',
    summary: 'Read the caller',
    access: { who: 'any' },
    reply: { 200: Type.Object({}) },
  }),
  route({
    ...declared,
    plane: 'gateway',
    method: 'POST',
    path: '/compile',
    summary: 'Compile AML',
    access: { who: 'agent' },
    body: Type.Object({ aml: Type.String() }),
    malformedStatus: 400,
    reply: { 200: 'application/x-ndjson' },
  }),
]

const planes = { mgmt: { prefix: '/v1', port: 8081 }, gateway: { prefix: '/v4', port: 8080 } } as const

function documentOf(plane: Plane, routes: readonly Route[] = fixtures): OpenApiDocument {
  const { prefix, port } = planes[plane]
  return openapi(routes, { plane, version: '1.2.3', serverUrl: `http://127.0.0.1:${port}${prefix}` })
}

/** The whole set a plane serves: the fixtures and the routes of the docs themselves. */
function routesOf(plane: Plane): Route[] {
  const routes: Route[] = [
    ...fixtures.filter((one) => one.plane === plane),
    ...docsRoutes(plane),
    openapiRoute(plane, () => documentOf(plane, routes)),
  ]
  return routes
}

interface Operation {
  operationId: string
  description: string
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[]
  requestBody?: { required: boolean; content: Record<string, { schema: unknown }> }
  responses: Record<string, { $ref?: string; content?: Record<string, { schema?: unknown }>; headers?: object }>
  'x-role': string
  'x-scopes': string[]
}

interface ErrorComponent {
  headers?: object
  content: Record<string, { schema: unknown; examples: Record<string, { value: { code?: string } }> }>
}

function operationOf(document: OpenApiDocument, method: string, path: string): Operation {
  const item = document.paths[path] as unknown as Record<string, Operation>
  return item[method.toLowerCase()]!
}

function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item as unknown as Record<string, Operation>))
}

function errorsIn(document: OpenApiDocument, operation: Operation): Record<string, ErrorComponent> {
  const responses = document.components.responses as unknown as Record<string, ErrorComponent>
  const refs = Object.entries(operation.responses).filter(([, { $ref }]) => $ref)
  return Object.fromEntries(refs.map(([status, { $ref }]) => [status, responses[$ref!.split('/').at(-1)!]!]))
}

function codesIn(document: OpenApiDocument, method: string, path: string): Record<string, string[]> {
  const errors = errorsIn(document, operationOf(document, method, path))
  return Object.fromEntries(
    Object.entries(errors).map(([status, { content }]) => [status, Object.keys(Object.values(content)[0]!.examples)]),
  )
}

t.test('The public linter reports nothing for either document, warnings included', async (t) => {
  for (const plane of ['mgmt', 'gateway'] as const)
    t.same(await lintOpenApi(documentOf(plane, routesOf(plane))), [], plane)
})

t.test('The linter detects faults', async (t) => {
  const wrong = { ...fixtures[11]!, tag: 'Nobody described this', reply: { 200: Type.Unsafe({ type: 'strin' }) } }
  const findings = await lintOpenApi(documentOf('mgmt', [wrong]))
  t.ok(
    findings.some((finding) => finding.startsWith('error struct #/paths/~1me/get')),
    findings.join('\n'),
  )
  t.ok(
    findings.some((finding) => finding.startsWith('warn tag-description')),
    findings.join('\n'),
  )
})

t.test('Each document has the routes of its own plane, and each tag its description', (t) => {
  for (const plane of ['mgmt', 'gateway'] as const) {
    const routes = routesOf(plane)
    const document = documentOf(plane, [...routesOf('mgmt'), ...routesOf('gateway')])
    const written = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
    )
    t.same(written.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort())
    t.same(document.tags, [{ name: 'Documentation', description: tagDescriptions.Documentation }])
    t.match(document.info, { version: '1.2.3', license: { identifier: 'Apache-2.0' } })
  }
  t.equal(documentOf('mgmt').info.title, 'Parley management API')
  t.equal(documentOf('gateway').info.title, 'Parley gateway API')
  t.same(documentOf('gateway').servers, [{ url: 'http://127.0.0.1:8080/v4' }])
  t.end()
})

t.test('The same declarations give the same bytes, in whatever order they come', (t) => {
  const expected = JSON.stringify(documentOf('mgmt'))
  const shuffled = fc.shuffledSubarray([...fixtures], { minLength: fixtures.length })
  const same = fc.property(shuffled, (routes) => t.equal(JSON.stringify(documentOf('mgmt', routes)), expected))
  fc.assert(same, { numRuns: 20 })
  t.end()
})

t.test('Operation ids are unique and can be read', (t) => {
  const ids = operationsOf(documentOf('mgmt', routesOf('mgmt'))).map(({ operationId }) => operationId)
  t.equal(new Set(ids).size, ids.length)
  t.same(ids.sort(), [
    'createOrgApiKey',
    'deleteOrgApiKey',
    'generateOrgFlow',
    'getDoc',
    'getDocs',
    'getEmulatorSession',
    'getMe',
    'getOauthCallback',
    'getOpenapiJson',
    'getOrgPerson',
    'listOrgApiKeys',
    'listOrgPeople',
    'postOrgPeopleImport',
    'sendOrgOutreach',
    'updateOrgChannel',
  ])
  const alike = ['/orgs/{org}/news', '/orgs/{org}/news/{id}', '/orgs/{org}/new', '/orgs/{org}/news/{id}/_list'].map(
    (path) => ({ ...fixtures[11]!, path }),
  )
  const more = operationsOf(documentOf('mgmt', alike)).map(({ operationId }) => operationId)
  t.equal(new Set(more).size, alike.length, more.join(' '))
  t.end()
})

t.test('A reply of a route under an error status is listed beside the error', (t) => {
  const written = route({
    ...declared,
    method: 'POST',
    path: '/orgs/{org}/links',
    summary: 'Make a link',
    access: { who: 'member', role: 'editor' },
    body: Type.Object({ name: Type.String() }),
    malformedStatus: 400,
    reply: { 201: Type.Object({}), 400: Type.Object({ sentence: Type.String() }), 503: 'text/html' },
  })
  const document = documentOf('mgmt', [written])
  const { responses } = operationOf(document, 'POST', '/orgs/{org}/links') as unknown as {
    responses: Record<string, { content: Record<string, { schema: unknown }>; headers?: object; description: string }>
  }
  t.same(Object.keys(responses[400]!.content).sort(), ['application/json', 'application/problem+json'])
  t.match(responses[400]!.content['application/json']!.schema, { properties: { sentence: { type: 'string' } } })
  t.match(responses[400]!.description, /request\.invalid/)
  t.same(Object.keys(responses[503]!.content).sort(), ['application/problem+json', 'text/html'])
  t.match(responses[503]!.headers, { 'Retry-After': {} }, 'and the headers of the error stay')
  t.end()
})

t.test('Every code a route may answer is in its document, under its status and in its style', (t) => {
  const document = documentOf('mgmt')
  t.same(codesIn(document, 'POST', '/orgs/{org}/outreach/{outreachId}/_send'), {
    401: ['auth.unauthenticated'],
    403: ['auth.emulator_grant.forbidden', 'auth.forbidden', 'auth.scope_missing'],
    404: ['resource.not_found'],
    408: ['request.timeout'],
    413: ['request.too_large'],
    415: ['request.unsupported_media_type'],
    422: ['request.invalid'],
    429: ['request.rate_limited'],
    405: ['request.method_not_allowed'],
    500: ['service.failed'],
    503: ['service.unavailable'],
  })
  const usual = { 422: ['request.invalid'], 500: ['service.failed'], 503: ['service.unavailable'] }
  const unknown = { 401: ['auth.unauthenticated'] }
  t.same(codesIn(document, 'GET', '/oauth/callback'), usual)
  t.same(codesIn(document, 'GET', '/me'), { ...usual, ...unknown, 403: ['auth.emulator_grant.forbidden'] })
  t.same(codesIn(document, 'GET', '/emulator/session'), { ...usual, ...unknown, 403: ['auth.forbidden'] })
  const gateway = documentOf('gateway')
  t.match(codesIn(gateway, 'POST', '/compile'), { ...usual, ...unknown, 400: ['request.invalid'] })
  t.notOk(codesIn(gateway, 'POST', '/compile')[403], 'an access token has neither role nor scope')

  const types = (method: string, path: string, of = document) =>
    Object.values(errorsIn(of, operationOf(of, method, path))).flatMap(({ content }) => Object.keys(content))
  t.same([...new Set(types('GET', '/me'))], ['application/problem+json'])
  t.same([...new Set(types('PATCH', '/orgs/{org}/channels/{channel}'))], ['application/json'])
  t.same([...new Set(types('POST', '/compile', gateway))], ['application/json'])

  const every = Object.keys(errorTable) as ErrorCode[]
  const all = documentOf('mgmt', [{ ...fixtures[11]!, errors: every }])
  t.same(
    Object.values(codesIn(all, 'GET', '/me'))
      .flat()
      .sort(),
    every.sort(),
  )
  t.end()
})

t.test('The error bodies on the wire are the documented ones', (t) => {
  const validationProblem = { detail: 'name: is required', errors: [{ field: 'name', message: 'is required' }] }
  for (const style of ['problem', 'classic', 'gateway'] as ErrorStyle[]) {
    const check = compileCheck(errorBodies[style])
    for (const code of Object.keys(errorTable) as ErrorCode[]) {
      for (const refusal of [refuse(code), refuse(code, validationProblem), refuse(code, { status: 400 })]) {
        const body = JSON.parse(writeRefusal(refusal, style).body) as object
        t.equal(check(body), undefined, `${style} ${code}`)
        const documented = Object.keys((errorBodies[style] as { properties?: object }).properties!)
        t.same(
          Object.keys(body).filter((name) => !documented.includes(name)),
          [],
          `${style} ${code}`,
        )
      }
    }
  }
  t.end()
})

t.test('Access is documented for programs and for people', (t) => {
  const document = documentOf('mgmt')
  const send = operationOf(document, 'POST', '/orgs/{org}/outreach/{outreachId}/_send')
  t.same([send['x-role'], send['x-scopes']], ['editor', ['integrations:journey', 'people:write']])
  t.match(
    send.description,
    'Needs the role `editor` or above and one of the scopes `integrations:journey`, `people:write`.',
  )
  const { burstCalls, refillPerSecond } = budgets.send
  t.match(send.description, `${refillPerSecond * 60} times a minute, in bursts of up to ${burstCalls}`)
  const security = (method: string, path: string, of = document) =>
    operationOf(of, method, path).security.flatMap((one) => Object.keys(one))
  t.same(security('GET', '/oauth/callback'), [])
  t.same(security('GET', '/me'), ['apiKey', 'idToken'])
  t.same(security('GET', '/orgs/{org}/people'), ['apiKey', 'idToken', 'emulatorGrant'])
  t.same(security('GET', '/emulator/session'), ['emulatorGrant'])
  const gateway = documentOf('gateway')
  t.same(security('POST', '/compile', gateway), ['accessToken', 'accessTokenInQuery'])
  t.match(gateway.components.securitySchemes, { accessTokenInQuery: { in: 'query', name: 'access_token' } })
  t.same(Object.keys(gateway.components.securitySchemes as object), ['accessToken', 'accessTokenInQuery'])
  t.same(
    operationsOf(document)
      .map((one) => one['x-role'])
      .sort(),
    ['admin', 'admin', 'admin', 'any', 'any', 'editor', 'editor', 'emulator', 'public', 'sysop', 'viewer', 'viewer'],
  )
  t.end()
})

t.test('Parameters, bodies and replies are documented as declared', (t) => {
  const document = documentOf('mgmt')
  const list = operationOf(document, 'GET', '/orgs/{org}/api-keys')
  t.match(list.parameters, [
    { name: 'org', in: 'path', required: true, schema: { type: 'string', pattern: pathIdPattern } },
    { name: 'limit', in: 'query', required: false, description: 'Rows a page.', schema: { default: 50, maximum: 200 } },
    { name: 'pageToken', in: 'query', required: false },
  ])
  t.match(operationOf(document, 'DELETE', '/orgs/{org}/api-keys/{keyId}').parameters?.[1], {
    description: 'Id of the key.',
    schema: { type: 'string', pattern: '^key_' },
  })
  t.same(operationOf(document, 'DELETE', '/orgs/{org}/api-keys/{keyId}').responses[204]?.content, undefined)
  t.match(operationOf(document, 'GET', '/orgs/{org}/people').parameters?.at(-1), {
    in: 'query',
    explode: true,
    schema: { patternProperties: { '^customFields\\.': { type: 'string' } } },
  })
  const upload = operationOf(document, 'POST', '/orgs/{org}/people/import')
  t.match(upload.requestBody, { required: true, description: /1024 bytes/ })
  t.same(Object.keys(upload.requestBody!.content), ['text/csv', 'application/zip'])
  const send = operationOf(document, 'POST', '/orgs/{org}/outreach/{outreachId}/_send')
  t.equal(send.requestBody?.required, false)
  t.same(
    send.parameters?.map(({ name }) => name),
    ['org', 'outreachId', 'idempotency-key'],
  )
  const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
  t.same(Object.keys(send.responses[200]!.headers!), limits)
  t.same(Object.keys(errorsIn(document, send)[429]!.headers!), [...limits, 'Retry-After'])
  t.same(Object.keys(errorsIn(document, send)[503]!.headers!), ['Retry-After'])
  const callback = operationOf(document, 'GET', '/oauth/callback')
  t.match(callback.parameters, [{ name: 'code', in: 'query', required: true }])
  t.same(Object.keys(callback.responses[200]!.content!), ['text/html'])
  t.match(callback.responses[302], { headers: { Location: {} } })
  t.end()
})

t.test('A named schema that is used twice is a component, and one that is used once stays inline', (t) => {
  const { schemas } = documentOf('mgmt').components as unknown as { schemas: Record<string, unknown> }
  t.same(Object.keys(schemas), ['APIKey', 'ClassicError', 'Folder', 'Point', 'Problem'])
  t.match(schemas.APIKey, {
    properties: {
      scopes: { items: { type: 'string', enum: ['agents:read', 'agents:write'] } },
      title: { default: 'no title', examples: [{ title: 'Data', properties: { $id: 'data' } }] },
    },
  })
  t.match(schemas.Folder, { properties: { folders: { items: { $ref: '#/components/schemas/Folder' } } } })
  t.match(schemas.Point, {
    properties: { at: { prefixItems: [{ type: 'number' }, { type: 'number' }], items: false } },
  })
  t.notMatch(schemas.Point, { $id: String })
  const person = operationOf(documentOf('mgmt'), 'GET', '/orgs/{org}/people/{personId}')
  t.match(person.responses[200]?.content?.['application/json']?.schema, {
    properties: {
      home: { $ref: '#/components/schemas/Point' },
      work: { $ref: '#/components/schemas/Point' },
      once: { title: 'Used once', properties: { alone: { type: 'boolean' } } },
    },
  })
  const reply = (schema: TSchema) => ({ ...fixtures[11]!, reply: { 200: schema } })
  const other = { ...reply(Type.Object({ other: Type.Null() }, { $id: 'Point' })), path: '/other' }
  t.throws(() => documentOf('mgmt', [reply(point), other]), /two different schemas are called Point/)
  t.end()
})

t.test('Gzip is used only if the client accepts it', (t) => {
  for (const header of ['gzip', 'deflate, GZIP;q=0.5', '*', 'br;q=1, *;q=0.1']) t.ok(acceptsGzip(header), header)
  for (const header of ['', 'br', 'gzip;q=0', 'gzip;q=0, *', 'gzipped']) t.notOk(acceptsGzip(header), header)
  t.end()
})

const bad = route({
  ...declared,
  method: 'GET',
  path: '/bad',
  summary: 'Do everything wrong',
  access: { who: 'public' },
  reply: { 200: 'text/html' },
  handler: () => ({
    status: 200,
    type: 'text/html',
    headers: { 'content-security-policy': "script-src 'self'" },
    body: '<script>1</script><script src="broken"></script><script src="missing"></script><img src="http://elsewhere.test/">',
  }),
})
const broken: Route = {
  ...bad,
  path: '/broken',
  handler: () => ({ status: 200, type: 'text/javascript', body: 'nope()' }),
}

/** Routes of a plane on a real listener. */
async function serve(plane: Plane, routes: readonly Route[]) {
  const log = { error: (...what: unknown[]) => console.error(...what) } as never
  const pipeline = createPipeline({
    prefix: planes[plane].prefix,
    routes,
    style: plane === 'gateway' ? 'gateway' : 'problem',
    authenticate: () => undefined,
    buckets: {} as never,
    cors: { headersFor: () => undefined },
    clock: { now: () => 0 } as never,
    log,
    meter: () => ({ observe() {} }) as never,
  })
  const listening = await listen({ host: '127.0.0.1', port: 0, serve: pipeline, log })
  const origin = `http://127.0.0.1:${listening.port}`
  return { origin, base: origin + planes[plane].prefix, close: () => listening.close(0) }
}

t.test('The page, its files and the document are served in an encoding that the client accepts', async (t) => {
  const server = await serve('gateway', routesOf('gateway'))
  t.teardown(server.close)
  const get = (path: string, headers: Record<string, string> = {}) =>
    request(server.base + path, { headers: { 'accept-encoding': 'identity', ...headers } })

  const page = await get('/docs')
  const html = await page.body.text()
  t.match(html, '<title>Parley gateway API</title>')
  t.notMatch(html, /<script(?![^>]* src=)|<style| style=| on\w+=/, 'no schema is inline')
  t.match(page.headers['content-security-policy'], /^default-src 'none'; script-src 'self'; style-src 'self';/)
  t.notMatch(page.headers['content-security-policy'], 'unsafe')

  const files = [...html.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(([, path]) => `/${path}`)
  t.equal(files.length, 4)
  for (const path of ['/docs', '/openapi.json', ...files]) {
    const plain = await get(path)
    const small = await get(path, { 'accept-encoding': 'br, gzip' })
    t.equal(small.headers['content-encoding'], 'gzip', path)
    t.equal(plain.headers['content-encoding'], undefined, path)
    t.equal(plain.headers.vary, 'accept-encoding')
    const validationProblem = Buffer.from(await plain.body.arrayBuffer())
    t.ok(validationProblem.equals(gunzipSync(await small.body.arrayBuffer())), `${path} is the same when compressed`)
    t.match(plain.headers.etag, /^"[\w-]+"$/)
    t.not(plain.headers.etag, small.headers.etag, 'a strong tag names bytes')
    const revalidated = await get(path, { 'if-none-match': `"other", ${String(plain.headers.etag)}` })
    t.equal(revalidated.statusCode, 304, path)
    t.equal(await revalidated.body.text(), '')
    const forGood = files.includes(path)
    t.equal(plain.headers['cache-control'], forGood ? 'public, max-age=31536000, immutable' : 'no-cache', path)
  }
  const described = (await (await get('/openapi.json')).body.json()) as OpenApiDocument
  t.same(described, documentOf('gateway', routesOf('gateway')))
  for (const path of ['/docs/index.html', '/docs/constructor', '/docs/..%2Fpackage.json', '/docs/%2Fetc%2Fpasswd']) {
    const missing = await get(path)
    t.equal(missing.statusCode, 404, path)
    await missing.body.dump()
  }
})

t.test('The docs work in a browser', { skip: findChromium() ? false : 'Chromium is not installed' }, async (t) => {
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const mgmt = await serve('mgmt', [...routesOf('mgmt'), bad, broken])
  t.teardown(mgmt.close)

  t.test('The page shows every operation, dark or light, and contacts no other host', async (t) => {
    await mkdir('test/output', { recursive: true })
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, problems: troubles, close } = await browser.visit({ origin: mgmt.origin, colorScheme })
      await page.goto(`${mgmt.base}/docs`)
      await page.locator('.opblock').first().waitFor()
      t.equal(await page.title(), 'Parley management API')
      t.equal(await page.locator('.opblock').count(), operationsOf(documentOf('mgmt', routesOf('mgmt'))).length)
      t.equal(await page.locator('html.dark-mode').count(), colorScheme === 'dark' ? 1 : 0)
      const send = page.locator('.opblock', { hasText: '_send' })
      await send.locator('.opblock-summary-control').click()
      await send.getByText('request.rate_limited').first().waitFor()
      const file = colorScheme === 'dark' ? 'docs-mgmt-dark' : 'docs-mgmt'
      await page.screenshot({ path: `test/output/${file}.png` })
      t.same(troubles, [], colorScheme)
      await close()
    }
  })

  t.test('Authorize shows the API key first and visibly, and axe finds nothing critical', async (t) => {
    for (const width of [390, 1280]) {
      const { page, close } = await browser.visit({ origin: mgmt.origin })
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`${mgmt.base}/docs`)
      await page.locator('.opblock').first().waitFor()
      t.equal(await page.locator('select#servers').getAttribute('aria-label'), 'Server')
      await page.evaluate(axe.source)
      const run = `axe.run(document, { resultTypes: ['violations'] })`
      const critical = async () => {
        const { violations } = (await page.evaluate(run)) as axe.AxeResults
        return violations
          .filter(({ impact }) => impact === 'critical')
          .map(({ id, nodes }) => `${id}: ${nodes[0]?.target.flat().join(' ')}`)
      }
      t.same(await critical(), [])
      await page.locator('.btn.authorize').click()
      const fields = page.locator('.modal-ux input')
      await fields.first().waitFor()
      t.match(await page.locator('.modal-ux .auth-container').first().textContent(), 'apiKey')
      t.ok(await fields.first().evaluate((field) => field === field.ownerDocument.activeElement), 'it has the focus')
      const { y } = (await fields.first().boundingBox())!
      t.ok(y > 0 && y < 800, `at ${y}`)
      t.equal(await page.evaluate(`document.querySelector('.modal-ux-content').scrollTop`), 0)
      await page.screenshot({ path: `test/output/docs-authorize-${width}.png` })
      t.same(await critical(), [])
      await close()
    }
  })

  t.test('No text of either document mentions a console', async (t) => {
    for (const plane of ['mgmt', 'gateway'] as const) {
      const texts = JSON.stringify(documentOf(plane, routesOf(plane)).tags)
      t.notMatch(texts, /console/)
    }
  })

  t.test('A call from the page reaches the node that served it', async (t) => {
    const { page, problems: troubles, close } = await browser.visit({ origin: mgmt.origin })
    await page.goto(`${mgmt.base}/docs`)
    const read = page.locator('.opblock', { hasText: '/openapi.json' })
    await read.locator('.opblock-summary-control').click()
    await read.getByRole('button', { name: 'Execute' }).click()
    await read.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
    t.match(await read.locator('.request-url').textContent(), `${mgmt.base}/openapi.json`)
    t.same(troubles, [])
    await close()
  })

  t.test('Errors of a page are recorded', async (t) => {
    const { page, problems: troubles, close } = await browser.visit({ origin: mgmt.origin })
    await page.goto(`${mgmt.base}/bad`)
    const signs = [
      'policy violation: script-src',
      'external request: http://elsewhere.test/',
      '404: ',
      'page error: nope',
    ]
    for (const sign of signs)
      t.ok(
        troubles.some((trouble) => trouble.startsWith(sign)),
        sign,
      )
    await close()
  })
})

t.test('The documents of both planes, as a node serves them, pass a public linter', async (t) => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  for (const [plane, path] of [
    ['mgmt', '/v1/openapi.json'],
    ['gateway', '/v4/openapi.json'],
  ] as const) {
    const routesOf = await node[plane]('GET', path)
    t.equal(routesOf.status, 200)
    t.same(await lintOpenApi(routesOf.json), [], `${plane} has no findings`)
    const declared = node.node.planes[plane].routes.length
    const described = Object.values(routesOf.json.paths as Record<string, object>).flatMap((item) => Object.keys(item))
    t.equal(described.length, declared, `every route of ${plane} is described`)
  }
})
