/** Schemas of sources and media as callers send and read them. */
import Type, { type Static } from 'typebox'
import { MediaItem, Source } from '../../core/agent/resources/knowledge.js'
import { closedObject, nonEmptyText, optional, slug, text, webUrl } from '../../core/agent/resources/schemas.js'
import { agentLimits, knowledge as limits, page } from '../../core/limits/index.js'

export const ofKnowledge = { plane: 'mgmt', tag: 'Knowledge', hasEtag: true } as const
export const sourceReadAccess = { who: 'member', role: 'viewer', scopes: ['knowledge:read'] } as const
export const sourceWriteAccess = { who: 'member', role: 'editor', scopes: ['knowledge:write'] } as const
export const mediaReadAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
export const mediaWriteAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

const name = nonEmptyText(agentLimits.sources.nameChars)
const content = text(limits.textChars, { description: 'What the agent may read, as plain text or markdown.' })
const url = webUrl(agentLimits.urlChars, {
  description: 'A page that is read now, and again whenever it is asked for.',
})

export const SourceCreate = closedObject(
  'KnowledgeSourceBody',
  { id: optional(slug), name, text: optional(content), url: optional(url) },
  { description: 'Of `text` and `url` exactly one.' },
)
export type SourceCreate = Static<typeof SourceCreate>

export const SourceChange = closedObject('KnowledgeSourcePatch', {
  name: optional(name),
  text: optional(content),
  url: optional(url),
  refresh: optional(
    Type.Literal(true, { description: 'Reads the url again; what was read before stays until that is done.' }),
  ),
})
export type SourceChange = Static<typeof SourceChange>

/** Query of an upload whose body is the content of a file. */
export const UploadQuery = closedObject('UploadQuery', {
  name: optional(Type.String({ minLength: 1, maxLength: agentLimits.sources.nameChars, pattern: '\\S' })),
  id: optional(slug),
})

export const SourceView = closedObject('KnowledgeSource', {
  ...Source.properties,
  status: Type.Enum(['pending', 'ready', 'failed'], {
    description: 'Pending while its url is read; failed when the last reading came to nothing.',
  }),
  reason: optional(Type.String({ description: 'Why the last reading came to nothing.' })),
  characters: Type.Integer(),
  passages: Type.Integer({ description: 'How many passages it is searched by.' }),
  readAt: optional(Type.String({ format: 'date-time', description: 'When its content was last read.' })),
})
export type SourceView = Static<typeof SourceView>

const Passage = closedObject('KnowledgePassage', {
  sourceId: Type.String(),
  place: Type.Integer({ description: 'Which passage of its source it is, from 0.' }),
  text: Type.String(),
  score: Type.Number(),
})
export type Passage = Static<typeof Passage>

const FactFound = closedObject('KnowledgeFactFound', {
  factId: Type.String(),
  question: Type.String(),
  answer: Type.String(),
  exact: Type.Boolean({ description: 'Whether the answer is given word by word.' }),
  score: Type.Number(),
})
export type FactFound = Static<typeof FactFound>

const ThingFound = closedObject('KnowledgeThingFound', {
  thingId: Type.String(),
  name: Type.String(),
  score: Type.Number(),
})
export type ThingFound = Static<typeof ThingFound>

export const SourceList = closedObject('KnowledgeSourceList', {
  data: Type.Array(SourceView),
  nextPageToken: optional(Type.String()),
  facts: optional(
    Type.Array(FactFound, {
      description: 'With `q`: the facts that answer best, the best first. They rank ahead of every passage.',
    }),
  ),
  things: optional(
    Type.Array(ThingFound, {
      description: 'With `q`: the things that fit best, the best first. They rank between facts and passages.',
    }),
  ),
  passages: optional(Type.Array(Passage, { description: 'With `q`: the passages that answer best, the best first.' })),
})

const limit = optional(Type.Integer({ minimum: 1, maximum: page.maxRows }))
const pageToken = optional(Type.String({ maxLength: 1024 }))

export const SourceListQuery = closedObject('KnowledgeSourceListQuery', {
  q: optional(
    Type.String({
      minLength: 1,
      maxLength: limits.queryChars,
      description: `Searches facts, things and passages: \`data\` then holds the sources of the passages, \`limit\` counts each of the three (${limits.hits} unless said, at most ${limits.maxHits}), and there are no pages.`,
    }),
  ),
  limit,
  pageToken,
})

export const MediaList = closedObject('MediaItemList', {
  data: Type.Array(MediaItem),
  nextPageToken: optional(Type.String()),
})
export const MediaListQuery = closedObject('MediaListQuery', { limit, pageToken })
