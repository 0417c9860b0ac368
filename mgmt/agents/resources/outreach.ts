/** Outreach: openings with a playbook of their own, in a list whose items have routes of their own. */
import { find, outreachAdded, outreachPatched, outreachRemoved, outreachReplaced } from '../../../core/agent/index.js'
import { Outreach, OutreachBody, OutreachPatch } from '../../../core/agent/resources/templates.js'
import { refuse } from '../../../core/errors.js'
import { type Asked, becomes, type Resource, type Seen, type Wrote } from '../resource.js'
import { pagesOf, reading, writing } from '../schema.js'

const ofOutreach = { tag: 'Outreach', of: ['outreach'] } as const
const outreaches = { ...ofOutreach, path: '/outreach' } as const
const outreach = { ...ofOutreach, path: '/outreach/{outreachId}' } as const
const errors = ['request.invalid', 'goal.unknown'] as const

const showOutreach = ({ document }: Seen, { params, wrote }: Asked & { readonly wrote?: Wrote }) =>
  find(document, 'outreach', wrote?.id ?? params.outreachId!) ?? refuse('agent.outreach.not_found', { status: 404 })

export const outreachResources: readonly Resource[] = [
  {
    ...outreaches,
    method: 'GET',
    access: reading,
    summary: 'List the outreaches of an agent',
    isPaged: true,
    reply: { 200: pagesOf(Outreach, 'OutreachList') },
    view: ({ document }) => ({ data: document.outreach }),
  },
  {
    ...outreaches,
    method: 'POST',
    access: writing,
    summary: 'Add an outreach, and the playbook that its conversations start in',
    body: OutreachBody,
    reply: { 201: Outreach },
    errors,
    write: ({ document }, { body, at }) => outreachAdded(document, body, at),
    view: showOutreach,
  },
  {
    ...outreach,
    method: 'GET',
    access: reading,
    summary: 'Read an outreach',
    reply: { 200: Outreach },
    errors: ['agent.outreach.not_found'],
    view: showOutreach,
  },
  {
    ...outreach,
    method: 'PATCH',
    access: writing,
    summary: 'Change what is given of an outreach; null takes a field away',
    body: OutreachPatch,
    reply: { 200: Outreach },
    errors: [...errors, 'agent.outreach.not_found'],
    write: becomes((document, { params, body, at }) => outreachPatched(document, params.outreachId!, body, at)),
    view: showOutreach,
  },
  {
    ...outreach,
    method: 'PUT',
    access: writing,
    summary: 'Replace an outreach; its playbook stays',
    body: OutreachBody,
    reply: { 200: Outreach },
    errors: [...errors, 'agent.outreach.not_found'],
    write: becomes((document, { params, body, at }) => outreachReplaced(document, params.outreachId!, body, at)),
    view: showOutreach,
  },
  {
    ...outreach,
    method: 'DELETE',
    access: writing,
    summary: 'Delete an outreach with its playbook; sends that wait are cancelled',
    reply: { 204: null },
    errors: ['agent.outreach.not_found', 'agent.outreach.in_use', 'agent.integrity_conflict'],
    write: becomes((document, { params }) => outreachRemoved(document, params.outreachId!)),
  },
]
