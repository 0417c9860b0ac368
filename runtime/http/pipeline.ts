/**
 * The one road of every request: match, authenticate, isolate the org, read the body, authorise, spend the budget,
 * validate, run, reply. There is no middleware; what a route needs is in its declaration.
 */
import type { Caller } from '../../core/access.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { requestIdPattern, svcAgentPattern } from '../../core/ids.js'
import { http } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Buckets, Spent } from '../limits/contract.js'
import { limitHeaders } from '../limits/headers.js'
import type { Log } from '../observe/log.js'
import type { RouteMeter } from '../observe/metrics.js'
import { StoreFailed } from '../store/contract.js'
import { authorise, confine, notFound, unauthenticated } from './admit.js'
import type { Cors } from './cors.js'
import type { Incoming, Reply, Serve } from './exchange.js'
import { readInput } from './input.js'
import { openMatcher } from './match.js'
import { writeRefusal } from './problem.js'
import { makeReady, type Ready } from './ready.js'
import type { Answer, Call, ErrorStyle, Route } from './route.js'

/** Turns a token into a caller. Undefined for one that is missing, wrong, expired or revoked: the reasons look alike. */
export type Authenticate = (token: string) => Caller | undefined | Promise<Caller | undefined>

export interface Front {
  /** `/v1` or `/v4`, before every path of `routes`. */
  readonly prefix: string
  readonly routes: readonly Route[]
  /** Served outside the version prefix: health and metrics. */
  readonly unversioned?: readonly Route[]
  readonly style: ErrorStyle
  readonly authenticate: Authenticate
  /** The gateway also takes its token from the query, where it wins over the header. */
  readonly tokenParameter?: string
  readonly buckets: Buckets
  readonly cors: Cors
  readonly clock: Clock
  readonly log: Log
  readonly meter: (route: Route) => RouteMeter
  /** Compares every answer with its declaration; for tests. */
  readonly checkReplies?: boolean
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
const tooLarge = refuse('request.too_large')
const jsonType = 'application/json; charset=utf-8'

export function openPipeline(front: Front): Serve {
  const matcher = openMatcher<Ready>()
  const ready = (route: Route) => makeReady(route, front.style, front.meter(route), front.checkReplies ?? false)
  for (const route of front.routes) matcher.add(route.method, front.prefix + route.path, ready(route))
  for (const route of front.unversioned ?? []) matcher.add(route.method, route.path, ready(route))
  const boot = Math.floor(front.clock.now()).toString(36)
  let served = 0

  return async function serve(incoming) {
    const { method, path } = incoming
    const givenId = incoming.header('x-request-id')
    const requestId = givenId !== '' && requestIdPattern.test(givenId) ? givenId : `${boot}-${(served++).toString(36)}`
    const cors = front.cors.headersFor(incoming.header('origin'))
    if (!methods.has(method) || path.length > http.pathChars) return refused(notFound, front.style, requestId, cors)
    const found = matcher.find(method === 'HEAD' ? 'GET' : method, path)
    if ('allow' in found) return missed(method, found.allow, front.style, requestId, cors)
    const { entry, params } = found
    const began = performance.now()
    let reply: Reply
    try {
      const answer = await travel(front, entry, params, incoming, requestId)
      reply = isRefusal(answer)
        ? refused(answer, entry.style, requestId, cors)
        : answered(answer, entry, requestId, cors)
    } catch (error) {
      reply = refused(refusalOfError(front, entry.route, requestId, error), entry.style, requestId, cors)
    }
    entry.meter.observe(reply.status, (performance.now() - began) / 1000)
    return reply
  }
}

async function travel(
  front: Front,
  entry: Ready,
  params: Record<string, string>,
  incoming: Incoming,
  requestId: string,
): Promise<Answer | Refusal> {
  const { route } = entry
  const { access } = route
  const { connection, query } = incoming

  // Everything the socket will not keep is taken now, before anything is waited for.
  const limitBytes = route.bodyLimitBytes ?? http.bodyBytes
  const oversized = Number(incoming.header('content-length')) > limitBytes
  const contentType = entry.readsBody ? incoming.header('content-type') : ''
  const svcAgent = incoming.header('x-svc-agent')
  const headers = route.headers && Object.fromEntries(route.headers.map((name) => [name, incoming.header(name)]))
  const token = access.who === 'public' ? '' : tokenOf(front, incoming)
  const arriving = entry.readsBody && !oversized ? incoming.body(limitBytes) : undefined

  let caller: Caller | undefined
  if (access.who !== 'public') {
    const known = token === '' ? undefined : front.authenticate(token)
    caller = known instanceof Promise ? await known : known
    if (!caller) return unauthenticated
    const stopped = confine(access, caller, params)
    if (stopped) return stopped
    if (svcAgent !== '' && svcAgentPattern.test(svcAgent)) caller = { ...caller, svcAgent }
  }

  const bytes = arriving && (await arriving)
  if (oversized || (arriving && !bytes)) return tooLarge
  const denied = caller && authorise(access, caller)
  if (denied) return denied

  let spent: Spent | undefined
  if (route.budget && caller?.kind === 'key') {
    spent = await front.buckets.spend(route.budget, caller.id)
    if (!spent.allowed) return refuse('request.rate_limited', { headers: limitHeaders(spent) })
  }

  const input = readInput(entry, params, ownQuery(front, query), bytes, contentType)
  if (isRefusal(input)) return withHeaders(input, spent)
  const call = {
    caller,
    params,
    query: input.query,
    body: input.body,
    requestId,
    at: front.clock.now(),
    connection,
    header: (name: string) => headers?.[name] ?? '',
  }
  const pending = route.handler(call as unknown as Call<never, never, never, never>)
  const answer = pending instanceof Promise ? await pending : pending
  if (caller?.svcAgent) attribute(front, route, caller, requestId, answer)
  return withHeaders(answer, spent)
}

/** What an automated caller did stays on record under the name it gave. */
function attribute(front: Front, route: Route, caller: Caller, requestId: string, answer: Answer | Refusal): void {
  const { id, orgId, svcAgent } = caller
  const outcome = isRefusal(answer) ? answer.refused : answer.status
  front.log.info('http.attributed', {
    requestId,
    svcAgent,
    orgId,
    caller: id,
    method: route.method,
    path: route.path,
    outcome,
  })
}

function withHeaders<T extends Answer | Refusal>(answer: T, spent: Spent | undefined): T {
  return spent ? { ...answer, headers: { ...answer.headers, ...limitHeaders(spent) } } : answer
}

function tokenOf(front: Front, incoming: Incoming): string {
  const named = front.tokenParameter && new URLSearchParams(incoming.query).get(front.tokenParameter)
  const token = named || bearerOf(incoming.header('authorization'))
  return token.length > http.tokenChars ? '' : token
}

function bearerOf(header: string): string {
  if (header.startsWith('Bearer ') && !header.includes(' ', 7)) return header.slice(7)
  return /^bearer +(\S+)$/i.exec(header)?.[1] ?? ''
}

/** The query without the token, which no schema names and no log may see. */
function ownQuery(front: Front, query: string): string {
  if (!front.tokenParameter || !query.includes(front.tokenParameter)) return query
  const parameters = new URLSearchParams(query)
  parameters.delete(front.tokenParameter)
  return parameters.toString()
}

function answered(answer: Answer, entry: Ready, requestId: string, cors: Reply['cors']): Reply {
  entry.checkAnswer?.(answer)
  const { status, json, headers } = answer
  if (json !== undefined) return { status, requestId, type: jsonType, body: JSON.stringify(json), headers, cors }
  return { status, requestId, type: answer.body && answer.type, body: answer.body, headers, cors }
}

function refused(refusal: Refusal, style: ErrorStyle, requestId: string, cors: Reply['cors']): Reply {
  const { status, type, body, headers } = writeRefusal(refusal, style)
  return { status, requestId, type, body, headers, cors, close: status === 413 ? true : undefined }
}

function missed(
  method: string,
  allow: readonly string[],
  style: ErrorStyle,
  requestId: string,
  cors: Reply['cors'],
): Reply {
  if (allow.length === 0) return refused(notFound, style, requestId, cors)
  const all = [...allow, ...(allow.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (method === 'OPTIONS') return { status: 204, requestId, headers: { allow: all }, cors }
  return refused(refuse('request.method_not_allowed', { headers: { allow: all } }), style, requestId, cors)
}

function refusalOfError(front: Front, route: Route, requestId: string, error: unknown): Refusal {
  front.log.error('http.failed', { requestId, method: route.method, path: route.path, error })
  if (error instanceof StoreFailed) {
    return refuse('service.unavailable', { headers: { 'retry-after': String(http.retryAfterSeconds) } })
  }
  return refuse('service.failed', { detail: `Request ${requestId}` })
}
