/** The audit trail: who changed or used credentials, bindings and exports of an org, and who was refused. */
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { moduleOf, type RouteDeps } from '../area.js'
import { auditRoutes } from './routes.js'
import { createAuditStore } from './store.js'
import { openTrail, type Trail } from './trail.js'

export interface AuditDeps {
  readonly clock: Clock
  readonly log: Log
  readonly timeScale: number
}

export function createAudit({ clock, log, timeScale }: AuditDeps) {
  const store = createAuditStore({ timeScale })
  return {
    queries: store.queries,
    module: moduleOf(store),
    /** Opens the trail of a node; the node closes it. */
    openTrail: (shards: Shards): Trail => openTrail({ shards, store, clock, log }),
    routes: (engine: RouteDeps): Route[] => auditRoutes({ ...engine, store, clock }),
  }
}
export type Audit = ReturnType<typeof createAudit>
