/** Identity and the fields of people: what is kept, taken away and refused. */
import t from 'tap'
import {
  admit,
  emptyDocument,
  patchIdentity,
  removeItem,
  replaceIdentity,
  replacePeopleFields,
} from '../../../core/agent/index.js'
import { errorsOf, must, sample } from './sample.js'

t.test('PUT replaces the identity, PATCH changes the given fields, null removes a field', async (t) => {
  t.same(must(replaceIdentity(sample, { contactPhone: '+1 415 555 0100' })).identity, {
    contactPhone: '+1 415 555 0100',
  })
  t.same(must(patchIdentity(sample, { brandColor: null, contactAvailability: 'Weekdays' })).identity, {
    contactEmail: 'desk@example.com',
    websiteUrl: 'https://example.com',
    contactAvailability: 'Weekdays',
  })
  t.same(must(replaceIdentity(sample, sample.identity)), sample)
  t.same(must(patchIdentity(emptyDocument, {})).identity, {})
})

t.test('An invalid identity is refused with its field', async (t) => {
  for (const [field, value] of Object.entries({
    brandColor: 'red',
    contactEmail: 'nobody',
    websiteUrl: 'ftp://x',
    contactPhone: 'call',
    mood: 'good',
  })) {
    for (const write of [replaceIdentity, patchIdentity]) {
      t.same(errorsOf(write(sample, { [field]: value })), { code: 'request.invalid', fields: [field] })
    }
  }
})

t.test('A People field that a flow, a template or a goal reads cannot be removed', async (t) => {
  t.same(errorsOf(admit(sample, replacePeopleFields(sample, { fields: [] })))?.fields.length, 3)
  const more = { fields: [...sample.peopleFields, { key: 'size', label: 'Size', type: 'number', locked: true }] }
  t.same(must(admit(sample, replacePeopleFields(sample, more))).peopleFields, more.fields)
  t.same(errorsOf(replacePeopleFields(sample, { fields: [{ key: 'a b', label: 'L', type: 'string' }] }))?.fields, [
    'fields[0].key',
  ])
  t.same(errorsOf(replacePeopleFields(sample, { fields: [...more.fields, sample.peopleFields[0]] }))?.fields, [
    'fields[2].key',
  ])
})

t.test('Referenced media and segments cannot be removed, and an unknown one is not found', async (t) => {
  t.equal(errorsOf(admit(sample, removeItem(sample, 'media', 'logo')))?.code, 'agent.integrity_conflict')
  t.equal(errorsOf(admit(sample, removeItem(sample, 'segments', 'gold')))?.code, 'agent.integrity_conflict')
  const staged = { ...sample, draftCampaigns: [] }
  t.same(
    must(admit(staged, removeItem(staged, 'segments', 'gold'))).segments,
    [],
    'a campaign that is staged does not hold it',
  )
  t.equal(errorsOf(removeItem(sample, 'media', 'gone'))?.code, 'resource.not_found')
  t.same(must(admit(sample, removeItem(sample, 'sources', 'site'))).sources, [])
})
