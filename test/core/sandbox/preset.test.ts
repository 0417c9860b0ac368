/** Who a persona is: a preset becomes a sandbox person, and is read back from it. */
import fc from 'fast-check'
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { fieldsOf, type PersonaFields, personOf } from '../../../core/sandbox/preset.js'

const making = { id: 'pr_1', identity: { asid: 'usr_1', channel: 'rcs', address: 'persona:1' }, at: 5 } as const

t.test('A persona’s person is in the sandbox, with one identity and the given consent', async (t) => {
  t.match(personOf({ consent: { status: 'denied' } }, making), {
    id: 'pr_1',
    sandbox: true,
    source: 'persona',
    status: 'new',
    consent: { status: 'denied', updatedAt: 5 },
    identities: [making.identity],
    createdAt: 5,
  })
})

t.test('Fields are returned as given, and values of custom fields as text', async (t) => {
  const words = fc.stringMatching(/^[A-Za-z][A-Za-z ]{0,20}[a-z]$/)
  const fields = fc.record(
    {
      fullName: words,
      email: words.map((text) => `${text.replaceAll(' ', '.')}@x.example`),
      company: words,
      productInterest: words,
      notes: words,
      source: words,
      status: fc.constantFrom('new', 'contacted', 'qualified', 'converted', 'lost'),
      tags: fc.uniqueArray(words, { minLength: 1, maxLength: 5 }),
      customFields: fc.dictionary(fc.constantFrom('plan', 'boats'), fc.oneof(words, fc.integer(), fc.boolean()), {
        minKeys: 1,
      }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fields, (given) => {
      const person = personOf({ fields: given as PersonaFields }, making)
      if (isRefusal(person)) return false
      const { customFields, ...rest } = given
      const custom = customFields && {
        customFields: Object.fromEntries(Object.entries(customFields).map(([key, value]) => [key, String(value)])),
      }
      t.strictSame(fieldsOf(person), { status: 'new', source: 'persona', ...rest, ...custom })
      return true
    }),
  )
})

t.test('An invalid field of a person is named below fields', async (t) => {
  const refused = personOf({ fields: { customFields: { $no: 'x' } } }, making)
  t.match(refused, { refused: 'request.invalid', errors: [{ field: 'fields.customFields.$no' }] })
})
