/** The message that a send opens with. */
import fc from 'fast-check'
import t from 'tap'
import { type AgentDocument, emptyDocument } from '../../../core/agent/index.js'
import { type Opener, renderOpener } from '../../../core/outreach/opener.js'
import { newPerson } from '../../../core/people/change.js'
import type { Person } from '../../../core/people/person.js'
import { parse } from '../../../core/render/markdown.js'

const bare = newPerson('pr_1', 'api', 0)

function opener(
  body: string,
  more: Partial<AgentDocument> = {},
  about: { person?: Partial<Person>; inputs?: Record<string, string> } = {},
): Opener {
  const { messageTemplates = [], ...rest } = more
  const document = {
    ...emptyDocument,
    ...rest,
    messageTemplates: [{ id: 'hi', name: 'Hi', body }, ...messageTemplates],
  }
  const person = { ...bare, ...about.person }
  return renderOpener({
    document,
    agent: { name: 'Desk' },
    templateId: 'hi',
    person,
    ...(about.inputs && { inputs: about.inputs }),
  })
}

const messageOf = (made: Opener) => {
  if (!('message' in made)) throw new Error(made.blocked)
  return made.message
}
const textOf = (made: Opener) => (messageOf(made).parts[0] as { text: string }).text

t.test('Slots are filled first from the inputs of the send, then from the person and the agent', async (t) => {
  const person = { firstName: 'Ann', customFields: { plan: 'old' } }
  const body = '{person.firstName}, your {person.customFields.plan} plan. {agent.name}'
  t.equal(textOf(opener(body, {}, { person })), 'Ann, your old plan. Desk')
  t.equal(textOf(opener(body, {}, { person, inputs: { plan: 'gold', firstName: 'Bea' } })), 'Bea, your gold plan. Desk')
  t.equal(
    textOf(opener(body, {}, { person, inputs: { plan: ' ' } })),
    'Ann, your old plan. Desk',
    'a blank counts as missing',
  )
})

t.test('A missing slot follows its policy: a sentence less, no message, or no send', async (t) => {
  t.equal(textOf(opener('Hello! You have {person.customFields.points} points. Bye.')), 'Hello! Bye.')
  t.match(opener('Hi {person.firstName|block-send}'), { blocked: /person\.firstName/ })
  t.match(opener('Hi {person.firstName|omit-message}'), { blocked: /without person\.firstName/ })
  t.equal(textOf(opener('Hi {person.firstName|there}!')), 'Hi there!')
})

t.test('Markers in an opener compile as in any message', async (t) => {
  const { chips, parts } = messageOf(opener('Hello. [[chips: Book | Site -> https://x.example]]'))
  t.same(chips, [{ label: 'Book' }, { label: 'Site', kind: 'url', url: 'https://x.example' }])
  t.equal(parts.length, 1)
  t.match(opener('Hello. [[nonsense: 1]]'), { blocked: String }, 'an opener that does not compile is not sent')
  t.match(opener('[[signal: typing]]'), { blocked: String })
})

t.test('No value of a person opens or closes a marker', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('[[', ']]', '[', ']', 'chips:', 'a', '|', ' ', '\\', 'template: hi'), { minLength: 1 }),
      (pieces) => {
        const firstName = `x${pieces.join('')}x`
        const made = opener('Hello {person.firstName} [[chips: One]]', {}, { person: { firstName } })
        if (!('message' in made)) return false
        return made.message.parts.every(({ type }) => type === 'text') && made.message.chips?.length === 1
      },
    ),
  )
  t.pass()
})

t.test('No value of a person is read as Markdown, and each is shown as written', async (t) => {
  const link = '[x](https://evil.example)'
  t.equal(
    textOf(opener('Hello {person.firstName}!', {}, { person: { firstName: link } })),
    'Hello \\[x\\](https://evil.example)!',
  )
  const { chips } = messageOf(opener('Hi. [[chips: {person.firstName}]]', {}, { person: { firstName: 'a_b*c' } }))
  t.match(chips, [{ label: 'a_b*c' }], 'a label knows no Markdown')
  const characters = fc.constantFrom(...'\\`*_~[]<>()a1 ')
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 12 }), (pieces) => {
      const firstName = `x${pieces.join('')}x`
      const text = textOf(opener('{person.firstName}', {}, { person: { firstName } }))
      const textSpans = parse(text).flatMap(({ spans }) => spans)
      t.equal(textSpans.map((span) => span.text).join(''), firstName)
      t.ok(textSpans.every(({ text: _text, ...style }) => Object.values(style).every((each) => !each)))
    }),
  )
})

t.test('A named template is inserted in place, and templates in a cycle are not sent', async (t) => {
  const inner = { id: 'inner', name: 'Inner', body: 'I am {person.firstName|somebody}' }
  t.equal(textOf(opener('So: [[template: inner]].', { messageTemplates: [inner] })), 'So: I am somebody.')
  t.match(opener('[[template: none]]'), { blocked: /none/ })
  t.match(opener('[[template: hi]]'), { blocked: /circle/ })
  const strict = { ...inner, body: '{person.email|block-send}' }
  t.match(opener('Hello [[template: inner]]', { messageTemplates: [strict] }), { blocked: /email/ })
  const tree = Array.from({ length: 5 }, (_, at) => {
    return { id: `t${at}`, name: 'Tree', body: at === 4 ? 'leaf ' : `[[template: t${at + 1}]]`.repeat(200) }
  })
  t.match(opener('[[template: t0]]', { messageTemplates: tree }), { blocked: /More than 50 templates/ })
})

t.test('Things become cards, a collection a carousel of them, and an image its URL', async (t) => {
  const things = [
    {
      id: 'cut',
      name: 'Cut',
      description: 'Short',
      imageUrl: 'https://x.example/c.png',
      collections: ['cuts'],
      location: { latitude: 60.4, longitude: 5.3, address: 'Quay 1' },
      actions: [
        { label: 'Book', kind: 'reply' as const },
        { label: 'Site', url: 'https://x.example' },
        { label: 'Map', kind: 'viewLocation' as const },
      ],
    },
    { id: 'perm', name: 'Perm', media: 'pic', collections: ['cuts'] },
  ]
  const media = [{ id: 'pic', url: 'https://x.example/p.png' }]
  const collections = [{ id: 'cuts', name: 'Cuts', presentation: { fields: ['name' as const], actions: ['Book'] } }]
  const one = messageOf(opener('Look: [[things: cut]] Nice?', { things }))
  t.same(
    one.parts.map(({ type }) => type),
    ['text', 'card', 'text'],
  )
  t.match(one.parts[1], {
    card: {
      title: 'Cut',
      description: 'Short',
      mediaUrl: 'https://x.example/c.png',
      chips: [
        { label: 'Book', kind: 'reply', value: 'Book Cut' },
        { label: 'Site', kind: 'url' },
        {
          label: 'Map',
          kind: 'viewLocation',
          place: { latitude: 60.4, longitude: 5.3, address: 'Quay 1', label: 'Cut' },
        },
      ],
    },
  })
  const two = messageOf(opener('[[things: cut, perm]]', { things, media }))
  t.match(two.parts, [
    { type: 'carousel', cards: [{ title: 'Cut' }, { title: 'Perm', mediaUrl: 'https://x.example/p.png' }] },
  ])
  const all = messageOf(opener('[[collection: cuts]]', { things, collections, media }))
  t.strictSame(all.parts, [
    {
      type: 'carousel',
      cards: [{ title: 'Cut', chips: [{ label: 'Book', kind: 'reply', value: 'Book Cut' }] }, { title: 'Perm' }],
    },
  ])
  const presented = (presentation: object) =>
    messageOf(
      opener('[[collection: cuts]]', { things, media, collections: [{ id: 'cuts', name: 'Cuts', presentation }] }),
    )
  t.strictSame(presented({ fields: ['description'], actions: ['Map', 'Book'] }).parts, [
    {
      type: 'carousel',
      cards: [
        {
          description: 'Short',
          chips: [
            {
              label: 'Map',
              kind: 'viewLocation',
              place: { label: 'Cut', latitude: 60.4, longitude: 5.3, address: 'Quay 1' },
            },
            { label: 'Book', kind: 'reply', value: 'Book Cut' },
          ],
        },
        { title: 'Perm' },
      ],
    },
  ])
  const many = Array.from({ length: 14 }, (_, at) => ({ id: `t${at}`, name: `Name ${at}`, collections: ['cuts'] }))
  const carousels = messageOf(opener('[[collection: cuts]]', { things: many, collections })).parts
  t.same(
    carousels.flatMap((part) => (part.type === 'carousel' ? part.cards.map(({ title }) => title) : [])),
    many.map(({ name }) => name),
    'a collection is sent whole',
  )
  t.match(messageOf(opener('[[media: image:pic | A picture]]', { media })).parts, [
    { mediaUrl: 'https://x.example/p.png' },
  ])
  for (const body of ['[[things: none]]', '[[collection: none]]', '[[media: image:none]]'])
    t.match(opener(body), { blocked: String })
})
