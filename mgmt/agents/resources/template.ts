/** The body by which a catalog template is named, and changes that are made of nothing else. */
import Type from 'typebox'
import type { AgentDocument } from '../../../core/agent/index.js'
import { closed } from '../../../core/agent/resources/words.js'
import type { Refusal } from '../../../core/errors.js'
import { agentLimits } from '../../../core/limits.js'
import type { Asked } from '../resource.js'

export const TemplateBody = closed('TemplateToCopy', {
  templateId: Type.String({
    minLength: 1,
    maxLength: agentLimits.qualifiedIdChars,
    description: 'Id of a catalog entry, such as `@svc/playbook.booking`.',
  }),
})

export function fromTemplate<T>(copied: (document: AgentDocument, templateId: string) => T | Refusal) {
  return (document: AgentDocument, { body }: Asked): T | Refusal =>
    copied(document, (body as { templateId: string }).templateId)
}
