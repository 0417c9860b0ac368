/** The body that names a catalog template, and the update function of endpoints that take only this body. */
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
