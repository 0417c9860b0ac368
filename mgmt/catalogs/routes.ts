/**
 * Routes of the catalogs. Catalogs come with the build and its adapters and belong to no org, so every member reads the
 * same.
 */
import { type CatalogKind, catalogKinds, listCatalog } from '../../core/catalogs/index.js'
import type { ProviderForm } from '../../core/channel/form.js'
import type { ChannelName } from '../../core/channelnames.js'
import { refuse } from '../../core/errors.js'
import { catalog } from '../../core/limits/index.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import { CatalogEntry, CatalogList, CatalogParams, EntryParams } from './schema.js'

/** The binding form of a provider whose adapter came with the installation and not with the build. */
export interface PartnerForm {
  readonly channel: ChannelName
  readonly form: ProviderForm
}

/** The content changes only with a restart; it is private because reading it takes a token. */
const cacheHeaders = { 'cache-control': `private, max-age=${catalog.cacheSeconds}` }

/** `forms` may contain forms of the catalog, too: each is listed once, as the catalog has it. */
export function catalogRoutes(forms: readonly PartnerForm[] = []): Route[] {
  const common = {
    plane: 'mgmt',
    method: 'GET',
    tag: 'Catalogs',
    access: { who: 'any', scopes: ['catalogs:read'] },
    errors: ['resource.not_found'],
  } as const
  const lists = new Map<string, ReturnType<typeof json>>()
  const entries = new Map<string, ReturnType<typeof json>>()
  for (const kind of catalogKinds) {
    const data = entriesOf(kind, forms)
    lists.set(kind, json(200, { kind, data }, cacheHeaders))
    for (const entry of data) entries.set(entryKey(kind, entry.id), json(200, entry, cacheHeaders))
  }
  return [
    route({
      ...common,
      path: '/catalogs/{kind}',
      summary: 'List the entries of one catalog',
      params: CatalogParams,
      reply: { 200: CatalogList },
      handler: ({ params }) => lists.get(params.kind) ?? refuse('resource.not_found'),
    }),
    route({
      ...common,
      path: '/catalogs/{kind}/{id}',
      summary: 'Read one entry of a catalog',
      params: EntryParams,
      reply: { 200: CatalogEntry },
      handler: ({ params: { kind, id } }) => entries.get(entryKey(kind, id)) ?? refuse('resource.not_found'),
    }),
  ]
}

const entryKey = (kind: string, id: string) => `${kind} ${id}`

function entriesOf(kind: CatalogKind, forms: readonly PartnerForm[]): readonly { readonly id: string }[] {
  if (kind !== 'channels') return listCatalog(kind)
  return listCatalog(kind).map((setup) => {
    const listed = new Set(setup.unmanaged.map(({ provider }) => provider))
    const partners = forms.filter(({ channel, form }) => channel === setup.id && !listed.has(form.provider))
    if (partners.length === 0) return setup
    return { ...setup, unmanaged: [...setup.unmanaged, ...partners.map(({ form }) => form)] }
  })
}
