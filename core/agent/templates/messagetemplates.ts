/** Message templates: create, change and remove. */
import { invalid, type Refusal, refuse } from '../../errors.js'
import { agentLimits as limits } from '../../limits/index.js'
import { type AgentDocument, findItem, type Item, withItem, withoutItem } from '../document.js'
import { type Outcome, schemaError, withoutUndefined } from '../outcome.js'
import { MessageTemplateBody, MessageTemplatePatch } from '../resources/templates.js'
import { freeSlug } from '../slug.js'

export function addTemplate(document: AgentDocument, body: unknown): { document: AgentDocument; id: string } | Refusal {
  const error = schemaError(MessageTemplateBody, body)
  if (error) return error
  const { id: requestedId, ...input } = body as MessageTemplateBody
  const isTaken = (slug: string) => findItem(document, 'messageTemplates', slug) !== undefined
  if (requestedId !== undefined && isTaken(requestedId)) return invalid('id', 'is the id of another message template')
  const { max } = limits.messageTemplates
  if (document.messageTemplates.length >= max) return invalid('messageTemplates', `must hold at most ${max}`)
  const id = requestedId ?? freeSlug(input.name, 'template', isTaken)
  return { document: withItem(document, 'messageTemplates', { id, ...input }), id }
}

export function replaceTemplate(document: AgentDocument, id: string, body: unknown): Outcome {
  return changeTemplate(document, id, schemaError(MessageTemplateBody, body), body as MessageTemplatePatch, () => ({
    id,
  }))
}

/** Null removes a field. */
export function patchTemplate(document: AgentDocument, id: string, body: unknown): Outcome {
  return changeTemplate(
    document,
    id,
    schemaError(MessageTemplatePatch, body),
    body as MessageTemplatePatch,
    (stored) => stored,
  )
}

type Template = Item<'messageTemplates'>

function changeTemplate(
  document: AgentDocument,
  id: string,
  error: Refusal | undefined,
  input: MessageTemplatePatch,
  from: (stored: Template) => Partial<Template>,
): Outcome {
  const stored = findItem(document, 'messageTemplates', id)
  if (error || !stored) return error ?? refuse('resource.not_found')
  if (input.id !== undefined && input.id !== id) return invalid('id', 'must be the id of the path')
  const members = Object.entries({ ...from(stored), ...input, id }).filter(([, value]) => value !== null)
  return withItem(document, 'messageTemplates', withoutUndefined(Object.fromEntries(members)) as Template)
}

export function removeTemplate(document: AgentDocument, id: string): Outcome {
  if (!findItem(document, 'messageTemplates', id)) return refuse('resource.not_found')
  return withoutItem(document, 'messageTemplates', id)
}
