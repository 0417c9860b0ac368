/** What an agent may save to a person (decision 20). */
import fc from 'fast-check'
import t from 'tap'
import { type FieldValues, type LockableField, saveFields } from '../../../core/people/agentsave.js'
import { newPerson } from '../../../core/people/change.js'
import { type Person, personStatuses } from '../../../core/people/person.js'

const blank = newPerson('pr_1', 'conversation', 1)
const declared: LockableField[] = [
  { key: 'plan', label: 'Plan' },
  { key: 'guests', label: 'Guests', type: 'number' },
  { key: 'vip', label: 'VIP', type: 'boolean', locked: true },
]
const save = (values: FieldValues, person: Person = blank) => saveFields(person, values, declared, 2)

t.test(
  'decision 20: plain and declared fields are saved, under either name, with the names that were given',
  async (t) => {
    const values = {
      firstName: ' Ann ',
      timezone: 'Europe/Paris',
      'customFields.plan': 'gold',
      guests: 3,
      productInterest: 'A boat',
    }
    t.match(save(values), {
      person: {
        firstName: 'Ann',
        timezone: 'Europe/Paris',
        customFields: { plan: 'gold', guests: '3', productInterest: 'A boat' },
        updatedAt: 2,
      },
      saved: Object.keys(values),
      captured: false,
    })
  },
)

t.test(
  'decision 20: a field that the agent may not save is refused by its name, and nothing else is saved',
  async (t) => {
    const refusals: [FieldValues, string][] = [
      [{ consent: 'granted' }, 'consent is no field that the agent may save.'],
      [{ notes: 'rude' }, 'notes is no field that the agent may save.'],
      [{ tags: 'vip' }, 'tags is no field that the agent may save.'],
      [{ source: 'web' }, 'source is no field that the agent may save.'],
      [{ lockedFields: 'email' }, 'lockedFields is no field that the agent may save.'],
      [{ assignedRepresentativeId: 'r1' }, 'assignedRepresentativeId is no field that the agent may save.'],
      [{ 'customFields.shoes': '43' }, 'customFields.shoes is no field that the agent may save.'],
      [{ vip: true }, 'vip is locked: only an operator changes it.'],
      [{ firstName: 'Ann', 'customFields.vip': true }, 'customFields.vip is locked: only an operator changes it.'],
      [{ firstName: ' ' }, 'firstName must not be empty.'],
      [{ email: 'nobody' }, 'email must be an e-mail address.'],
      [{ phone: '12' }, 'phone must be a number in international format.'],
      [{ timezone: 'Mars/Olympus' }, 'timezone must be an IANA time zone.'],
      [{ guests: 'three' }, 'guests must be a number.'],
      [{ plan: 'x\0' }, 'plan must not hold a NUL character.'],
      [{ plan: 'x'.repeat(4_001) }, 'plan is longer than 4000 characters.'],
      [{ status: 'lost' }, 'status must be one of new, contacted, qualified, converted.'],
    ]
    for (const [values, refused] of refusals) t.same(save(values), { refused })
    const locked = { ...blank, lockedFields: ['email', 'plan'] }
    t.match(save({ email: 'ann@example.com' }, locked), { refused: /^email is locked/ })
    t.match(save({ plan: 'gold' }, locked), { refused: /^plan is locked/ })
  },
)

t.test('decision 20: the status moves forward only', async (t) => {
  const forward = ['new', 'contacted', 'qualified', 'converted']
  for (const from of personStatuses) {
    for (const to of personStatuses) {
      const isForward = forward.includes(from) && forward.indexOf(to) >= forward.indexOf(from)
      const outcome = save({ status: to }, { ...blank, status: from })
      t.equal('refused' in outcome, !isForward, `${from} to ${to}`)
      if (isForward) t.match(outcome, { person: { status: to } })
    }
  }
})

t.test(
  'decision 6: an email or phone that was empty or different before was captured, another spelling was not',
  async (t) => {
    const known = { ...blank, email: 'Ann@example.com', phone: '+1 (202) 555-0123' }
    t.match(save({ email: 'ann@example.com' }), { captured: true })
    t.match(save({ phone: '+1 202 555 0123' }), { captured: true, person: { phone: '+12025550123' } })
    t.match(save({ firstName: 'Ann' }, known), { captured: false })
    t.match(save({ email: 'ann@EXAMPLE.com', phone: '+12025550123' }, known), { captured: false })
    t.match(save({ phone: '+12025550199' }, known), { captured: true })
  },
)

t.test(
  'decision 20: whatever is asked for, locked fields, consent and what only operators write stay as they were',
  async (t) => {
    const names = [
      'firstName',
      'email',
      'vip',
      'customFields.vip',
      'consent',
      'notes',
      'tags',
      'status',
      'id',
      '__proto__',
      'plan',
    ]
    const values = fc.dictionary(
      fc.oneof(fc.constantFrom(...names), fc.string()),
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constantFrom('converted', 'ann@example.com', 'gold')),
    )
    const before: Person = {
      ...blank,
      notes: 'kept',
      tags: ['kept'],
      status: 'qualified',
      customFields: { vip: 'true' },
      lockedFields: ['email'],
      email: 'kept@example.com',
    }
    fc.assert(
      fc.property(values, (given) => {
        const outcome = save(given, before)
        if ('refused' in outcome) return outcome.refused.length > 0
        const { person } = outcome
        const kept = ['id', 'notes', 'tags', 'consent', 'lockedFields', 'email', 'source', 'identities'] as const
        return (
          kept.every((name) => person[name] === before[name]) &&
          person.customFields?.vip === 'true' &&
          ['qualified', 'converted'].includes(person.status)
        )
      }),
    )
    t.pass()
  },
)
