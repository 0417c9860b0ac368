/** The body by which a catalog template is named, and changes that are made of nothing else. */
import Type from 'typebox'
import type { AgentDocument } from '../../../core/agent/index.js'
import { closedObject } from '../../../core/agent/resources/schemas.js'
import type { Refusal } from '../../../core/errors.js'
import { agentLimits } from '../../../core/limits/index.js'
import type { EndpointRequest } from '../endpoint.js'

export const TemplateBody = closedObject('TemplateToCopy', {
  templateId: Type.String({
    minLength: 1,
    maxLength: agentLimits.qualifiedIdChars,
    description: 'Id of a catalog entry, such as `@svc/playbook.booking`.',
  }),
})

export function fromTemplate<T>(applyTemplate: (document: AgentDocument, templateId: string) => T | Refusal) {
  return (document: AgentDocument, { body }: EndpointRequest): T | Refusal =>
    applyTemplate(document, (body as { templateId: string }).templateId)
}
