/** Outreach as far as the document goes: what one may name, and what goes with it. */
import { type FieldError, refuse } from '../errors.js'
import { type AgentDocument, find, withoutItem, withSection } from './document.js'
import type { Outreach } from './resources/templates.js'
import type { Outcome } from './writing.js'

/** Their routes stand where an outreach would. */
const reservedIds = ['sends', 'journey']

export function outreachFaults(document: AgentDocument, outreach: Outreach, at: string): FieldError[] {
  const { id, openerTemplateId, followUp, playbookId } = outreach
  const faults: FieldError[] = []
  if (reservedIds.includes(id)) faults.push({ field: `${at}.id`, message: 'is reserved' })
  const templates = [
    ['openerTemplateId', openerTemplateId],
    ['followUp.templateId', followUp?.templateId],
  ] as const
  for (const [member, templateId] of templates) {
    if (templateId === undefined || find(document, 'messageTemplates', templateId)) continue
    faults.push({
      field: `${at}.${member}`,
      code: 'outreach.template.unknown',
      message: `There is no message template ${templateId}`,
    })
  }
  const playbook = find(document, 'playbooks', playbookId)
  if (playbook?.outreachId !== id) {
    const message = playbook
      ? `The playbook ${playbookId} is not owned by this outreach`
      : `There is no playbook ${playbookId}`
    faults.push({ field: `${at}.playbookId`, code: 'outreach.playbook.unknown', message })
  }
  return faults
}

/** Its playbook goes with it. */
export function outreachRemoved(document: AgentDocument, id: string): Outcome {
  if (!find(document, 'outreach', id)) return refuse('resource.not_found')
  const playbooks = document.playbooks.filter(({ outreachId }) => outreachId !== id)
  return withSection(withoutItem(document, 'outreach', id), 'playbooks', playbooks)
}
