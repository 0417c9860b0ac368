/** Collections: the whole list is replaced at once; one that things still belong to goes only by force. */
import { finish, mapInSteps, type Steps } from '../../steps.js'
import { type AgentDocument, withSection } from '../document.js'
import { type Collection, CollectionsBody } from '../resources/knowledge.js'
import { invalidFields, misshapen, type Outcome, tidy } from '../writing.js'

export function collectionsReplaced(...given: Parameters<typeof replaceCollectionsInSteps>): Outcome {
  return finish(replaceCollectionsInSteps(...given))
}

/** By force, things leave the collections that are dropped; markers in texts still hold them. */
export function* replaceCollectionsInSteps(document: AgentDocument, body: unknown, force = false): Steps<Outcome> {
  const wrong = misshapen(CollectionsBody, body)
  if (wrong) return wrong
  const { collections } = body as { collections: Collection[] }
  const left = new Set(collections.map(({ id }) => id))
  const dropped = new Set(document.collections.flatMap(({ id }) => (left.has(id) ? [] : [id])))
  const candidate = withSection(document, 'collections', collections)
  if (dropped.size === 0) return candidate
  if (force) return withSection(candidate, 'things', detached(document, dropped))
  const faults = yield* mapInSteps(document.things, ({ collections: of = [] }, place) =>
    of.flatMap((id, nth) =>
      dropped.has(id)
        ? [
            {
              field: `things[${place}].collections[${nth}]`,
              code: 'thing.collection.unknown',
              message: `still belongs to the collection ${id}`,
            },
          ]
        : [],
    ),
  )
  const all = faults.flat()
  return all.length > 0 ? invalidFields(all) : candidate
}

function detached({ things }: AgentDocument, dropped: ReadonlySet<string>): AgentDocument['things'] {
  return things.map((thing) => {
    const left = thing.collections?.filter((id) => !dropped.has(id))
    if (left?.length === thing.collections?.length) return thing
    return tidy({ ...thing, collections: left && left.length > 0 ? left : undefined })
  })
}
