/** Collections: the list is replaced as a whole; removing a collection that has things needs force. */
import { mapInSteps, runToEnd, type Steps } from '../../steps.js'
import { type AgentDocument, withSection } from '../document.js'
import { invalidFields, type Outcome, schemaError, withoutUndefined } from '../outcome.js'
import { type Collection, CollectionsBody } from '../resources/knowledge.js'

export function replaceCollections(...args: Parameters<typeof replaceCollectionsInSteps>): Outcome {
  return runToEnd(replaceCollectionsInSteps(...args))
}

/** With `force`, things leave the removed collections; a marker in a text still refuses the removal. */
export function* replaceCollectionsInSteps(document: AgentDocument, body: unknown, force = false): Steps<Outcome> {
  const error = schemaError(CollectionsBody, body)
  if (error) return error
  const { collections } = body as { collections: Collection[] }
  const remaining = new Set(collections.map(({ id }) => id))
  const removedIds = new Set(document.collections.flatMap(({ id }) => (remaining.has(id) ? [] : [id])))
  const candidate = withSection(document, 'collections', collections)
  if (removedIds.size === 0) return candidate
  if (force) return withSection(candidate, 'things', detachThings(document, removedIds))
  const faults = yield* mapInSteps(document.things, ({ collections: collectionIds = [] }, index) =>
    collectionIds.flatMap((id, collectionIndex) =>
      removedIds.has(id)
        ? [
            {
              field: `things[${index}].collections[${collectionIndex}]`,
              code: 'thing.collection.unknown',
              message: `still belongs to the collection ${id}`,
            },
          ]
        : [],
    ),
  )
  const errors = faults.flat()
  return errors.length > 0 ? invalidFields(errors) : candidate
}

function detachThings({ things }: AgentDocument, removedIds: ReadonlySet<string>): AgentDocument['things'] {
  return things.map((thing) => {
    const remaining = thing.collections?.filter((id) => !removedIds.has(id))
    if (remaining?.length === thing.collections?.length) return thing
    return withoutUndefined({ ...thing, collections: remaining && remaining.length > 0 ? remaining : undefined })
  })
}
