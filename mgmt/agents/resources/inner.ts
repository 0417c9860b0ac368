/**
 * Rows without a route of their own. Other areas ask those of sources and media within their commands, so that what they
 * keep beside the document becomes durable with it; the others tell what only the document knows.
 */
import Type from 'typebox'
import {
  addressesToGeocode,
  addressesToImport,
  find,
  importInSteps,
  mediaAdded,
  removed,
  sourceAdded,
  sourceChanged,
} from '../../../core/agent/index.js'
import { MediaItem, Source } from '../../../core/agent/resources/knowledge.js'
import { isRefusal, refuse } from '../../../core/errors.js'
import { generationBrief, generationJudged } from '../generation.js'
import { phoneOf } from '../phone.js'
import { type Asked, becomes, nameOf, type Resource, type Seen, type Wrote } from '../resource.js'
import { reading, writing } from '../schema.js'

const notFound = refuse('resource.not_found')

const inner = { isInner: true, tag: 'Knowledge', summary: '' } as const
const read = { ...inner, access: reading } as const
const written = { ...inner, access: writing } as const

const sources = { path: '/knowledge/sources', of: ['sources'] } as const
const source = { path: '/knowledge/sources/{sourceId}', of: ['sources'] } as const
const media = { path: '/media', of: ['media'] } as const
const mediaItem = { path: '/media/{mediaId}', of: ['media'] } as const

type Shown = Asked & { readonly wrote?: Wrote }
const showSource = ({ document }: Seen, { params, wrote }: Shown) =>
  find(document, 'sources', wrote?.id ?? params.sourceId!) ?? notFound
const showMedia = ({ document }: Seen, { params, wrote }: Shown) =>
  find(document, 'media', wrote?.id ?? params.mediaId!) ?? notFound

const addresses: Resource = {
  ...read,
  method: 'POST',
  path: '/knowledge/things/_addresses',
  of: ['things'],
  reply: { 200: Type.Array(Type.String()) },
  view: ({ document }, { body, isShaped }) => addressesToGeocode(document, body, isShaped),
}
export const addressesRow = nameOf(addresses)

/** Refuses what the import would refuse, so that no address is asked about in vain; a long document is not tried first. */
const importAddresses: Resource = {
  ...read,
  method: 'POST',
  path: '/import/_addresses',
  of: 'all',
  reply: { 200: Type.Array(Type.String()) },
  *viewInSteps({ document }, { body, isShaped }) {
    const outcome = isShaped ? undefined : yield* importInSteps(document, body, { phone: phoneOf })
    return isRefusal(outcome) ? outcome : addressesToImport(body, isShaped)
  },
}
export const importAddressesRow = nameOf(importAddresses)

const generation = { path: '/playbooks/{playbookId}/flow:generate', of: 'all', reply: { 200: Type.Unknown() } } as const
const brief: Resource = { ...read, ...generation, method: 'GET', view: generationBrief }
const judged: Resource = { ...read, ...generation, method: 'POST', view: generationJudged }
export const generationRows = { brief: nameOf(brief), judged: nameOf(judged) }

export const innerResources: readonly Resource[] = [
  addresses,
  importAddresses,
  brief,
  judged,
  {
    ...read,
    ...sources,
    method: 'GET',
    reply: { 200: Type.Array(Source) },
    view: ({ document }) => document.sources,
  },
  { ...read, ...source, method: 'GET', reply: { 200: Source }, view: showSource },
  {
    ...written,
    ...sources,
    method: 'POST',
    reply: { 201: Source },
    write: ({ document }, { body, at }) => sourceAdded(document, body, at),
    view: showSource,
  },
  {
    ...written,
    ...source,
    method: 'PATCH',
    reply: { 200: Source },
    write: becomes((document, { params, body, at }) => sourceChanged(document, params.sourceId!, body, at)),
    view: showSource,
  },
  {
    ...written,
    ...source,
    method: 'DELETE',
    reply: { 204: null },
    write: becomes((document, { params }) => removed(document, 'sources', params.sourceId!)),
  },
  { ...read, ...media, method: 'GET', reply: { 200: Type.Array(MediaItem) }, view: ({ document }) => document.media },
  { ...read, ...mediaItem, method: 'GET', reply: { 200: MediaItem }, view: showMedia },
  {
    ...written,
    ...media,
    method: 'POST',
    reply: { 201: MediaItem },
    write: ({ document }, { body, at }) => mediaAdded(document, body, at),
    view: showMedia,
  },
  {
    ...written,
    ...mediaItem,
    method: 'DELETE',
    reply: { 204: null },
    write: becomes((document, { params }) => removed(document, 'media', params.mediaId!)),
  },
]
