/** Journeys: sends that a journey platform asks for, one for each step. */
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Agents } from '../agents/index.js'
import type { RouteDeps } from '../area.js'
import type { Outreach } from '../outreach/index.js'
import { journeyRoutes } from './routes.js'

export interface JourneyDeps {
  readonly agents: Pick<Agents, 'documents'>
  readonly outreach: Pick<Outreach, 'sends'>
  /** Base URL of the management API, without its version. */
  readonly mgmtUrl: () => string
  readonly clock: Clock
}

export function createJourney({ agents: { documents }, outreach, mgmtUrl, clock }: JourneyDeps) {
  return {
    routes: ({ shards }: Pick<RouteDeps, 'shards'>): Route[] =>
      journeyRoutes({ shards, documents, sends: outreach.sends(shards), mgmtUrl, clock }),
  }
}
