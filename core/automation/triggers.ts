/** Does this change of a person match the rule's trigger? */
import { inputOf, isBlank } from '../outreach/admission.js'
import type { Person } from '../people/person.js'
import type { Trigger } from './rule.js'

type TriggerMatcher = (trigger: Trigger, before: Person | undefined, after: Person) => boolean

const triggerMatchers: Readonly<Record<Trigger['kind'], TriggerMatcher>> = {
  'person.created': (_trigger, before) => before === undefined,
  'person.statusChanged': ({ status = undefined }, before, after) =>
    before !== undefined && before.status !== after.status && (status === undefined || after.status === status),
  'person.fieldSet'({ field = '' }, before, after) {
    const value = inputOf(after, field)
    return !isBlank(value) && value !== (before && inputOf(before, field))
  },
}

/** `before` is absent for a new person. Sandbox people trigger no rules. */
export function isTriggered(trigger: Trigger, before: Person | undefined, after: Person): boolean {
  return !after.sandbox && triggerMatchers[trigger.kind](trigger, before, after)
}
