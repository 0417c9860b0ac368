/** Reading the catalogs. They come with the build and belong to no org, so every member reads the same. */
import { catalogKinds, findInCatalog, isCatalogKind, listCatalog } from '../../core/catalogs/index.js'
import { refuse } from '../../core/errors.js'
import { catalog } from '../../core/limits.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import { CatalogEntry, CatalogList, CatalogParams, EntryParams } from './schema.js'

/** Content changes only with a new build; it is private because a token was needed to read it. */
const cached = { 'cache-control': `private, max-age=${catalog.cacheSeconds}` }

export function catalogRoutes(): Route[] {
  const about = {
    plane: 'mgmt',
    method: 'GET',
    tag: 'Catalogs',
    access: { who: 'any', scopes: ['catalogs:read'] },
    errors: ['resource.not_found'],
  } as const
  const lists = new Map<string, ReturnType<typeof json>>(
    catalogKinds.map((kind) => [kind, json(200, { kind, data: listCatalog(kind) }, cached)]),
  )
  return [
    route({
      ...about,
      path: '/catalogs/{kind}',
      summary: 'List the entries of one catalog',
      params: CatalogParams,
      reply: { 200: CatalogList },
      handler: ({ params }) => lists.get(params.kind) ?? refuse('resource.not_found'),
    }),
    route({
      ...about,
      path: '/catalogs/{kind}/{id}',
      summary: 'Read one entry of a catalog',
      params: EntryParams,
      reply: { 200: CatalogEntry },
      handler({ params }) {
        const entry = isCatalogKind(params.kind) ? findInCatalog(params.kind, params.id) : undefined
        return entry ? json(200, entry, cached) : refuse('resource.not_found')
      },
    }),
  ]
}
