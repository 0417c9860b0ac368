/**
 * The pipeline of a plane: match, authenticate, check the tenant, authorize, spend the budget, await the body,
 * validate, run the handler, reply. There is no middleware: a route declares what it needs. `request.ts` has the steps.
 */
import { requestIdPattern } from '../../core/ids.js'
import { http } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import { notFound } from './authorize.js'
import { createBatch } from './batch.js'
import { type CompiledRoute, compileRoute } from './compiledroute.js'
import type { Cors } from './cors.js'
import type { Serve } from './exchange.js'
import { createMatcher } from './matcher.js'
import type { RouteMeter } from './metrics.js'
import { noMatchReply, refusalReply } from './reply.js'
import { PipelineRequest, type PlaneContext } from './request.js'
import { createRequestIds } from './requestid.js'
import type { ErrorStyle, Route } from './route.js'

export interface PipelineOptions extends PlaneContext {
  /** `/v1` or `/v4`, before every path of `routes`. */
  readonly prefix: string
  readonly routes: readonly Route[]
  /** Routes outside the version prefix: health and metrics. */
  readonly unversioned?: readonly Route[]
  readonly style: ErrorStyle
  readonly cors: Cors
  readonly clock: Clock
  readonly meter: (route: Route) => RouteMeter
  /** Compares every answer with its declaration; for tests. */
  readonly checkReplies?: boolean
}

export function createPipeline(options: PipelineOptions): Serve {
  const { prefix, routes, unversioned = [], style, cors, checkReplies = false } = options
  const matcher = createMatcher<CompiledRoute>()
  const compiled = (route: Route) => compileRoute(route, style, options.meter(route), checkReplies)
  for (const route of routes) matcher.add(route.method, prefix + route.path, compiled(route))
  for (const route of unversioned) matcher.add(route.method, route.path, compiled(route))
  const batch = createBatch()
  const nextId = createRequestIds(Math.floor(options.clock.now()))

  return function serve(incoming) {
    const { method, path } = incoming
    const givenId = incoming.header('x-request-id')
    const requestId = givenId !== '' && requestIdPattern.test(givenId) ? givenId : nextId()
    const origin = incoming.header('origin')
    const corsHeaders = origin === '' ? undefined : cors.headersFor(origin, path)
    if (path.length > http.pathChars) return incoming.respond(refusalReply(notFound, style, requestId, corsHeaders))
    const match = matcher.find(method === 'HEAD' ? 'GET' : method, path)
    if (match.entry === undefined) {
      return incoming.respond(noMatchReply(method, match.allow, style, requestId, corsHeaders))
    }
    new PipelineRequest(options, batch, match, incoming, requestId, corsHeaders).start()
  }
}
