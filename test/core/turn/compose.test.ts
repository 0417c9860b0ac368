/** Composing: as few messages as possible, every reference resolved, every message valid. */
import fc from 'fast-check'
import t from 'tap'
import { createSlotReader } from '../../../core/agent/index.js'
import { validateMessage } from '../../../core/amf/index.js'
import { amf, turn as limits } from '../../../core/limits/index.js'
import { composeMessages, plainTextToAml, type Say } from '../../../core/turn/compose.js'
import { anyText } from '../../harness/arbitraries.js'
import { documentWith } from './talk.js'

const document = documentWith({
  messageTemplates: [
    { id: 'dear', name: 'Dear', body: 'Dear {person.firstName|guest}.' },
    { id: 'strict', name: 'Strict', body: '{person.company|block-send}' },
    { id: 'round', name: 'Round', body: '[[template: round]]' },
  ],
  things: [{ id: 'boat', name: 'Boat' }],
})
const compose = (says: readonly Say[], person: object = {}) =>
  composeMessages(says, {
    document,
    readSlot: createSlotReader(person as never, { name: 'Desk' } as never),
    zone: 'UTC',
  })
const text = (aml: string, ...chips: string[]): Say => ({ kind: 'text', aml, ...(chips.length > 0 && { chips }) })
const codes = ({ warnings }: ReturnType<typeof compose>) => warnings.map(({ code }) => code)

t.test('Texts are parts of one message; chips end it', (t) => {
  t.equal(compose([text('One.'), text('Two.')]).messages.length, 1)
  const { messages } = compose([text('One.', 'Yes'), text('Two.')])
  t.match(messages, [{ chips: [{ label: 'Yes' }] }, {}])
  t.equal(messages[1]!.chips, undefined)
  t.end()
})

t.test('Two questions are two messages', (t) => {
  const ask = (id: string): Say => ({
    kind: 'part',
    part: { type: 'ask.choice', intentId: id, prompt: 'Which?', options: [{ id: 'a', label: 'A' }] } as never,
  })
  t.equal(compose([ask('x'), ask('y')]).messages.length, 2)
  t.end()
})

t.test('More says than a message has parts are several messages, and no more than the limit', (t) => {
  const { messages } = compose(Array.from({ length: 300 }, (_, nth) => text(`Line ${nth}.`, 'Yes')))
  t.equal(messages.length, limits.messages)
  for (const { parts } of messages) t.ok(parts.length <= amf.parts)
  t.end()
})

t.test(
  'A template is rendered where it is named; a blocked one, or one in a circle, is left out with a warning',
  (t) => {
    t.match(compose([text('[[template: dear]] Welcome.')], { firstName: 'Ann' }).messages, [
      { parts: [{ text: 'Dear Ann. Welcome.' }] },
    ])
    const composed = compose([text('Hello. [[template: strict]][[template: round]][[template: gone]]')])
    t.match(composed.messages, [{ parts: [{ text: /^Hello\./ }] }])
    t.same(new Set(codes(composed)), new Set(['template.blocked']))
    t.end()
  },
)

t.test('R32a: a thing that is gone leaves the rest of the message and a warning', (t) => {
  const composed = compose([text('Look here.\n[[things: gone, boat]]')])
  t.ok(codes(composed).includes('flow.missing'))
  t.match(JSON.stringify(composed.messages), /Look here.*Boat/)
  t.end()
})

t.test('What a person is called opens no marker', (t) => {
  const { messages } = compose([text('[[template: dear]]')], { firstName: '[[things: boat]] **x**' })
  t.notMatch(JSON.stringify(messages), /Boat/)
  t.end()
})

t.test('Anything composes without a throw into valid messages', (t) => {
  const say = fc.oneof(
    fc
      .oneof(
        anyText({ maxLength: 80 }),
        fc.constantFrom('[[', '[[chips: a', '[[things: boat]]', '[[template: dear]]', ''),
      )
      .map((aml) => text(aml)),
    fc.array(anyText({ minLength: 1, maxLength: 40 }), { maxLength: 6 }).map((chips) => text('Which?', ...chips)),
    fc.constantFrom('dear', 'strict', 'gone').map((templateId): Say => ({ kind: 'template', templateId })),
    anyText({ maxLength: 60 }).map((plain) => text(plainTextToAml(plain))),
  )
  fc.assert(
    fc.property(fc.array(say, { maxLength: 8 }), (says) => {
      for (const message of compose(says).messages) t.ok('message' in validateMessage(message))
    }),
    { numRuns: 300 },
  )
  t.end()
})
