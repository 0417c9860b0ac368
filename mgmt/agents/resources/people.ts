/** What an agent says of its people as a whole: the fields they have, and segments of them. */
import Type from 'typebox'
import { find, peopleFieldsReplaced, segmentAdded, segmentPatched, segmentRemoved } from '../../../core/agent/index.js'
import { PeopleFieldsBody, Segment, SegmentBody, SegmentPatch } from '../../../core/agent/resources/capabilities.js'
import { refuse } from '../../../core/errors.js'
import { slugPattern } from '../../../core/ids.js'
import { type Asked, becomes, type Resource, type Seen, type Wrote } from '../resource.js'
import { agentParams, pagesOf } from '../schema.js'

const tag = 'People'
const reading = { who: 'member', role: 'viewer', scopes: ['people:read'] } as const
const writing = { who: 'member', role: 'editor', scopes: ['people:write'] } as const

export const fieldsPath = '/people/fields'
const fields = { tag, path: fieldsPath, of: ['peopleFields'], reply: { 200: PeopleFieldsBody } } as const
const showFields = ({ document }: Seen) => ({ fields: document.peopleFields })

const segments = { tag, path: '/people/segments', of: ['segments'] } as const
const segmentId = Type.String({ pattern: slugPattern })
const segment = {
  tag,
  path: '/people/segments/{segmentId}',
  of: ['segments'],
  params: agentParams({ segmentId }),
} as const
const showSegment = ({ document }: Seen, { params, wrote }: Asked & { readonly wrote?: Wrote }) =>
  find(document, 'segments', wrote?.id ?? params.segmentId!) ?? refuse('resource.not_found')

export const peopleResources: readonly Resource[] = [
  {
    ...fields,
    method: 'GET',
    access: reading,
    summary: 'List the fields that people of an agent have',
    view: showFields,
  },
  {
    ...fields,
    method: 'PUT',
    access: writing,
    summary: 'Replace the fields that people have beyond those of everybody; one that something reads stays',
    body: PeopleFieldsBody,
    errors: ['request.invalid', 'agent.integrity_conflict'],
    write: becomes((document, { body }) => peopleFieldsReplaced(document, body)),
    view: showFields,
  },
  {
    ...segments,
    method: 'GET',
    access: reading,
    summary: 'List the segments of people',
    isPaged: true,
    reply: { 200: pagesOf(Segment, 'PeopleSegmentList') },
    view: ({ document }) => ({ data: document.segments }),
  },
  {
    ...segments,
    method: 'POST',
    access: writing,
    summary: 'Name a filter of people',
    body: SegmentBody,
    reply: { 201: Segment },
    errors: ['request.invalid'],
    write: ({ document }, { body }) => segmentAdded(document, body),
    view: showSegment,
  },
  {
    ...segment,
    method: 'GET',
    access: reading,
    summary: 'Read a segment',
    reply: { 200: Segment },
    errors: ['resource.not_found'],
    view: showSegment,
  },
  {
    ...segment,
    method: 'PATCH',
    access: writing,
    summary: 'Change the name or the filter of a segment',
    body: SegmentPatch,
    reply: { 200: Segment },
    errors: ['resource.not_found', 'request.invalid'],
    write: becomes((document, { params, body }) => segmentPatched(document, params.segmentId!, body)),
    view: showSegment,
  },
  {
    ...segment,
    method: 'DELETE',
    access: writing,
    summary: 'Delete a segment that no campaign is being drafted for',
    reply: { 204: null },
    errors: ['resource.not_found', 'agent.integrity_conflict'],
    write: becomes((document, { params }, seen) => segmentRemoved(document, params.segmentId!, seen.draftCampaigns())),
  },
]
