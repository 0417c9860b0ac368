/** Endpoints of playbooks and message templates: lists whose items have routes of their own. */
import Type from 'typebox'
import {
  addPlaybook,
  addTemplate,
  createSlotReader,
  findItem,
  importPlaybook,
  patchPlaybook,
  patchTemplate,
  playbookView,
  removePlaybook,
  removeTemplate,
  replacePlaybook,
  replaceTemplate,
  setDefaultPlaybook,
} from '../../../core/agent/index.js'
import { Playbook, PlaybookBody, PlaybookPatch } from '../../../core/agent/resources/playbook.js'
import { closedObject } from '../../../core/agent/resources/schemas.js'
import {
  MessageTemplate,
  MessageTemplateBody,
  MessageTemplatePatch,
  TemplatePreview,
} from '../../../core/agent/resources/templates.js'
import { refuse } from '../../../core/errors.js'
import { renderOpenerText } from '../../../core/outreach/plaintext.js'
import { type Endpoint, type EndpointRequest, type ReadContext, updates, type WriteResult } from '../endpoint.js'
import { applyAccess, pagesOf, readAccess, writeAccess } from '../schema.js'
import { fromTemplate, TemplateBody } from './template.js'

const tag = 'Playbooks'
const notFound = refuse('resource.not_found')

const playbookDefaults = { tag, sections: ['playbooks'] } as const
const playbooks = { ...playbookDefaults, path: '/playbooks' } as const
const playbook = { ...playbookDefaults, path: '/playbooks/{playbookId}' } as const
const playbookErrors = [
  'request.invalid',
  'agent.playbook.uses_unknown',
  'agent.playbook.flow_invalid',
  'goal.unknown',
] as const

const showPlaybooks = ({ document }: ReadContext) => ({ data: document.playbooks.map(playbookView) })
const showPlaybook = (
  { document }: ReadContext,
  { params, result }: EndpointRequest & { readonly result?: WriteResult },
) => {
  const stored = findItem(document, 'playbooks', result?.id ?? params.playbookId!)
  return stored ? playbookView(stored) : notFound
}
const PlaybookList = pagesOf(Playbook, 'AgentPlaybookList')

const templateDefaults = { tag, sections: ['messageTemplates'] } as const
const templates = { ...templateDefaults, path: '/message-templates' } as const
const template = { ...templateDefaults, path: '/message-templates/{templateId}' } as const
const showTemplate = (
  { document }: ReadContext,
  { params, result }: EndpointRequest & { readonly result?: WriteResult },
) => findItem(document, 'messageTemplates', result?.id ?? params.templateId!) ?? notFound

export const playbookEndpoints: readonly Endpoint[] = [
  {
    ...playbooks,
    method: 'GET',
    access: readAccess,
    summary: 'List the playbooks of an agent',
    isPaged: true,
    reply: { 200: PlaybookList },
    view: showPlaybooks,
  },
  {
    ...playbooks,
    method: 'POST',
    access: writeAccess,
    summary: 'Add a playbook; the first is the default',
    body: PlaybookBody,
    reply: { 201: Playbook },
    errors: playbookErrors,
    write: ({ document }, { body }) => addPlaybook(document, body),
    view: showPlaybook,
  },
  {
    ...playbooks,
    method: 'POST',
    path: '/playbooks/import',
    access: applyAccess,
    summary: 'Copy a playbook from the catalog',
    body: TemplateBody,
    reply: { 200: PlaybookList },
    errors: ['request.invalid'],
    write: ({ document }, request) => fromTemplate(importPlaybook)(document, request),
    view: showPlaybooks,
  },
  {
    ...playbook,
    method: 'GET',
    access: readAccess,
    summary: 'Read a playbook',
    reply: { 200: Playbook },
    view: showPlaybook,
  },
  {
    ...playbook,
    method: 'PATCH',
    access: writeAccess,
    summary: 'Change what is given of a playbook; null clears what is optional',
    body: PlaybookPatch,
    reply: { 200: Playbook },
    errors: playbookErrors,
    write: updates((document, { params, body }) => patchPlaybook(document, params.playbookId!, body)),
    view: showPlaybook,
  },
  {
    ...playbook,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace a playbook; uses and flow stay unless they are sent',
    body: PlaybookBody,
    reply: { 200: Playbook },
    errors: playbookErrors,
    write: updates((document, { params, body }) => replacePlaybook(document, params.playbookId!, body)),
    view: showPlaybook,
  },
  {
    ...playbook,
    method: 'DELETE',
    access: writeAccess,
    summary: 'Delete a playbook that nothing names; if it was the default, the next one becomes it',
    reply: { 204: null },
    errors: ['agent.integrity_conflict'],
    write: updates((document, { params }) => removePlaybook(document, params.playbookId!)),
  },
  {
    ...playbook,
    method: 'POST',
    path: '/playbooks/{playbookId}/_setDefault',
    access: writeAccess,
    summary: 'Make a playbook the default',
    reply: { 200: Playbook },
    errors: ['request.invalid'],
    write: updates((document, { params }) => setDefaultPlaybook(document, params.playbookId!)),
    view: showPlaybook,
  },
  {
    ...templates,
    method: 'GET',
    access: readAccess,
    summary: 'List the message templates of an agent',
    isPaged: true,
    reply: { 200: pagesOf(MessageTemplate, 'MessageTemplateList') },
    view: ({ document }) => ({ data: document.messageTemplates }),
  },
  {
    ...templates,
    method: 'POST',
    access: writeAccess,
    summary: 'Add a message template',
    body: MessageTemplateBody,
    reply: { 201: MessageTemplate },
    errors: ['request.invalid'],
    write: ({ document }, { body }) => addTemplate(document, body),
    view: showTemplate,
  },
  {
    ...template,
    method: 'GET',
    access: readAccess,
    summary: 'Read a message template',
    reply: { 200: MessageTemplate },
    view: showTemplate,
  },
  {
    ...template,
    method: 'GET',
    path: '/message-templates/{templateId}/preview',
    access: readAccess,
    summary: 'See a message template as one person would be sent it',
    needs: ['identity', 'messageTemplates', 'things', 'collections', 'media'],
    query: closedObject('MessageTemplatePreviewQuery', { personId: Type.String({ minLength: 1, maxLength: 200 }) }),
    reply: { 200: TemplatePreview },
    viewExceedsTag: true,
    view({ agent, document, person, withMediaUrls }, { params, query }) {
      const stored = findItem(document, 'messageTemplates', params.templateId!)
      const recipient = stored && person(String(query.personId))
      if (!recipient) return notFound
      const { name, description } = agent
      const readPath = createSlotReader(recipient, { name, description, ...document.identity })
      const { problem: _why, ...preview } = renderOpenerText(withMediaUrls(), stored.id, readPath)
      return preview
    },
  },
  {
    ...template,
    method: 'PATCH',
    access: writeAccess,
    summary: 'Change what is given of a message template; null takes a field away',
    body: MessageTemplatePatch,
    reply: { 200: MessageTemplate },
    errors: ['request.invalid'],
    write: updates((document, { params, body }) => patchTemplate(document, params.templateId!, body)),
    view: showTemplate,
  },
  {
    ...template,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace a message template',
    body: MessageTemplateBody,
    reply: { 200: MessageTemplate },
    errors: ['request.invalid'],
    write: updates((document, { params, body }) => replaceTemplate(document, params.templateId!, body)),
    view: showTemplate,
  },
  {
    ...template,
    method: 'DELETE',
    access: writeAccess,
    summary: 'Delete a message template that nothing names',
    reply: { 204: null },
    errors: ['agent.integrity_conflict'],
    write: updates((document, { params }) => removeTemplate(document, params.templateId!)),
  },
]
