/**
 * The one road of every request: match, authenticate, isolate the org, authorise, spend the budget, await the body,
 * validate, run, reply. There is no middleware; what a route needs is in its declaration.
 */
import { requestIdPattern } from '../../core/ids.js'
import { http } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import { notFound } from './admit.js'
import { openBatch } from './batch.js'
import type { Cors } from './cors.js'
import type { Serve } from './exchange.js'
import { openMatcher } from './match.js'
import type { RouteMeter } from './metrics.js'
import { makeReady, type Ready } from './ready.js'
import { missed, refused } from './reply.js'
import { requestIds } from './requestid.js'
import type { ErrorStyle, Route } from './route.js'
import { type PlaneContext, Trip } from './trip.js'

export interface Front extends PlaneContext {
  /** `/v1` or `/v4`, before every path of `routes`. */
  readonly prefix: string
  readonly routes: readonly Route[]
  /** Served outside the version prefix: health and metrics. */
  readonly unversioned?: readonly Route[]
  readonly style: ErrorStyle
  readonly cors: Cors
  readonly clock: Clock
  readonly meter: (route: Route) => RouteMeter
  /** Compares every answer with its declaration; for tests. */
  readonly checkReplies?: boolean
}

export function openPipeline(front: Front): Serve {
  const matcher = openMatcher<Ready>()
  const ready = (route: Route) => makeReady(route, front.style, front.meter(route), front.checkReplies ?? false)
  for (const route of front.routes) matcher.add(route.method, front.prefix + route.path, ready(route))
  for (const route of front.unversioned ?? []) matcher.add(route.method, route.path, ready(route))
  const batch = openBatch()
  const nextId = requestIds(Math.floor(front.clock.now()))

  return function serve(incoming) {
    const { method, path } = incoming
    const givenId = incoming.header('x-request-id')
    const requestId = givenId !== '' && requestIdPattern.test(givenId) ? givenId : nextId()
    const origin = incoming.header('origin')
    const cors = origin === '' ? undefined : front.cors.headersFor(origin, path)
    if (path.length > http.pathChars) return incoming.respond(refused(notFound, front.style, requestId, cors))
    const found = matcher.find(method === 'HEAD' ? 'GET' : method, path)
    if (found.entry === undefined) return incoming.respond(missed(method, found.allow, front.style, requestId, cors))
    new Trip(front, batch, found, incoming, requestId, cors).depart()
  }
}
