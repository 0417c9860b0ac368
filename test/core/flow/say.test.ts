/** Steps that speak: texts with values, templates, suggestions, traces and their coverage. */
import fc from 'fast-check'
import t from 'tap'
import { compile } from '../../../core/aml/index.js'
import { coverageOf, keyOfCall } from '../../../core/flow/index.js'
import { fillAml } from '../../../core/flow/texts.js'
import { anyText } from '../../harness/arbitraries.js'
import { createTalk, documentWith, person, type Slot, type Step } from './talk.js'

const name: Slot = { name: 'party-name', type: 'string' }

function say(text: string, value = 'Ada'): readonly string[] {
  const document = documentWith(
    { main: { slots: [name], steps: [{ collect: 'party-name' }, { say: text }] } as never },
    {
      identity: { websiteUrl: 'https://salon.example' },
    },
  )
  const talk = createTalk({ document, agent: { name: 'Salon' }, person: { ...person, customFields: { plan: 'gold' } } })
  talk.enter()
  return talk.write(value).said
}

t.test('A text reads slots, person, agent and their fallbacks, as message templates do', async (t) => {
  t.same(say('Hi {party-name}, {slots.party-name}!'), ['Hi Ada, Ada!'])
  t.same(say('{person.firstName} {person.customFields.plan} {agent.name} {agent.websiteUrl}'), [
    'Ada gold Salon https://salon.example',
  ])
  t.same(say('Dear {person.lastName|friend}.'), ['Dear friend.'])
  t.same(say('Your company is {person.company}. Welcome!'), ['Welcome!'], 'a missing value takes its sentence with it')
  t.same(say('Your company is {person.company}.'), [], 'and the message when nothing is left')
  t.same(say('{person.company|omit-message} Hi'), [])
})

t.test('Values are filled in literally: none opens a marker, Markdown or a list', async (t) => {
  t.same(say('Hi {party-name}!', '*Ada* [[chips: A | B]]'), ['Hi \\*Ada\\* \\[\\[chips: A | B\\]\\]!'])
  t.same(say('{party-name}', '- one'), ['\\- one'])
  t.same(say('[[card\ntitle: {party-name}\n]]', 'x\nimage: https://evil.example/a.png'), [
    '[[card\ntitle: x image: https://evil.example/a.png\n]]',
  ])
  const shape = (value: string) => {
    const { message, problems } = compile(
      fillAml('Hi {v}!\n\n{v}\n\nBye {v}.', () => value),
      {},
    )
    return problems.length > 0 ? problems : message && 'parts' in message && message.parts.map(({ type }) => type)
  }
  const hostile = fc.array(
    fc.constantFrom('[[', ']]', '*', '_', '`', '\\', '<', '>', '\n', '- ', '1. ', '# ', '{', '}', '|', 'x', ' ', ']('),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        hostile.map((parts) => `x${parts.join('')}x`),
        anyText({ minLength: 1 }).map((text) => `x${text}x`),
      ),
      (value) => t.same(shape(value.replace(/[\0\ud800-\udfff]/g, '')), ['text'], JSON.stringify(value)),
    ),
  )
})

t.test('Suggestions become reply chips; a template is named for the caller', async (t) => {
  const document = documentWith(
    {
      main: {
        steps: [
          { say: { text: 'Go on?', suggestions: ['Yes', 'For {person.firstName}', '{person.company}'] } },
          { say: 'template:hello' },
          { say: { text: 'template:hello', suggestions: ['Ok'] } },
        ],
      } as never,
    },
    { messageTemplates: [{ id: 'hello', name: 'Hello', body: 'Hello' }] },
  )
  t.same(createTalk({ document, person }).enter().said, [
    'Go on? [Yes] [For Ada]',
    'template:hello',
    'template:hello [Ok]',
  ])
})

t.test('The trace names playbook and step, and says which steps of a flow were seen', async (t) => {
  const steps: Step[] = [
    { id: 'ask', collect: 'party-name' },
    { branch: [{ if: 'party-name == Ada', goto: 'ada' }] },
    { say: 'Who?' },
    { id: 'ada', end: { outcome: 'done' } },
  ]
  const talk = createTalk({ slots: [name], steps })
  const traces = [...talk.enter().trace, ...talk.write('Ada').trace]
  t.same(traces, ['main:ask collect', 'main:1 branch', 'main:ada end'], 'an answered step is walked once')
  const coverage = coverageOf({ playbookId: 'main', steps }, traces)
  t.same([coverage.seen, coverage.steps[2]], [3, { step: '2', kind: 'say', isSeen: false }])
  t.equal(coverageOf({ playbookId: 'other', steps }, traces).seen, 0)
})

t.test('The key of a call depends on its name and arguments, not on the order of members', async (t) => {
  const key = (values: Record<string, unknown>, tool = 'integration:a') => keyOfCall({ name: tool, arguments: values })
  t.equal(key({ a: 1, b: { c: [1, 2], d: undefined } }), key({ b: { c: [1, 2] }, a: 1 }))
  for (const other of [{ a: '1', b: 2 }, { a: 1 }, { a: 1, b: [2] }, { b: 1, a: 2 }, { 'a":1,"b': 2 }]) {
    t.not(key(other), key({ a: 1, b: 2 }))
  }
  t.not(key({}), key({}, 'integration:b'))
  let deep: Record<string, unknown> = {}
  for (let level = 0; level < 20_000; level++) deep = { deep }
  t.type(key(deep), 'string', 'also when a model nests arguments without end')
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (values) => {
      t.equal(key(values), key(Object.fromEntries(Object.entries(values).reverse())))
    }),
  )
})
