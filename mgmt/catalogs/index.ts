/** Catalogs: the kinds of agents, channels and tools on offer, the same for every org. */
import type { Route } from '../../runtime/http/route.js'
import { moduleOf } from '../area.js'
import { catalogRoutes, type PartnerForm } from './routes.js'

export interface CatalogsDeps {
  readonly partnerForms: readonly PartnerForm[]
}

export function createCatalogs({ partnerForms }: CatalogsDeps) {
  return {
    module: moduleOf(),
    routes: (): Route[] => catalogRoutes(partnerForms),
  }
}
