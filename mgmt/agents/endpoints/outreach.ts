/** Endpoints of outreach: openers with a playbook of their own, in a list whose items have routes of their own. */
import { addOutreach, findItem, patchOutreach, removeOutreach, replaceOutreach } from '../../../core/agent/index.js'
import { Outreach, OutreachBody, OutreachPatch } from '../../../core/agent/resources/templates.js'
import { refuse } from '../../../core/errors.js'
import { type Endpoint, type EndpointRequest, type ReadContext, updates, type WriteResult } from '../endpoint.js'
import { pagesOf, readAccess, writeAccess } from '../schema.js'

const outreachDefaults = { tag: 'Outreach', sections: ['outreach'] } as const
const outreaches = { ...outreachDefaults, path: '/outreach' } as const
const outreach = { ...outreachDefaults, path: '/outreach/{outreachId}' } as const
const errors = ['request.invalid', 'goal.unknown'] as const

const showOutreach = (
  { document }: ReadContext,
  { params, result }: EndpointRequest & { readonly result?: WriteResult },
) =>
  findItem(document, 'outreach', result?.id ?? params.outreachId!) ??
  refuse('agent.outreach.not_found', { status: 404 })

export const outreachEndpoints: readonly Endpoint[] = [
  {
    ...outreaches,
    method: 'GET',
    access: readAccess,
    summary: 'List the outreaches of an agent',
    isPaged: true,
    reply: { 200: pagesOf(Outreach, 'OutreachList') },
    view: ({ document }) => ({ data: document.outreach }),
  },
  {
    ...outreaches,
    method: 'POST',
    access: writeAccess,
    summary: 'Add an outreach, and the playbook that its conversations start in',
    body: OutreachBody,
    reply: { 201: Outreach },
    errors,
    write: ({ document }, { body, at }) => addOutreach(document, body, at),
    view: showOutreach,
  },
  {
    ...outreach,
    method: 'GET',
    access: readAccess,
    summary: 'Read an outreach',
    reply: { 200: Outreach },
    errors: ['agent.outreach.not_found'],
    view: showOutreach,
  },
  {
    ...outreach,
    method: 'PATCH',
    access: writeAccess,
    summary: 'Change what is given of an outreach; null takes a field away',
    body: OutreachPatch,
    reply: { 200: Outreach },
    errors: [...errors, 'agent.outreach.not_found'],
    write: updates((document, { params, body, at }) => patchOutreach(document, params.outreachId!, body, at)),
    view: showOutreach,
  },
  {
    ...outreach,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace an outreach; its playbook stays',
    body: OutreachBody,
    reply: { 200: Outreach },
    errors: [...errors, 'agent.outreach.not_found'],
    write: updates((document, { params, body, at }) => replaceOutreach(document, params.outreachId!, body, at)),
    view: showOutreach,
  },
  {
    ...outreach,
    method: 'DELETE',
    access: writeAccess,
    summary: 'Delete an outreach with its playbook; sends that wait are cancelled',
    reply: { 204: null },
    errors: ['agent.outreach.not_found', 'agent.outreach.in_use', 'agent.integrity_conflict'],
    write: updates((document, { params }) => removeOutreach(document, params.outreachId!)),
  },
]
