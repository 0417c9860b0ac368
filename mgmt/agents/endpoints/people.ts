/** Endpoints of the fields and segments of an agent's people. */
import Type from 'typebox'
import { addSegment, findItem, patchSegment, removeSegment, replacePeopleFields } from '../../../core/agent/index.js'
import { PeopleFieldsBody, Segment, SegmentBody, SegmentPatch } from '../../../core/agent/resources/capabilities.js'
import { refuse } from '../../../core/errors.js'
import { slugPattern } from '../../../core/ids.js'
import { type Endpoint, type EndpointRequest, type ReadContext, updates, type WriteResult } from '../endpoint.js'
import { agentParams, pagesOf } from '../schema.js'

const tag = 'People'
const readAccess = { who: 'member', role: 'viewer', scopes: ['people:read'] } as const
const writeAccess = { who: 'member', role: 'editor', scopes: ['people:write'] } as const

export const fieldsPath = '/people/fields'
const fields = { tag, path: fieldsPath, sections: ['peopleFields'], reply: { 200: PeopleFieldsBody } } as const
const showFields = ({ document }: ReadContext) => ({ fields: document.peopleFields })

const segments = { tag, path: '/people/segments', sections: ['segments'] } as const
const segmentId = Type.String({ pattern: slugPattern })
const segment = {
  tag,
  path: '/people/segments/{segmentId}',
  sections: ['segments'],
  params: agentParams({ segmentId }),
} as const
const showSegment = (
  { document }: ReadContext,
  { params, result }: EndpointRequest & { readonly result?: WriteResult },
) => findItem(document, 'segments', result?.id ?? params.segmentId!) ?? refuse('resource.not_found')

export const peopleEndpoints: readonly Endpoint[] = [
  {
    ...fields,
    method: 'GET',
    access: readAccess,
    summary: 'List the fields that people of an agent have',
    view: showFields,
  },
  {
    ...fields,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the fields that people have beyond those of everybody; one that something reads stays',
    body: PeopleFieldsBody,
    errors: ['request.invalid', 'agent.integrity_conflict'],
    write: updates((document, { body }) => replacePeopleFields(document, body)),
    view: showFields,
  },
  {
    ...segments,
    method: 'GET',
    access: readAccess,
    summary: 'List the segments of people',
    isPaged: true,
    reply: { 200: pagesOf(Segment, 'PeopleSegmentList') },
    view: ({ document }) => ({ data: document.segments }),
  },
  {
    ...segments,
    method: 'POST',
    access: writeAccess,
    summary: 'Name a filter of people',
    body: SegmentBody,
    reply: { 201: Segment },
    errors: ['request.invalid'],
    write: ({ document }, { body }) => addSegment(document, body),
    view: showSegment,
  },
  {
    ...segment,
    method: 'GET',
    access: readAccess,
    summary: 'Read a segment',
    reply: { 200: Segment },
    errors: ['resource.not_found'],
    view: showSegment,
  },
  {
    ...segment,
    method: 'PATCH',
    access: writeAccess,
    summary: 'Change the name or the filter of a segment',
    body: SegmentPatch,
    reply: { 200: Segment },
    errors: ['resource.not_found', 'request.invalid'],
    write: updates((document, { params, body }) => patchSegment(document, params.segmentId!, body)),
    view: showSegment,
  },
  {
    ...segment,
    method: 'DELETE',
    access: writeAccess,
    summary: 'Delete a segment that no campaign is being drafted for',
    reply: { 204: null },
    errors: ['resource.not_found', 'agent.integrity_conflict'],
    write: updates((document, { params }, context) =>
      removeSegment(document, params.segmentId!, context.draftCampaigns()),
    ),
  },
]
