/** What people are found by, when something of them changes. */
import fc from 'fast-check'
import t from 'tap'
import { indexKeysOf, sameIndexKeys } from '../../../core/people/indexes.js'
import type { Person } from '../../../core/people/person.js'
import { anyPerson } from './arbitrary.js'

const identity = (address: string) => ({ asid: `usr_${address}`, channel: 'sms', address }) as Person['identities'][0]

t.test('A person with an unchanged index entry has the same marks and identities', async (t) => {
  let alike = 0
  fc.assert(
    fc.property(
      anyPerson,
      anyPerson,
      fc.subarray(['identities', 'phone', 'email', 'tags', 'importBatchId', 'fullName', 'outreach', 'status'] as const),
      (before, other, changed) => {
        const unlike: Person = { ...other, identities: [identity('+14155550142')], importBatchId: 'im_2' }
        const after = { ...before, ...Object.fromEntries(changed.map((name) => [name, unlike[name]])) } as Person
        if (!sameIndexKeys(before, after)) return
        alike++
        t.same(indexKeysOf(after), indexKeysOf(before))
        t.equal(after.identities, before.identities)
      },
    ),
    { numRuns: 500 },
  )
  t.ok(alike > 20)
})

t.test('A person with another identity, number, tag or batch has another index entry', async (t) => {
  const [before] = fc.sample(anyPerson, 1) as [Person]
  const changes: Partial<Person>[] = [
    { identities: [identity('+14155550142')] },
    { phone: '+14155550199' },
    { email: 'new@example.com' },
    { tags: ['new'] },
    { importBatchId: 'im_9' },
  ]
  t.ok(sameIndexKeys(before, { ...before, updatedAt: 1, status: 'former' as Person['status'] }))
  for (const change of changes) t.notOk(sameIndexKeys(before, { ...before, ...change }), Object.keys(change).join())
})
