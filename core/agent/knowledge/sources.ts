/** Sources and media as the document knows them: what they are called and what they are. Their content is kept beside it. */
import { invalid, type Refusal, refuse } from '../../errors.js'
import { agentLimits as limits } from '../../limits.js'
import { type AgentDocument, find, withItem } from '../document.js'
import { MediaBody, SourceBody, SourcePatch } from '../resources/knowledge.js'
import { freeSlug } from '../slug.js'
import { misshapen, type Outcome, tidy } from '../writing.js'

export function sourceAdded(
  document: AgentDocument,
  body: unknown,
  at: string,
): { document: AgentDocument; id: string } | Refusal {
  const wrong = misshapen(SourceBody, body)
  if (wrong) return wrong
  const { id: wanted, ...sent } = body as SourceBody
  const isTaken = (slug: string) => find(document, 'sources', slug) !== undefined
  if (wanted !== undefined && isTaken(wanted)) return invalid('id', 'is the id of another source')
  const { most } = limits.sources
  if (document.sources.length >= most) return invalid('sources', `must hold at most ${most}`)
  const id = wanted ?? freeSlug(sent.name, 'source', isTaken)
  return { document: withItem(document, 'sources', { id, ...sent, createdAt: at, updatedAt: at }), id }
}

/** A url belongs to a source that is read from one, and only such a one is read again. */
export function sourceChanged(document: AgentDocument, id: string, body: unknown, at: string): Outcome {
  const wrong = misshapen(SourcePatch, body)
  const kept = find(document, 'sources', id)
  if (wrong || !kept) return wrong ?? refuse('resource.not_found')
  const { name = kept.name, url = kept.url, hasText, refresh } = body as SourcePatch
  const isUrl = kept.kind === 'url'
  if (!isUrl && url !== undefined) return invalid('url', 'is not of a source of this kind')
  if (!isUrl && refresh !== undefined) return invalid('refresh', 'is for a source that is read from a url')
  if (isUrl && hasText) return invalid('text', 'is read from the url of this source')
  if (name === kept.name && url === kept.url && !hasText) return document
  return withItem(document, 'sources', tidy({ ...kept, name, url, updatedAt: at }))
}

/** Its id is what `image:<id>` says, so a writer may choose it. */
export function mediaAdded(
  document: AgentDocument,
  body: unknown,
  at: string,
): { document: AgentDocument; id: string } | Refusal {
  const wrong = misshapen(MediaBody, body)
  if (wrong) return wrong
  const { id: wanted, name, ...sent } = body as MediaBody
  const isTaken = (slug: string) => find(document, 'media', slug) !== undefined
  if (wanted !== undefined && isTaken(wanted)) return invalid('id', 'is the id of another media item')
  const { most } = limits.media
  if (document.media.length >= most) return invalid('media', `must hold at most ${most}`)
  const id = wanted ?? freeSlug((name ?? '').replace(/\.\w{1,5}$/, ''), 'media', isTaken)
  return { document: withItem(document, 'media', tidy({ id, name, ...sent, createdAt: at })), id }
}
