/** Playbooks and message templates: lists whose items have routes of their own. */
import Type from 'typebox'
import {
  defaultMoved,
  find,
  playbookAdded,
  playbookImported,
  playbookPatched,
  playbookRemoved,
  playbookReplaced,
  playbookView,
  readerOf,
  templateAdded,
  templatePatched,
  templateRemoved,
  templateReplaced,
} from '../../../core/agent/index.js'
import { Playbook, PlaybookBody, PlaybookPatch } from '../../../core/agent/resources/playbook.js'
import {
  MessageTemplate,
  MessageTemplateBody,
  MessageTemplatePatch,
  TemplatePreview,
} from '../../../core/agent/resources/templates.js'
import { closed } from '../../../core/agent/resources/words.js'
import { refuse } from '../../../core/errors.js'
import { openingTextRead } from '../../../core/outreach/openingtext.js'
import { type Asked, becomes, type Resource, type Seen, type Wrote } from '../resource.js'
import { applying, pagesOf, reading, writing } from '../schema.js'
import { fromTemplate, TemplateBody } from './template.js'

const tag = 'Playbooks'
const notFound = refuse('resource.not_found')

const ofPlaybooks = { tag, of: ['playbooks'] } as const
const playbooks = { ...ofPlaybooks, path: '/playbooks' } as const
const playbook = { ...ofPlaybooks, path: '/playbooks/{playbookId}' } as const
const playbookErrors = [
  'request.invalid',
  'agent.playbook.uses_unknown',
  'agent.playbook.flow_invalid',
  'goal.unknown',
] as const

const showPlaybooks = ({ document }: Seen) => ({ data: document.playbooks.map(playbookView) })
const showPlaybook = ({ document }: Seen, { params, wrote }: Asked & { readonly wrote?: Wrote }) => {
  const found = find(document, 'playbooks', wrote?.id ?? params.playbookId!)
  return found ? playbookView(found) : notFound
}
const PlaybookList = pagesOf(Playbook, 'AgentPlaybookList')

const ofTemplates = { tag, of: ['messageTemplates'] } as const
const templates = { ...ofTemplates, path: '/message-templates' } as const
const template = { ...ofTemplates, path: '/message-templates/{templateId}' } as const
const showTemplate = ({ document }: Seen, { params, wrote }: Asked & { readonly wrote?: Wrote }) =>
  find(document, 'messageTemplates', wrote?.id ?? params.templateId!) ?? notFound

export const playbookResources: readonly Resource[] = [
  {
    ...playbooks,
    method: 'GET',
    access: reading,
    summary: 'List the playbooks of an agent',
    isPaged: true,
    reply: { 200: PlaybookList },
    view: showPlaybooks,
  },
  {
    ...playbooks,
    method: 'POST',
    access: writing,
    summary: 'Add a playbook; the first is the default',
    body: PlaybookBody,
    reply: { 201: Playbook },
    errors: playbookErrors,
    write: ({ document }, { body }) => playbookAdded(document, body),
    view: showPlaybook,
  },
  {
    ...playbooks,
    method: 'POST',
    path: '/playbooks/import',
    access: applying,
    summary: 'Copy a playbook from the catalog',
    body: TemplateBody,
    reply: { 200: PlaybookList },
    errors: ['request.invalid'],
    write: ({ document }, asked) => fromTemplate(playbookImported)(document, asked),
    view: showPlaybooks,
  },
  {
    ...playbook,
    method: 'GET',
    access: reading,
    summary: 'Read a playbook',
    reply: { 200: Playbook },
    view: showPlaybook,
  },
  {
    ...playbook,
    method: 'PATCH',
    access: writing,
    summary: 'Change what is given of a playbook; null clears what is optional',
    body: PlaybookPatch,
    reply: { 200: Playbook },
    errors: playbookErrors,
    write: becomes((document, { params, body }) => playbookPatched(document, params.playbookId!, body)),
    view: showPlaybook,
  },
  {
    ...playbook,
    method: 'PUT',
    access: writing,
    summary: 'Replace a playbook; uses and flow stay unless they are sent',
    body: PlaybookBody,
    reply: { 200: Playbook },
    errors: playbookErrors,
    write: becomes((document, { params, body }) => playbookReplaced(document, params.playbookId!, body)),
    view: showPlaybook,
  },
  {
    ...playbook,
    method: 'DELETE',
    access: writing,
    summary: 'Delete a playbook that nothing names; if it was the default, the next one becomes it',
    reply: { 204: null },
    errors: ['agent.integrity_conflict'],
    write: becomes((document, { params }) => playbookRemoved(document, params.playbookId!)),
  },
  {
    ...playbook,
    method: 'POST',
    path: '/playbooks/{playbookId}/_setDefault',
    access: writing,
    summary: 'Make a playbook the default',
    reply: { 200: Playbook },
    errors: ['request.invalid'],
    write: becomes((document, { params }) => defaultMoved(document, params.playbookId!)),
    view: showPlaybook,
  },
  {
    ...templates,
    method: 'GET',
    access: reading,
    summary: 'List the message templates of an agent',
    isPaged: true,
    reply: { 200: pagesOf(MessageTemplate, 'MessageTemplateList') },
    view: ({ document }) => ({ data: document.messageTemplates }),
  },
  {
    ...templates,
    method: 'POST',
    access: writing,
    summary: 'Add a message template',
    body: MessageTemplateBody,
    reply: { 201: MessageTemplate },
    errors: ['request.invalid'],
    write: ({ document }, { body }) => templateAdded(document, body),
    view: showTemplate,
  },
  {
    ...template,
    method: 'GET',
    access: reading,
    summary: 'Read a message template',
    reply: { 200: MessageTemplate },
    view: showTemplate,
  },
  {
    ...template,
    method: 'GET',
    path: '/message-templates/{templateId}/preview',
    access: reading,
    summary: 'See a message template as one person would be sent it',
    needs: ['identity', 'messageTemplates', 'things', 'collections', 'media'],
    query: closed('MessageTemplatePreviewQuery', { personId: Type.String({ minLength: 1, maxLength: 200 }) }),
    reply: { 200: TemplatePreview },
    isBeyondTag: true,
    view({ agent, document, person, pictured }, { params, query }) {
      const found = find(document, 'messageTemplates', params.templateId!)
      const to = found && person(String(query.personId))
      if (!to) return notFound
      const { name, description } = agent
      const read = readerOf(to, { name, description, ...document.identity })
      const { problem: _why, ...shown } = openingTextRead(pictured(), found.id, read)
      return shown
    },
  },
  {
    ...template,
    method: 'PATCH',
    access: writing,
    summary: 'Change what is given of a message template; null takes a field away',
    body: MessageTemplatePatch,
    reply: { 200: MessageTemplate },
    errors: ['request.invalid'],
    write: becomes((document, { params, body }) => templatePatched(document, params.templateId!, body)),
    view: showTemplate,
  },
  {
    ...template,
    method: 'PUT',
    access: writing,
    summary: 'Replace a message template',
    body: MessageTemplateBody,
    reply: { 200: MessageTemplate },
    errors: ['request.invalid'],
    write: becomes((document, { params, body }) => templateReplaced(document, params.templateId!, body)),
    view: showTemplate,
  },
  {
    ...template,
    method: 'DELETE',
    access: writing,
    summary: 'Delete a message template that nothing names',
    reply: { 204: null },
    errors: ['agent.integrity_conflict'],
    write: becomes((document, { params }) => templateRemoved(document, params.templateId!)),
  },
]
