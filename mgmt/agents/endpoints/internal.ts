/**
 * Endpoints without a route. Other areas call those of sources and media within their commands, so that their own rows
 * are committed with the document; the others answer questions that only the document can.
 */
import Type from 'typebox'
import {
  addMedia,
  addressesToGeocode,
  addressesToImport,
  addSource,
  findItem,
  importDocumentInSteps,
  patchSource,
  removeItem,
} from '../../../core/agent/index.js'
import { MediaItem, Source } from '../../../core/agent/resources/knowledge.js'
import { isRefusal, refuse } from '../../../core/errors.js'
import {
  type Endpoint,
  type EndpointRequest,
  endpointNameOf,
  type ReadContext,
  updates,
  type WriteResult,
} from '../endpoint.js'
import { generationBrief, generationValidation } from '../flowbrief.js'
import { parsePhone } from '../phone.js'
import { readAccess, writeAccess } from '../schema.js'

const notFound = refuse('resource.not_found')

const internalDefaults = { isInternal: true, tag: 'Knowledge', summary: '' } as const
const readDefaults = { ...internalDefaults, access: readAccess } as const
const writeDefaults = { ...internalDefaults, access: writeAccess } as const

const sources = { path: '/knowledge/sources', sections: ['sources'] } as const
const source = { path: '/knowledge/sources/{sourceId}', sections: ['sources'] } as const
const media = { path: '/media', sections: ['media'] } as const
const mediaItem = { path: '/media/{mediaId}', sections: ['media'] } as const

type ItemRequest = EndpointRequest & { readonly result?: WriteResult }
const showSource = ({ document }: ReadContext, { params, result }: ItemRequest) =>
  findItem(document, 'sources', result?.id ?? params.sourceId!) ?? notFound
const showMedia = ({ document }: ReadContext, { params, result }: ItemRequest) =>
  findItem(document, 'media', result?.id ?? params.mediaId!) ?? notFound

const addresses: Endpoint = {
  ...readDefaults,
  method: 'POST',
  path: '/knowledge/things/_addresses',
  sections: ['things'],
  reply: { 200: Type.Array(Type.String()) },
  view: ({ document }, { body, isShaped }) => addressesToGeocode(document, body, isShaped),
}
export const addressesEndpoint = endpointNameOf(addresses)

/** Refuses what the import would refuse, so that no address is geocoded in vain; a long document is not tried first. */
const importAddresses: Endpoint = {
  ...readDefaults,
  method: 'POST',
  path: '/import/_addresses',
  sections: 'all',
  reply: { 200: Type.Array(Type.String()) },
  *viewInSteps({ document }, { body, isShaped }) {
    const outcome = isShaped ? undefined : yield* importDocumentInSteps(document, body, { phone: parsePhone })
    return isRefusal(outcome) ? outcome : addressesToImport(body, isShaped)
  },
}
export const importAddressesEndpoint = endpointNameOf(importAddresses)

const generation = {
  path: '/playbooks/{playbookId}/flow:generate',
  sections: 'all',
  reply: { 200: Type.Unknown() },
} as const
const brief: Endpoint = { ...readDefaults, ...generation, method: 'GET', view: generationBrief }
const validation: Endpoint = { ...readDefaults, ...generation, method: 'POST', view: generationValidation }
export const generationEndpoints = { brief: endpointNameOf(brief), validation: endpointNameOf(validation) }

export const internalEndpoints: readonly Endpoint[] = [
  addresses,
  importAddresses,
  brief,
  validation,
  {
    ...readDefaults,
    ...sources,
    method: 'GET',
    reply: { 200: Type.Array(Source) },
    view: ({ document }) => document.sources,
  },
  { ...readDefaults, ...source, method: 'GET', reply: { 200: Source }, view: showSource },
  {
    ...writeDefaults,
    ...sources,
    method: 'POST',
    reply: { 201: Source },
    write: ({ document }, { body, at }) => addSource(document, body, at),
    view: showSource,
  },
  {
    ...writeDefaults,
    ...source,
    method: 'PATCH',
    reply: { 200: Source },
    write: updates((document, { params, body, at }) => patchSource(document, params.sourceId!, body, at)),
    view: showSource,
  },
  {
    ...writeDefaults,
    ...source,
    method: 'DELETE',
    reply: { 204: null },
    write: updates((document, { params }) => removeItem(document, 'sources', params.sourceId!)),
  },
  {
    ...readDefaults,
    ...media,
    method: 'GET',
    reply: { 200: Type.Array(MediaItem) },
    view: ({ document }) => document.media,
  },
  { ...readDefaults, ...mediaItem, method: 'GET', reply: { 200: MediaItem }, view: showMedia },
  {
    ...writeDefaults,
    ...media,
    method: 'POST',
    reply: { 201: MediaItem },
    write: ({ document }, { body, at }) => addMedia(document, body, at),
    view: showMedia,
  },
  {
    ...writeDefaults,
    ...mediaItem,
    method: 'DELETE',
    reply: { 204: null },
    write: updates((document, { params }) => removeItem(document, 'media', params.mediaId!)),
  },
]
