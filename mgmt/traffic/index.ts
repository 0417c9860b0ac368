/** Traffic: the messages of an agent's conversations, and the gateway's log of them. */
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { RouteDeps } from '../area.js'
import type { TrafficLists } from './lists.js'
import { trafficRoutes } from './routes.js'

export interface TrafficDeps {
  readonly clock: Clock
  readonly timeScale: number
}

export interface TrafficRouteDeps extends RouteDeps {
  readonly traffic: TrafficLists
}

export function createTraffic(deps: TrafficDeps) {
  return {
    routes: (engine: TrafficRouteDeps): Route[] => trafficRoutes({ ...engine, ...deps }),
  }
}
