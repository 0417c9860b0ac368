/** Schemas of the knowledge catalog: things, collections, facts, sources and media as callers send and read them. */
import Type, { type Static } from 'typebox'
import { agentLimits } from '../../limits/index.js'
import { closedObject, freeId, moment, nonEmptyText, optional, orNull, record, slug, text, webUrl } from './schemas.js'

const limits = agentLimits.things
const collectionId = freeId(agentLimits.collections.idChars)

export const actionKinds = ['url', 'dial', 'reply', 'viewLocation'] as const

/** `thingFaults` checks what each kind needs; members foreign to the kind are dropped. */
export const ThingAction = closedObject('ThingAction', {
  label: nonEmptyText(limits.actionLabelChars),
  kind: optional(Type.Enum([...actionKinds])),
  url: optional(webUrl(limits.actionUrlChars)),
  phone: optional(nonEmptyText(agentLimits.phoneChars)),
  value: optional(text(limits.actionValueChars)),
})
export type ThingAction = Static<typeof ThingAction>

export const ThingLocation = closedObject('ThingLocation', {
  address: optional(text(limits.addressChars)),
  latitude: optional(Type.Number({ minimum: -limits.latitude, maximum: limits.latitude })),
  longitude: optional(Type.Number({ minimum: -limits.longitude, maximum: limits.longitude })),
  label: optional(text(limits.locationLabelChars)),
})
export type ThingLocation = Static<typeof ThingLocation>

const thing = {
  id: freeId(limits.idChars),
  name: nonEmptyText(limits.nameChars),
  description: optional(text(limits.descriptionChars)),
  imageUrl: optional(webUrl(limits.imageUrlChars)),
  productPageUrl: optional(webUrl(limits.productPageUrlChars)),
  actions: optional(Type.Array(ThingAction, { maxItems: limits.actions })),
  collections: optional(Type.Array(collectionId, { maxItems: limits.collections })),
  /** Deprecated: the first of `collections`. */
  collection: optional(orNull(text(agentLimits.collections.idChars))),
  metadata: optional(
    record<string>({ type: 'string', maxLength: limits.metadataValueChars }, { maxProperties: limits.metadataKeys }),
  ),
}

/** A stored thing. A read also shows `collection`, the first of `collections`. */
export const Thing = closedObject('AgentThing', {
  ...thing,
  collection: optional(text(agentLimits.collections.idChars)),
  media: optional(freeId(limits.mediaChars)),
  location: optional(ThingLocation),
})
export type Thing = Static<typeof Thing>

/** Without a `location` key the stored one stays; null clears it. `media` may be written `image:<id>`. */
export const ThingBody = closedObject('AgentThingBody', {
  ...thing,
  media: optional(text(limits.mediaChars + 'image:'.length)),
  location: optional(orNull(ThingLocation)),
})
export type ThingBody = Static<typeof ThingBody>
export const ThingsBody = closedObject('AgentThingsBody', { things: Type.Array(ThingBody, { maxItems: limits.max }) })

const collectionLimits = agentLimits.collections
export const displayFields = ['picture', 'name', 'description'] as const
export const Collection = closedObject('AgentCollection', {
  id: collectionId,
  name: nonEmptyText(collectionLimits.nameChars),
  purpose: optional(text(collectionLimits.purposeChars)),
  presentation: optional(
    closedObject('CollectionPresentation', {
      fields: optional(
        Type.Array(Type.Enum([...displayFields]), { uniqueItems: true, maxItems: displayFields.length }),
      ),
      actions: optional(Type.Array(nonEmptyText(collectionLimits.actionChars), { maxItems: collectionLimits.actions })),
    }),
  ),
})
export type Collection = Static<typeof Collection>
export const CollectionsBody = closedObject('AgentCollectionsBody', {
  collections: Type.Array(Collection, { maxItems: collectionLimits.max }),
})

const facts = agentLimits.facts
const fact = {
  alternates: optional(Type.Array(nonEmptyText(facts.alternateChars), { maxItems: facts.alternates })),
  exact: optional(Type.Boolean()),
  enabled: optional(Type.Boolean()),
  source: optional(Type.Enum(['operator', 'import', 'suggested'])),
  updatedAt: optional(moment),
  confirmed: optional(Type.Boolean()),
  alwaysOn: optional(Type.Boolean()),
  scope: optional(closedObject('FactScope', { playbooks: Type.Array(slug, { maxItems: facts.scopePlaybooks }) })),
}
const id = freeId(facts.idChars)
const question = nonEmptyText(facts.questionChars)
const answer = nonEmptyText(facts.answerChars)
/** An older name of `exact`. */
const verbatim = optional(Type.Boolean())

export const Fact = closedObject('AgentFact', { ...fact, id, question, answer })
export type Fact = Static<typeof Fact>
export const FactBody = closedObject('AgentFactBody', { ...fact, id: optional(id), question, answer, verbatim })
export type FactBody = Static<typeof FactBody>
export const FactPatch = closedObject('AgentFactPatch', {
  ...fact,
  alternates: optional(orNull(fact.alternates)),
  scope: optional(orNull(fact.scope)),
  id: optional(id),
  question: optional(question),
  answer: optional(answer),
  verbatim,
})
export type FactPatch = Static<typeof FactPatch>
export const FactsBody = closedObject('AgentFactsBody', { facts: Type.Array(FactBody, { maxItems: facts.max }) })

const sourceName = nonEmptyText(agentLimits.sources.nameChars)
const sourceUrl = webUrl(agentLimits.urlChars)
export const sourceKinds = ['text', 'url', 'file'] as const

/** A source in the document: its text and passages are stored beside it. */
export const Source = closedObject('KnowledgeSource', {
  id: freeId(agentLimits.facts.idChars),
  name: sourceName,
  kind: Type.Enum([...sourceKinds]),
  url: optional(sourceUrl),
  createdAt: optional(moment),
  updatedAt: optional(moment),
})
export type Source = Static<typeof Source>
export const SourceBody = closedObject('KnowledgeSourceMade', {
  id: optional(slug),
  name: sourceName,
  kind: Type.Enum([...sourceKinds]),
  url: optional(sourceUrl),
})
export type SourceBody = Static<typeof SourceBody>
/** `hasText` says that its text is replaced in the same change, `refresh` that its url is to be read again. */
export const SourcePatch = closedObject('KnowledgeSourceChanged', {
  name: optional(sourceName),
  url: optional(sourceUrl),
  hasText: optional(Type.Boolean()),
  refresh: optional(Type.Boolean()),
})
export type SourcePatch = Static<typeof SourcePatch>

const media = {
  name: optional(text(agentLimits.media.nameChars)),
  contentType: optional(text(200)),
  bytes: optional(Type.Integer({ minimum: 0, maximum: agentLimits.media.bytes })),
}

/** A picture or file in the document: its bytes are stored beside it. */
export const MediaItem = closedObject('MediaItem', {
  id: freeId(agentLimits.media.idChars),
  ...media,
  url: optional(webUrl(agentLimits.urlChars)),
  createdAt: optional(moment),
})
export type MediaItem = Static<typeof MediaItem>
export const MediaBody = closedObject('MediaItemMade', { ...media, id: optional(slug) })
export type MediaBody = Static<typeof MediaBody>
