/** What an agent says of its people as a whole: the fields they have beyond those of everybody, and segments of them. */
import { type FieldError, invalid, isRefusal, type Refusal, refuse } from '../errors.js'
import { agentLimits as limits } from '../limits.js'
import { isPersonField } from '../people/columns.js'
import { filterFaults } from '../people/filter.js'
import {
  type AgentDocument,
  type DraftCampaign,
  emptyDocument,
  find,
  listSections,
  withItem,
  withSection,
} from './document.js'
import { brokenBy, conflictOf } from './integrity.js'
import {
  type PeopleField,
  PeopleFieldsBody,
  type Segment,
  SegmentBody,
  SegmentPatch,
} from './resources/capabilities.js'
import { freeSlug } from './slug.js'
import { invalidFields, misshapen, type Outcome, removed } from './writing.js'

export function peopleFieldsReplaced(document: AgentDocument, body: unknown): Outcome {
  const wrong = misshapen(PeopleFieldsBody, body)
  if (wrong) return wrong
  const { fields } = body as { fields: PeopleField[] }
  const faults = peopleFieldFaults(fields, 'fields')
  return faults.length > 0 ? invalidFields(faults) : withSection(document, 'peopleFields', fields)
}

/** A field is declared once, under a key that no field of everybody has in any spelling. */
function peopleFieldFaults(fields: readonly PeopleField[], at: string): FieldError[] {
  const keys = new Set<string>()
  return fields.flatMap(({ key }, place) => {
    const message = isPersonField(key)
      ? 'is the name of a field that every person has'
      : keys.has(key)
        ? 'is declared twice'
        : undefined
    keys.add(key)
    return message === undefined ? [] : [{ field: `${at}[${place}].key`, message }]
  })
}

/** The whole list, as an import brings it. */
export function peopleFieldsImported(document: AgentDocument, fields: unknown): Outcome {
  const wrong = misshapen(listSections.peopleFields, fields, 'peopleFields')
  if (wrong) return wrong
  const faults = peopleFieldFaults(fields as PeopleField[], 'peopleFields')
  return faults.length > 0 ? invalidFields(faults) : withSection(document, 'peopleFields', fields as PeopleField[])
}

export function segmentAdded(
  document: AgentDocument,
  body: unknown,
): { document: AgentDocument; id: string } | Refusal {
  const wrong = misshapen(SegmentBody, body) ?? wrongFilter(body as SegmentBody)
  if (wrong) return wrong
  const { id: wanted, name, filter } = body as SegmentBody
  const isTaken = (id: string) => find(document, 'segments', id) !== undefined
  if (wanted !== undefined && isTaken(wanted)) return invalid('id', 'is that of another segment')
  if (document.segments.length >= limits.people.segments) {
    return refuse('request.invalid', { detail: `An agent has at most ${limits.people.segments} segments.` })
  }
  const id = wanted ?? freeSlug(name, 'segment', isTaken)
  return { document: withItem(document, 'segments', { id, name, filter }), id }
}

export function segmentPatched(document: AgentDocument, id: string, body: unknown): Outcome {
  const kept = find(document, 'segments', id)
  if (!kept) return refuse('resource.not_found')
  const wrong = misshapen(SegmentPatch, body) ?? wrongFilter(body as SegmentPatch)
  return wrong ?? withItem(document, 'segments', { ...(kept as Segment), ...(body as SegmentPatch) })
}

/** The whole list, as an import brings it. */
export function segmentsReplaced(document: AgentDocument, segments: unknown): Outcome {
  const wrong = misshapen(listSections.segments, segments, 'segments')
  if (wrong) return wrong
  const sent = segments as Segment[]
  const faults = sent.flatMap(({ filter }, place) => filterFaults(filter, `segments[${place}].filter`))
  return faults.length > 0 ? invalidFields(faults) : withSection(document, 'segments', sent)
}

/** A segment stays while a campaign is being drafted for it. */
export function segmentRemoved(document: AgentDocument, id: string, draftCampaigns: readonly DraftCampaign[]): Outcome {
  const without = removed(document, 'segments', id)
  if (isRefusal(without)) return without
  return draftsRefusal(document, without, draftCampaigns) ?? without
}

/** Nothing but drafts of campaigns names a segment, so the rest of the document is not looked through. */
export function draftsRefusal(
  before: AgentDocument,
  after: AgentDocument,
  draftCampaigns: readonly DraftCampaign[],
): Refusal | undefined {
  const segmentsOf = ({ segments }: AgentDocument) => ({ ...emptyDocument, segments, draftCampaigns })
  return conflictOf(brokenBy(segmentsOf(before), segmentsOf(after)))
}

/** The words of a filter are those of the list of people. */
function wrongFilter({ filter }: { readonly filter?: Readonly<Record<string, unknown>> }): Refusal | undefined {
  const faults: FieldError[] = filter ? filterFaults(filter, 'filter') : []
  return faults.length > 0 ? invalidFields(faults) : undefined
}
