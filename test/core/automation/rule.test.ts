/** What sets a rule off. */
import fc from 'fast-check'
import t from 'tap'
import { isTriggered } from '../../../core/automation/triggers.js'
import { type Person, personStatuses } from '../../../core/people/person.js'

const person: Person = {
  id: 'pr_1',
  status: 'new',
  source: 'test',
  consent: { status: 'granted' },
  identities: [],
  createdAt: 1,
  updatedAt: 1,
}
const values = fc.option(fc.constantFrom('', '  ', 'a', 'b'), { nil: undefined })
const someone = fc
  .record({ status: fc.constantFrom(...personStatuses), company: values, plan: values })
  .map(({ status, company, plan }): Person => {
    const custom = plan === undefined ? {} : { customFields: { plan } }
    return { ...person, status, ...(company !== undefined && { company }), ...custom }
  })

t.test('A field trigger fires when the field gets a new value, and at no other time', async (t) => {
  const fieldOf = (who: Person | undefined, field: string) =>
    (field === 'plan' ? who?.customFields?.plan : who?.company) ?? ''
  fc.assert(
    fc.property(
      fc.option(someone, { nil: undefined }),
      someone,
      fc.constantFrom('plan', 'company'),
      (before, after, field) => {
        const isNewlySet = fieldOf(after, field).trim() !== '' && fieldOf(after, field) !== fieldOf(before, field)
        return isTriggered({ kind: 'person.fieldSet', field }, before, after) === isNewlySet
      },
    ),
  )
  t.pass()
})

t.test('A status trigger fires on a change, and a new person triggers creation once', async (t) => {
  fc.assert(
    fc.property(someone, someone, fc.constantFrom(...personStatuses), (before, after, status) => {
      const isChanged = before.status !== after.status
      return (
        isTriggered({ kind: 'person.statusChanged' }, before, after) === isChanged &&
        isTriggered({ kind: 'person.statusChanged', status }, before, after) ===
          (isChanged && after.status === status) &&
        !isTriggered({ kind: 'person.statusChanged', status }, undefined, after) &&
        !isTriggered({ kind: 'person.created' }, before, after) &&
        isTriggered({ kind: 'person.created' }, undefined, after)
      )
    }),
  )
  t.pass()
})

t.test('Personas trigger no automation', async (t) => {
  t.notOk(isTriggered({ kind: 'person.created' }, undefined, { ...person, sandbox: true }))
})
