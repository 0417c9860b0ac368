/** Writes of outreach in the document: create, change and remove, with its references and its owned playbook. */
import { type FieldError, invalid, isRefusal, type Refusal, refuse } from '../errors.js'
import { agentLimits as limits } from '../limits/index.js'
import { type AgentDocument, findItem, type Item, withItem, withoutItem, withSection } from './document.js'
import { assignmentRefusal } from './goals.js'
import { invalidFields, isSame, type Outcome, schemaError, withoutUndefined } from './outcome.js'
import { addPlaybook } from './playbooks.js'
import { type Outreach, OutreachBody, OutreachPatch } from './resources/templates.js'
import { freeSlug } from './slug.js'

/** Ids that other routes take in the place of an outreach's id. */
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
    if (templateId === undefined || findItem(document, 'messageTemplates', templateId)) continue
    faults.push({
      field: `${at}.${member}`,
      code: 'outreach.template.unknown',
      message: `There is no message template ${templateId}`,
    })
  }
  const playbook = findItem(document, 'playbooks', playbookId)
  if (playbook?.outreachId !== id) {
    const message = playbook
      ? `The playbook ${playbookId} is not owned by this outreach`
      : `There is no playbook ${playbookId}`
    faults.push({ field: `${at}.playbookId`, code: 'outreach.playbook.unknown', message })
  }
  return faults
}

/** Unknown outreach: DELETE answers 404, a send 422. */
const notFound = refuse('agent.outreach.not_found', { status: 404 })

/** POST: appends a new outreach, and creates the playbook in which its conversations start. */
export function addOutreach(
  document: AgentDocument,
  body: unknown,
  at: string,
): { document: AgentDocument; id: string } | Refusal {
  const error = schemaError(OutreachBody, body)
  if (error) return error
  const {
    id: requestedId,
    playbookId: _playbookId,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    ...input
  } = body as OutreachBody
  const isTaken = (slug: string) => reservedIds.includes(slug) || findItem(document, 'outreach', slug) !== undefined
  if (requestedId !== undefined && findItem(document, 'outreach', requestedId))
    return invalid('id', 'is the id of another outreach')
  const { max } = limits.outreach
  if (document.outreach.length >= max) return invalid('outreach', `must hold at most ${max}`)
  const id = requestedId ?? freeSlug(input.name, 'outreach', isTaken)
  const withPlaybook = addPlaybook(document, { name: input.name }, id)
  if (isRefusal(withPlaybook)) return withPlaybook
  const outreach = {
    inputs: [],
    enabled: true,
    ...input,
    id,
    playbookId: withPlaybook.id,
    createdAt: at,
    updatedAt: at,
  }
  const candidate = putOutreach(withPlaybook.document, outreach)
  return isRefusal(candidate) ? candidate : { document: candidate, id }
}

/** PUT: removes what the body leaves out, except its playbook. */
export function replaceOutreach(document: AgentDocument, id: string, body: unknown, at: string): Outcome {
  const error = schemaError(OutreachBody, body)
  return changeOutreach(document, id, error, body, at, ({ playbookId, createdAt }) => ({
    inputs: [],
    enabled: true,
    playbookId,
    createdAt,
  }))
}

/** Null removes a field. */
export function patchOutreach(document: AgentDocument, id: string, body: unknown, at: string): Outcome {
  return changeOutreach(document, id, schemaError(OutreachPatch, body), body, at, (stored) => stored)
}

function changeOutreach(
  document: AgentDocument,
  id: string,
  error: Refusal | undefined,
  body: unknown,
  at: string,
  from: (stored: Item<'outreach'>) => Partial<Item<'outreach'>>,
): Outcome {
  const stored = findItem(document, 'outreach', id)
  if (error || !stored) return error ?? notFound
  const { id: sentId, playbookId, createdAt: _createdAt, updatedAt: _updatedAt, ...input } = body as OutreachPatch
  if (sentId !== undefined && sentId !== id) return invalid('id', 'must be the id of the path')
  if (playbookId !== undefined && playbookId !== stored.playbookId) {
    return invalid('playbookId', 'is owned by the outreach and stays')
  }
  const members = Object.entries({ ...from(stored), ...input, id }).filter(([, value]) => value !== null)
  const next = withoutUndefined({ ...Object.fromEntries(members), updatedAt: stored.updatedAt }) as Outreach
  return isSame(next, stored) ? document : putOutreach(document, { ...next, updatedAt: at })
}

/** The document with the changed outreach, or the refusal of its unknown references. */
function putOutreach(document: AgentDocument, outreach: Outreach): Outcome {
  const faults = outreachFaults(document, outreach, '').map((fault) => ({ ...fault, field: fault.field.slice(1) }))
  if (faults.length > 0) return invalidFields(faults)
  const index = document.outreach.findIndex(({ id }) => id === outreach.id)
  const at = `outreach[${index < 0 ? document.outreach.length : index}].goal`
  return (
    assignmentRefusal(document.goals, [{ at, goal: outreach.goal }]) ??
    withItem(document, 'outreach', withoutUndefined(outreach))
  )
}

/** Removes its playbook too. */
export function removeOutreach(document: AgentDocument, id: string): Outcome {
  if (!findItem(document, 'outreach', id)) return notFound
  const playbooks = document.playbooks.filter(({ outreachId }) => outreachId !== id)
  return withSection(withoutItem(document, 'outreach', id), 'playbooks', playbooks)
}
