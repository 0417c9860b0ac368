/**
 * An automation rule: sends an outreach when a person's record meets its trigger, for people in its filter, after a
 * delay, within its hours.
 */
import Type, { type Static } from 'typebox'
import type { AgentDocument } from '../agent/index.js'
import { invalidFields } from '../agent/outcome.js'
import { anyObject, closedObject, nonEmptyText, optional, orNull, slug } from '../agent/resources/schemas.js'
import { freeSlug } from '../agent/slug.js'
import { type FieldError, invalid, isRefusal, type Refusal, refuse } from '../errors.js'
import { automation as limits } from '../limits/index.js'
import { findOutreach } from '../outreach/admission.js'
import { hoursError, SendingHours } from '../outreach/settings.js'
import { filterFaults, type PersonFilter } from '../people/filter.js'
import { personStatuses, textFields } from '../people/person.js'

export const triggerKinds = ['person.created', 'person.statusChanged', 'person.fieldSet'] as const

export const Trigger = closedObject('AutomatedOutreachTrigger', {
  kind: Type.Enum([...triggerKinds]),
  status: optional(
    Type.Enum([...personStatuses], { description: 'With person.statusChanged: the status they come to; any without.' }),
  ),
  field: optional(
    nonEmptyText(limits.fieldChars, {
      description: 'With person.fieldSet: a field that everybody has, or the key of a declared one.',
    }),
  ),
})
export type Trigger = Static<typeof Trigger>

const fields = {
  name: nonEmptyText(limits.nameChars),
  outreachId: slug,
  enabled: Type.Boolean(),
  trigger: Trigger,
  delayMinutes: Type.Integer({ minimum: 0, maximum: limits.delayMaxMinutes }),
  filter: anyObject({ description: 'Filters of the list of people.' }),
  ignoreSafeHours: Type.Boolean(),
  sendWindow: SendingHours,
}

export const AutomatedOutreach = closedObject('AutomatedOutreach', {
  id: slug,
  ...fields,
  filter: optional(fields.filter),
  ignoreSafeHours: optional(fields.ignoreSafeHours),
  sendWindow: optional(fields.sendWindow),
})
export type AutomatedOutreach = Static<typeof AutomatedOutreach>

export const AutomatedOutreachBody = closedObject('AutomatedOutreachBody', {
  id: optional(slug),
  ...fields,
  enabled: optional(fields.enabled),
  delayMinutes: optional(fields.delayMinutes),
  filter: optional(fields.filter),
  ignoreSafeHours: optional(fields.ignoreSafeHours),
  sendWindow: optional(fields.sendWindow),
})
export type AutomatedOutreachBody = Static<typeof AutomatedOutreachBody>

export const AutomatedOutreachPatch = closedObject('AutomatedOutreachPatch', {
  id: optional(slug),
  name: optional(fields.name),
  outreachId: optional(fields.outreachId),
  enabled: optional(fields.enabled),
  trigger: optional(fields.trigger),
  delayMinutes: optional(fields.delayMinutes),
  filter: optional(orNull(fields.filter)),
  ignoreSafeHours: optional(orNull(fields.ignoreSafeHours)),
  sendWindow: optional(orNull(fields.sendWindow)),
})
export type AutomatedOutreachPatch = Static<typeof AutomatedOutreachPatch>

/** A rule as it is stored; its filter holds texts, since it has been validated. */
export type Rule = Omit<AutomatedOutreach, 'filter'> & { readonly filter?: PersonFilter }

export function createRule(
  document: AgentDocument,
  usedIds: ReadonlySet<string>,
  { id: requestedId, ...body }: AutomatedOutreachBody,
): Rule | Refusal {
  if (requestedId !== undefined && usedIds.has(requestedId)) return invalid('id', 'is that of another rule')
  if (usedIds.size >= limits.rules) {
    return refuse('request.invalid', { detail: `An agent has at most ${limits.rules} rules.` })
  }
  const id = requestedId ?? freeSlug(body.name, 'rule', (slug) => usedIds.has(slug))
  return validateRule(document, { enabled: true, delayMinutes: 0, ...body, id })
}

export function replaceRule(document: AgentDocument, current: Rule, body: AutomatedOutreachBody): Rule | Refusal {
  return (
    checkUnchangedId(current, body) ??
    validateRule(document, { enabled: true, delayMinutes: 0, ...body, id: current.id })
  )
}

/** Null removes a field. */
export function patchRule(document: AgentDocument, current: Rule, patch: AutomatedOutreachPatch): Rule | Refusal {
  const refusal = checkUnchangedId(current, patch)
  if (refusal) return refusal
  const merged = Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null)
  return validateRule(document, Object.fromEntries(merged) as AutomatedOutreach)
}

function checkUnchangedId({ id }: Rule, body: { readonly id?: string }): Refusal | undefined {
  return body.id === undefined || body.id === id ? undefined : invalid('id', 'cannot be changed')
}

/** Checks that a schema cannot express. */
function validateRule(document: AgentDocument, rule: AutomatedOutreach): Rule | Refusal {
  const faults = [...triggerErrors(document, rule.trigger), ...filterFaults(rule.filter ?? {}, 'filter')]
  const hoursRefusal = hoursError(rule.sendWindow, 'sendWindow')
  if (faults.length > 0) return invalidFields(faults)
  if (isRefusal(hoursRefusal)) return hoursRefusal
  if (findOutreach(document, rule.outreachId)) return rule as Rule
  const message = `There is no outreach ${rule.outreachId}`
  return refuse('agent.outreach.not_found', { detail: message, errors: [{ field: 'outreachId', message }] })
}

/** The trigger kind to which each optional member belongs. */
const kindOf = { status: 'person.statusChanged', field: 'person.fieldSet' } as const

function triggerErrors({ peopleFields }: AgentDocument, trigger: Trigger): FieldError[] {
  const faults: FieldError[] = []
  for (const [name, kind] of Object.entries(kindOf)) {
    if (trigger[name as keyof typeof kindOf] !== undefined && trigger.kind !== kind) {
      faults.push({ field: `trigger.${name}`, message: `goes with ${kind} only` })
    }
  }
  if (trigger.kind !== 'person.fieldSet') return faults
  const personFields: readonly string[] = [...textFields, ...peopleFields.map(({ key }) => key)]
  const { field } = trigger
  if (field === undefined) faults.push({ field: 'trigger.field', message: 'is required' })
  else if (!personFields.includes(field)) faults.push({ field: 'trigger.field', message: 'is no field of people' })
  return faults
}
