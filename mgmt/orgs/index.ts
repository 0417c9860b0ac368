/** Orgs: the root record of each org. */
import type { Route } from '../../runtime/http/route.js'
import { moduleOf, type RouteDeps } from '../area.js'
import { orgRoutes } from './routes.js'
import { anyOrg, createOrg, orgName, patchOrg, readOrg } from './store.js'

export function createOrgs() {
  return {
    module: moduleOf({ commands: { createOrg, patchOrg }, queries: { readOrg, orgName, anyOrg } }),
    routes: (deps: RouteDeps): Route[] => orgRoutes(deps),
  }
}
