/** Message templates: slots, fallbacks, the three policies, and how templates are written. */
import fc from 'fast-check'
import t from 'tap'
import {
  addTemplate,
  admit,
  createSlotReader,
  findItem,
  patchTemplate,
  removeTemplate,
  renderTemplate,
  replaceTemplate,
} from '../../../core/agent/index.js'
import { type MissingSlotPolicy, missingSlotPolicies } from '../../../core/agent/resources/templates.js'
import { errorsOf, must, sample } from './sample.js'

const person = {
  firstName: 'Ann',
  customFields: { plan: 'gold', 'odd-key': 'x' },
  email: ' ',
  consent: { status: 'granted' },
  notes: 'A. B! {person.email}',
}
const agent = { name: 'Salon', websiteUrl: 'https://salon.example' }
const rendered = (body: string, defaultOnMissingSlot?: MissingSlotPolicy) =>
  renderTemplate({ body, ...(defaultOnMissingSlot && { defaultOnMissingSlot }) }, createSlotReader(person, agent))

t.test('Slots read the person and the identity of the agent', async (t) => {
  t.same(
    rendered(
      'Hi {person.firstName}, {person.customFields.plan} at {agent.name}: {agent.websiteUrl} {person.consent.status}',
    ),
    {
      renderedText: 'Hi Ann, gold at Salon: https://salon.example granted',
      missingSlots: [],
      blocked: false,
    },
  )
  t.equal(rendered('{ person.firstName }{person.customFields.odd-key}').renderedText, 'Annx')
  t.equal(
    rendered('Costs {5} or {} or { a b }').renderedText,
    'Costs {5} or {} or { a b }',
    'braces that hold no path are text',
  )
})

t.test('A value is never read as a template', async (t) => {
  t.equal(rendered('Note: {person.notes}').renderedText, 'Note: A. B! {person.email}')
})

t.test('A literal default behind a bar replaces a missing value', async (t) => {
  t.same(rendered('Hi {person.lastName|dear friend}!'), {
    renderedText: 'Hi dear friend!',
    missingSlots: [{ path: 'person.lastName', action: 'default' }],
    blocked: false,
  })
  t.equal(rendered('Hi{person.lastName|}!').renderedText, 'Hi!')
})

const missing = (action: string) => [{ path: 'person.lastName', action }]

t.test('omit-sentence removes the sentence of the slot and no other', async (t) => {
  t.same(rendered('Hello there. Dear {person.lastName|omit-sentence}, welcome! Come in.'), {
    renderedText: 'Hello there. Come in.',
    missingSlots: missing('omit-sentence'),
    blocked: false,
  })
  t.equal(rendered('One.\nTwo {person.lastName}\n\nThree.').renderedText, 'One.\n\nThree.')
  t.equal(rendered('{person.lastName}, what can I get you?').renderedText, '', 'the text is empty')
  t.equal(rendered('See Dr. {person.lastName} today. Bye.').renderedText, 'Bye.', 'a title ends no sentence')
  t.equal(rendered('Pay 3.50 {person.lastName} now. Bye.').renderedText, 'Bye.', 'nor does a decimal point')
  t.equal(
    rendered('Go on? [[chips: Yes. | {person.firstName}]] Bye {person.lastName}').renderedText,
    'Go on?',
    'a marker is whole',
  )
})

t.test('omit-message drops the message, block-send blocks it, and the strictest policy wins', async (t) => {
  t.same(rendered('Hi {person.lastName|omit-message}.'), {
    renderedText: '',
    missingSlots: missing('omit-message'),
    blocked: false,
  })
  t.same(rendered('Hi {person.lastName|block-send}.'), {
    renderedText: null,
    missingSlots: missing('block-send'),
    blocked: true,
  })
  t.match(rendered('{person.a|omit-sentence} {person.b|omit-message} {person.c|block-send}'), {
    renderedText: null,
    blocked: true,
  })
})

t.test('defaultOnMissingSlot applies to slots without a policy of their own', async (t) => {
  for (const policy of missingSlotPolicies) {
    t.same(rendered('Hi {person.lastName}.', policy).missingSlots, missing(policy))
    t.same(rendered('Hi {person.lastName|you}.', policy).missingSlots, missing('default'))
  }
  t.same(rendered('Hi {person.lastName}.').missingSlots, missing('omit-sentence'), 'omit-sentence is the default')
})

t.test('Blank text is a missing value, and each missing slot is reported once', async (t) => {
  t.same(rendered('{person.email} {person.email} {person.lastName}').missingSlots, [
    { path: 'person.email', action: 'omit-sentence' },
    { path: 'person.lastName', action: 'omit-sentence' },
  ])
})

t.test('Inherited members are not values', async (t) => {
  t.equal(
    rendered('{person.constructor|none} {agent.toString|none} {person.customFields.__proto__|none}').renderedText,
    'none none none',
  )
})

t.test('Without missing slots the text stays unchanged, for any text', async () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      const plain = text.replaceAll(/[{}\uE000]/g, '')
      return renderTemplate({ body: plain }, () => undefined).renderedText === plain
    }),
  )
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (text, value) => {
      const plain = text.replaceAll(/[{}\uE000]/g, '')
      return (
        value.trim() === '' ||
        renderTemplate({ body: `${plain}{person.x}` }, () => value).renderedText === plain + value
      )
    }),
  )
})

t.test('Templates can be created, replaced, patched and removed', async (t) => {
  const { document, id } = must(addTemplate(sample, { name: 'Thank you', body: 'Thanks!' }))
  t.equal(id, 'thank-you')
  t.same(findItem(must(replaceTemplate(document, id, { name: 'T', body: 'B' })), 'messageTemplates', id), {
    id,
    name: 'T',
    body: 'B',
  })
  const patched = must(patchTemplate(sample, 'nudge', { defaultOnMissingSlot: null, description: 'D' }))
  t.same(findItem(patched, 'messageTemplates', 'nudge'), {
    id: 'nudge',
    name: 'Nudge',
    body: 'Still there?',
    description: 'D',
  })
  t.equal(findItem(must(removeTemplate(document, id)), 'messageTemplates', id), undefined)
  t.equal(errorsOf(admit(sample, removeTemplate(sample, 'nudge')))?.code, 'agent.integrity_conflict')
  t.same(errorsOf(addTemplate(sample, { id: 'nudge', name: 'N', body: 'B' }))?.fields, ['id'])
  t.same(errorsOf(addTemplate(sample, { name: 'N', body: 'B', defaultOnMissingSlot: 'shrug' }))?.fields, [
    'defaultOnMissingSlot',
  ])
  t.same(errorsOf(replaceTemplate(sample, 'gone', { name: 'N', body: 'B' }))?.code, 'resource.not_found')
  t.same(errorsOf(patchTemplate(sample, 'nudge', { id: 'other' }))?.fields, ['id'])
  for (const template of sample.messageTemplates) t.same(must(replaceTemplate(sample, template.id, template)), sample)
})
