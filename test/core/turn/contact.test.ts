/** How a person reaches the business: verbatim, tappable, and valid whatever the identity holds. */
import fc from 'fast-check'
import t from 'tap'
import { validateMessage } from '../../../core/amf/index.js'
import { contactMessage } from '../../../core/turn/contact.js'
import { sentences } from '../../../core/turn/sentences.js'
import { anyText } from '../../harness/arbitraries.js'

t.test('R14: contactAvailability is verbatim, and mail, phone and website can be tapped', (t) => {
  const identity = {
    contactEmail: 'desk@clinic.example',
    contactPhone: '+12075550100',
    websiteUrl: 'https://clinic.example',
    contactAvailability: 'Mo*–*Fr, 8 to 18 [local].',
  }
  const { parts, chips } = contactMessage({ identity }, 'Desk', 'Sorry.')
  t.match(parts, [{ type: 'text' }, { type: 'share.contact', name: 'Desk', email: 'desk@clinic.example' }])
  const [{ text }] = parts as unknown as [{ text: string }]
  t.equal(text.replaceAll('\\', ''), `Sorry.\n${identity.contactAvailability}`)
  t.match(chips, [
    { kind: 'dial', phone: '+12075550100' },
    { kind: 'url', url: 'https://clinic.example' },
  ])
  t.end()
})

t.test('Decision 31: without availability an English stock sentence leads; without any detail it says so', (t) => {
  t.match(contactMessage({ identity: { contactPhone: '+12075550100' } }, 'Desk').parts, [{ text: sentences.contact }])
  t.match(contactMessage({}, 'Desk'), { parts: [{ text: sentences.noContact }] })
  t.same(contactMessage({}, 'Desk', sentences.noAnswer).parts, [{ type: 'text', text: sentences.noAnswer }])
  t.end()
})

t.test('Any identity gives a valid message: a detail that none may hold is left out', (t) => {
  const any = anyText({ maxLength: 300 })
  const identity = fc.record(
    { contactEmail: any, contactPhone: any, websiteUrl: any, contactAvailability: any },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(identity, anyText({ minLength: 1, maxLength: 80 }), (identity, name) => {
      t.ok('message' in validateMessage(contactMessage({ identity }, name)))
    }),
    { numRuns: 300 },
  )
  t.end()
})
