/** Message templates: making, changing and removing them. */
import { invalid, type Refusal, refuse } from '../../errors.js'
import { agentLimits as limits } from '../../limits.js'
import { type AgentDocument, find, type Item, withItem, withoutItem } from '../document.js'
import { MessageTemplateBody, MessageTemplatePatch } from '../resources/templates.js'
import { freeSlug } from '../slug.js'
import { misshapen, type Outcome, tidy } from '../writing.js'

export function templateAdded(
  document: AgentDocument,
  body: unknown,
): { document: AgentDocument; id: string } | Refusal {
  const wrong = misshapen(MessageTemplateBody, body)
  if (wrong) return wrong
  const { id: wanted, ...sent } = body as MessageTemplateBody
  const isTaken = (slug: string) => find(document, 'messageTemplates', slug) !== undefined
  if (wanted !== undefined && isTaken(wanted)) return invalid('id', 'is the id of another message template')
  const { most } = limits.messageTemplates
  if (document.messageTemplates.length >= most) return invalid('messageTemplates', `must hold at most ${most}`)
  const id = wanted ?? freeSlug(sent.name, 'template', isTaken)
  return { document: withItem(document, 'messageTemplates', { id, ...sent }), id }
}

export function templateReplaced(document: AgentDocument, id: string, body: unknown): Outcome {
  return changed(document, id, misshapen(MessageTemplateBody, body), body as MessageTemplatePatch, () => ({ id }))
}

/** Null takes a field away. */
export function templatePatched(document: AgentDocument, id: string, body: unknown): Outcome {
  return changed(document, id, misshapen(MessageTemplatePatch, body), body as MessageTemplatePatch, (kept) => kept)
}

type Template = Item<'messageTemplates'>

function changed(
  document: AgentDocument,
  id: string,
  wrong: Refusal | undefined,
  sent: MessageTemplatePatch,
  from: (kept: Template) => Partial<Template>,
): Outcome {
  const kept = find(document, 'messageTemplates', id)
  if (wrong || !kept) return wrong ?? refuse('resource.not_found')
  if (sent.id !== undefined && sent.id !== id) return invalid('id', 'must be the id of the path')
  const members = Object.entries({ ...from(kept), ...sent, id }).filter(([, value]) => value !== null)
  return withItem(document, 'messageTemplates', tidy(Object.fromEntries(members)) as Template)
}

export function templateRemoved(document: AgentDocument, id: string): Outcome {
  if (!find(document, 'messageTemplates', id)) return refuse('resource.not_found')
  return withoutItem(document, 'messageTemplates', id)
}
