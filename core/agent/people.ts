/** People settings of an agent: declared custom fields, and segments. */
import { type FieldError, invalid, isRefusal, type Refusal, refuse } from '../errors.js'
import { agentLimits as limits } from '../limits/index.js'
import { isPersonField } from '../people/columns.js'
import { filterFaults } from '../people/filter.js'
import {
  type AgentDocument,
  type DraftCampaign,
  emptyDocument,
  findItem,
  listSections,
  withItem,
  withSection,
} from './document.js'
import { conflictOf, findBrokenReferences } from './integrity.js'
import { invalidFields, type Outcome, removeItem, schemaError } from './outcome.js'
import {
  type PeopleField,
  PeopleFieldsBody,
  type Segment,
  SegmentBody,
  SegmentPatch,
} from './resources/capabilities.js'
import { freeSlug } from './slug.js'

export function replacePeopleFields(document: AgentDocument, body: unknown): Outcome {
  const error = schemaError(PeopleFieldsBody, body)
  if (error) return error
  const { fields } = body as { fields: PeopleField[] }
  const faults = peopleFieldFaults(fields, 'fields')
  return faults.length > 0 ? invalidFields(faults) : withSection(document, 'peopleFields', fields)
}

/** A field is declared once, under a key that in no spelling is a standard field of people. */
function peopleFieldFaults(fields: readonly PeopleField[], at: string): FieldError[] {
  const keys = new Set<string>()
  return fields.flatMap(({ key }, index) => {
    const message = isPersonField(key)
      ? 'is the name of a field that every person has'
      : keys.has(key)
        ? 'is declared twice'
        : undefined
    keys.add(key)
    return message === undefined ? [] : [{ field: `${at}[${index}].key`, message }]
  })
}

/** Replaces the whole list in an import. */
export function importPeopleFields(document: AgentDocument, fields: unknown): Outcome {
  const error = schemaError(listSections.peopleFields, fields, 'peopleFields')
  if (error) return error
  const faults = peopleFieldFaults(fields as PeopleField[], 'peopleFields')
  return faults.length > 0 ? invalidFields(faults) : withSection(document, 'peopleFields', fields as PeopleField[])
}

export function addSegment(document: AgentDocument, body: unknown): { document: AgentDocument; id: string } | Refusal {
  const error = schemaError(SegmentBody, body) ?? filterError(body as SegmentBody)
  if (error) return error
  const { id: requestedId, name, filter } = body as SegmentBody
  const isTaken = (id: string) => findItem(document, 'segments', id) !== undefined
  if (requestedId !== undefined && isTaken(requestedId)) return invalid('id', 'is that of another segment')
  if (document.segments.length >= limits.people.segments) {
    return refuse('request.invalid', { detail: `An agent has at most ${limits.people.segments} segments.` })
  }
  const id = requestedId ?? freeSlug(name, 'segment', isTaken)
  return { document: withItem(document, 'segments', { id, name, filter }), id }
}

export function patchSegment(document: AgentDocument, id: string, body: unknown): Outcome {
  const stored = findItem(document, 'segments', id)
  if (!stored) return refuse('resource.not_found')
  const error = schemaError(SegmentPatch, body) ?? filterError(body as SegmentPatch)
  return error ?? withItem(document, 'segments', { ...(stored as Segment), ...(body as SegmentPatch) })
}

/** Replaces the whole list in an import. */
export function replaceSegments(document: AgentDocument, segments: unknown): Outcome {
  const error = schemaError(listSections.segments, segments, 'segments')
  if (error) return error
  const input = segments as Segment[]
  const faults = input.flatMap(({ filter }, index) => filterFaults(filter, `segments[${index}].filter`))
  return faults.length > 0 ? invalidFields(faults) : withSection(document, 'segments', input)
}

/** Refuses to remove a segment that a draft campaign names. */
export function removeSegment(document: AgentDocument, id: string, draftCampaigns: readonly DraftCampaign[]): Outcome {
  const updated = removeItem(document, 'segments', id)
  if (isRefusal(updated)) return updated
  return draftsRefusal(document, updated, draftCampaigns) ?? updated
}

/** Only draft campaigns refer to segments, so the rest of the document is not searched. */
export function draftsRefusal(
  before: AgentDocument,
  after: AgentDocument,
  draftCampaigns: readonly DraftCampaign[],
): Refusal | undefined {
  const segmentsOf = ({ segments }: AgentDocument) => ({ ...emptyDocument, segments, draftCampaigns })
  return conflictOf(findBrokenReferences(segmentsOf(before), segmentsOf(after)))
}

/** A filter takes the same terms as the list of people. */
function filterError({ filter }: { readonly filter?: Readonly<Record<string, unknown>> }): Refusal | undefined {
  const faults: FieldError[] = filter ? filterFaults(filter, 'filter') : []
  return faults.length > 0 ? invalidFields(faults) : undefined
}
