/** Schemas of the catalogs: all entries of one kind, or one entry. */
import Type from 'typebox'
import { catalogKinds, shapeOf } from '../../core/catalogs/index.js'
import { pathIdPattern } from '../../core/ids.js'

const kind = Type.Enum(catalogKinds, { description: 'What the catalog holds' })
const id = Type.String({
  pattern: pathIdPattern,
  description: 'Id of the entry, percent-encoded: `@svc%2Fplaybook.faq`',
})

export const CatalogParams = Type.Object({ kind })
export const EntryParams = Type.Object({ kind, id })

export const CatalogEntry = Type.Union(catalogKinds.map(shapeOf), { title: 'CatalogEntry' })
export const CatalogList = Type.Object(
  { kind, data: Type.Array(CatalogEntry) },
  { additionalProperties: false, title: 'CatalogList' },
)
