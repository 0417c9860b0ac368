/** Sources and media in the document: names and metadata. Their content is stored beside the document. */
import { invalid, type Refusal, refuse } from '../../errors.js'
import { agentLimits as limits } from '../../limits/index.js'
import { type AgentDocument, findItem, withItem } from '../document.js'
import { type Outcome, schemaError, withoutUndefined } from '../outcome.js'
import { MediaBody, SourceBody, SourcePatch } from '../resources/knowledge.js'
import { freeSlug } from '../slug.js'

export function addSource(
  document: AgentDocument,
  body: unknown,
  at: string,
): { document: AgentDocument; id: string } | Refusal {
  const error = schemaError(SourceBody, body)
  if (error) return error
  const { id: requestedId, ...input } = body as SourceBody
  const isTaken = (slug: string) => findItem(document, 'sources', slug) !== undefined
  if (requestedId !== undefined && isTaken(requestedId)) return invalid('id', 'is the id of another source')
  const { max } = limits.sources
  if (document.sources.length >= max) return invalid('sources', `must hold at most ${max}`)
  const id = requestedId ?? freeSlug(input.name, 'source', isTaken)
  return { document: withItem(document, 'sources', { id, ...input, createdAt: at, updatedAt: at }), id }
}

/** Only a source that is read from a url has one, and only such a source can be refreshed. */
export function patchSource(document: AgentDocument, id: string, body: unknown, at: string): Outcome {
  const error = schemaError(SourcePatch, body)
  const stored = findItem(document, 'sources', id)
  if (error || !stored) return error ?? refuse('resource.not_found')
  const { name = stored.name, url = stored.url, hasText, refresh } = body as SourcePatch
  const isUrl = stored.kind === 'url'
  if (!isUrl && url !== undefined) return invalid('url', 'is not of a source of this kind')
  if (!isUrl && refresh !== undefined) return invalid('refresh', 'is for a source that is read from a url')
  if (isUrl && hasText) return invalid('text', 'is read from the url of this source')
  if (name === stored.name && url === stored.url && !hasText) return document
  return withItem(document, 'sources', withoutUndefined({ ...stored, name, url, updatedAt: at }))
}

/** Callers may choose the id, since texts refer to it as `image:<id>`. */
export function addMedia(
  document: AgentDocument,
  body: unknown,
  at: string,
): { document: AgentDocument; id: string } | Refusal {
  const error = schemaError(MediaBody, body)
  if (error) return error
  const { id: requestedId, name, ...input } = body as MediaBody
  const isTaken = (slug: string) => findItem(document, 'media', slug) !== undefined
  if (requestedId !== undefined && isTaken(requestedId)) return invalid('id', 'is the id of another media item')
  const { max } = limits.media
  if (document.media.length >= max) return invalid('media', `must hold at most ${max}`)
  const id = requestedId ?? freeSlug((name ?? '').replace(/\.\w{1,5}$/, ''), 'media', isTaken)
  return { document: withItem(document, 'media', withoutUndefined({ id, name, ...input, createdAt: at })), id }
}
