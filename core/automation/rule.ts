/** A rule that sends an outreach by itself: what somebody's record has to come to, for whom, how long after, and when. */
import Type, { type Static } from 'typebox'
import type { AgentDocument } from '../agent/index.js'
import { anyObject, closed, optional, orNull, slug, words } from '../agent/resources/words.js'
import { freeSlug } from '../agent/slug.js'
import { invalidFields } from '../agent/writing.js'
import { type FieldError, invalid, isRefusal, type Refusal, refuse } from '../errors.js'
import { automation as limits } from '../limits.js'
import { outreachIn } from '../outreach/judge.js'
import { SendingHours, wrongHours } from '../outreach/settings.js'
import { filterFaults, type PersonFilter } from '../people/filter.js'
import { personStatuses, textFields } from '../people/person.js'

export const triggerKinds = ['person.created', 'person.statusChanged', 'person.fieldSet'] as const

export const Trigger = closed('AutomatedOutreachTrigger', {
  kind: Type.Enum([...triggerKinds]),
  status: optional(
    Type.Enum([...personStatuses], { description: 'With person.statusChanged: the status they come to; any without.' }),
  ),
  field: optional(
    words(limits.fieldChars, {
      description: 'With person.fieldSet: a field that everybody has, or the key of a declared one.',
    }),
  ),
})
export type Trigger = Static<typeof Trigger>

const fields = {
  name: words(limits.nameChars),
  outreachId: slug,
  enabled: Type.Boolean(),
  trigger: Trigger,
  delayMinutes: Type.Integer({ minimum: 0, maximum: limits.delayMostMinutes }),
  filter: anyObject({ description: 'Filters of the list of people.' }),
  ignoreSafeHours: Type.Boolean(),
  sendWindow: SendingHours,
}

export const AutomatedOutreach = closed('AutomatedOutreach', {
  id: slug,
  ...fields,
  filter: optional(fields.filter),
  ignoreSafeHours: optional(fields.ignoreSafeHours),
  sendWindow: optional(fields.sendWindow),
})
export type AutomatedOutreach = Static<typeof AutomatedOutreach>

export const AutomatedOutreachBody = closed('AutomatedOutreachBody', {
  id: optional(slug),
  ...fields,
  enabled: optional(fields.enabled),
  delayMinutes: optional(fields.delayMinutes),
  filter: optional(fields.filter),
  ignoreSafeHours: optional(fields.ignoreSafeHours),
  sendWindow: optional(fields.sendWindow),
})
export type AutomatedOutreachBody = Static<typeof AutomatedOutreachBody>

export const AutomatedOutreachPatch = closed('AutomatedOutreachPatch', {
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

/** As it is kept; its filter holds texts, since it was judged. */
export type Rule = Omit<AutomatedOutreach, 'filter'> & { readonly filter?: PersonFilter }

export function ruleMade(
  document: AgentDocument,
  taken: ReadonlySet<string>,
  { id: wanted, ...body }: AutomatedOutreachBody,
): Rule | Refusal {
  if (wanted !== undefined && taken.has(wanted)) return invalid('id', 'is that of another rule')
  if (taken.size >= limits.rules) {
    return refuse('request.invalid', { detail: `An agent has at most ${limits.rules} rules.` })
  }
  const id = wanted ?? freeSlug(body.name, 'rule', (slug) => taken.has(slug))
  return judged(document, { enabled: true, delayMinutes: 0, ...body, id })
}

export function ruleReplaced(document: AgentDocument, kept: Rule, body: AutomatedOutreachBody): Rule | Refusal {
  return otherId(kept, body) ?? judged(document, { enabled: true, delayMinutes: 0, ...body, id: kept.id })
}

/** Null takes a field away. */
export function rulePatched(document: AgentDocument, kept: Rule, patch: AutomatedOutreachPatch): Rule | Refusal {
  const wrong = otherId(kept, patch)
  if (wrong) return wrong
  const laid = Object.entries({ ...kept, ...patch }).filter(([, value]) => value !== null)
  return judged(document, Object.fromEntries(laid) as AutomatedOutreach)
}

function otherId({ id }: Rule, body: { readonly id?: string }): Refusal | undefined {
  return body.id === undefined || body.id === id ? undefined : invalid('id', 'cannot be changed')
}

/** What no shape can tell. */
function judged(document: AgentDocument, rule: AutomatedOutreach): Rule | Refusal {
  const faults = [...wrongTrigger(document, rule.trigger), ...filterFaults(rule.filter ?? {}, 'filter')]
  const hours = wrongHours(rule.sendWindow, 'sendWindow')
  if (faults.length > 0) return invalidFields(faults)
  if (isRefusal(hours)) return hours
  if (outreachIn(document, rule.outreachId)) return rule as Rule
  const message = `There is no outreach ${rule.outreachId}`
  return refuse('agent.outreach.not_found', { detail: message, errors: [{ field: 'outreachId', message }] })
}

/** Which kind each further word of a trigger belongs to. */
const kindOf = { status: 'person.statusChanged', field: 'person.fieldSet' } as const

function wrongTrigger({ peopleFields }: AgentDocument, trigger: Trigger): FieldError[] {
  const faults: FieldError[] = []
  for (const [name, kind] of Object.entries(kindOf)) {
    if (trigger[name as keyof typeof kindOf] !== undefined && trigger.kind !== kind) {
      faults.push({ field: `trigger.${name}`, message: `goes with ${kind} only` })
    }
  }
  if (trigger.kind !== 'person.fieldSet') return faults
  const known: readonly string[] = [...textFields, ...peopleFields.map(({ key }) => key)]
  const { field } = trigger
  if (field === undefined) faults.push({ field: 'trigger.field', message: 'is required' })
  else if (!known.includes(field)) faults.push({ field: 'trigger.field', message: 'is no field of people' })
  return faults
}
