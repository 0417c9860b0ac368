/** Outreach as far as the document goes: making and changing one, what it may name, and what goes with it. */
import { type FieldError, invalid, isRefusal, type Refusal, refuse } from '../errors.js'
import { agentLimits as limits } from '../limits.js'
import { type AgentDocument, find, type Item, withItem, withoutItem, withSection } from './document.js'
import { assignmentRefusal } from './goals.js'
import { playbookAdded } from './playbooks.js'
import { type Outreach, OutreachBody, OutreachPatch } from './resources/templates.js'
import { freeSlug } from './slug.js'
import { invalidFields, isSame, misshapen, type Outcome, tidy } from './writing.js'

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

/** An outreach that is not there; DELETE says so with 404, a send with 422. */
const notFound = refuse('agent.outreach.not_found', { status: 404 })

/** POST: a new outreach behind the others, and the playbook that its conversations start in. */
export function outreachAdded(
  document: AgentDocument,
  body: unknown,
  at: string,
): { document: AgentDocument; id: string } | Refusal {
  const wrong = misshapen(OutreachBody, body)
  if (wrong) return wrong
  const { id: wanted, playbookId: _made, createdAt: _at, updatedAt: _then, ...sent } = body as OutreachBody
  const isTaken = (slug: string) => reservedIds.includes(slug) || find(document, 'outreach', slug) !== undefined
  if (wanted !== undefined && find(document, 'outreach', wanted)) return invalid('id', 'is the id of another outreach')
  const { most } = limits.outreach
  if (document.outreach.length >= most) return invalid('outreach', `must hold at most ${most}`)
  const id = wanted ?? freeSlug(sent.name, 'outreach', isTaken)
  const owned = playbookAdded(document, { name: sent.name }, id)
  if (isRefusal(owned)) return owned
  const made = { inputs: [], enabled: true, ...sent, id, playbookId: owned.id, createdAt: at, updatedAt: at }
  const candidate = laidIn(owned.document, made)
  return isRefusal(candidate) ? candidate : { document: candidate, id }
}

/** PUT: what is left out is gone, but for its playbook. */
export function outreachReplaced(document: AgentDocument, id: string, body: unknown, at: string): Outcome {
  const wrong = misshapen(OutreachBody, body)
  return changed(document, id, wrong, body, at, ({ playbookId, createdAt }) => ({
    inputs: [],
    enabled: true,
    playbookId,
    createdAt,
  }))
}

/** Null takes a field away. */
export function outreachPatched(document: AgentDocument, id: string, body: unknown, at: string): Outcome {
  return changed(document, id, misshapen(OutreachPatch, body), body, at, (kept) => kept)
}

function changed(
  document: AgentDocument,
  id: string,
  wrong: Refusal | undefined,
  body: unknown,
  at: string,
  from: (kept: Item<'outreach'>) => Partial<Item<'outreach'>>,
): Outcome {
  const kept = find(document, 'outreach', id)
  if (wrong || !kept) return wrong ?? notFound
  const { id: sentId, playbookId, createdAt: _at, updatedAt: _then, ...sent } = body as OutreachPatch
  if (sentId !== undefined && sentId !== id) return invalid('id', 'must be the id of the path')
  if (playbookId !== undefined && playbookId !== kept.playbookId) {
    return invalid('playbookId', 'is owned by the outreach and stays')
  }
  const members = Object.entries({ ...from(kept), ...sent, id }).filter(([, value]) => value !== null)
  const next = tidy({ ...Object.fromEntries(members), updatedAt: kept.updatedAt }) as Outreach
  return isSame(next, kept) ? document : laidIn(document, { ...next, updatedAt: at })
}

/** The document with the outreach as it becomes, once all that it names is found. */
function laidIn(document: AgentDocument, outreach: Outreach): Outcome {
  const faults = outreachFaults(document, outreach, '').map((fault) => ({ ...fault, field: fault.field.slice(1) }))
  if (faults.length > 0) return invalidFields(faults)
  const place = document.outreach.findIndex(({ id }) => id === outreach.id)
  const at = `outreach[${place < 0 ? document.outreach.length : place}].goal`
  return (
    assignmentRefusal(document.goals, [{ at, goal: outreach.goal }]) ?? withItem(document, 'outreach', tidy(outreach))
  )
}

/** Its playbook goes with it. */
export function outreachRemoved(document: AgentDocument, id: string): Outcome {
  if (!find(document, 'outreach', id)) return notFound
  const playbooks = document.playbooks.filter(({ outreachId }) => outreachId !== id)
  return withSection(withoutItem(document, 'outreach', id), 'playbooks', playbooks)
}
