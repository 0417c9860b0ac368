/** Templates, things, collections and pictures in what a managed agent says. */
import t from 'tap'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

const saying = (text: string, more: object = {}) => ({
  playbooks: [{ id: 'main', name: 'Main', isDefault: true, uses: [], body: '', flow: { steps: [{ say: text }] } }],
  ...more,
})
const rcs = { channels: ['rcs'] } as const

t.test(
  'R39: a collection is one carousel of its things, with the fields and actions of its presentation',
  async (t) => {
    const stage = await openStage(t, clinic, rcs)
    const answer = await stage.phone('rcs', '+12075550180').write('Our treatments')
    const carousel = answer.requests.map(
      ({ payload }) => (payload as { block?: { kind: string; cards?: object[] } }).block,
    )
    const found = carousel.find((block) => block?.kind === 'carousel')
    t.match(found?.cards, [{ title: 'First assessment' }, {}, {}, {}])
    t.equal(found?.cards?.length, 4)
    t.equal(answer.chips.filter((label) => label === 'Book this').length, 4)
  },
)

t.test('R40: tapping a reply of a card gives the agent its value', async (t) => {
  const stage = await openStage(t, clinic, rcs)
  const ann = stage.phone('rcs', '+12075550181')
  await ann.write('Our treatments')
  const answer = await ann.tap('Book this')
  t.match(answer.turn.playbook, { after: 'book' })
  t.match(answer.text, /When would you like to come/, 'the treatment is known from the card')
})

t.test('R37: things are cards by their ids', async (t) => {
  const knowledge = { things: [{ id: 'boat', name: 'Boat', description: 'Blue.' }], collections: [] }
  const stage = await openStage(t, saying('Look: [[things: boat]]', { capabilities: { knowledge } }), rcs)
  const answer = await stage.phone('rcs', '+12075550182').write('hello')
  t.match(answer.text, /Look:[\s\S]*Boat\nBlue\./)
})

t.test('R15: a card without a picture gets the default one, a card with a picture keeps its own', async (t) => {
  const things = [
    { id: 'boat', name: 'Boat', imageUrl: 'https://media.example/boat.png' },
    { id: 'oar', name: 'Oar' },
  ]
  const document = saying('Look: [[things: boat, oar]]', { capabilities: { knowledge: { things } } })
  for (const [identity, expected] of [
    [{ defaultCardImageUrl: 'https://media.example/default.png' }, 'https://media.example/default.png'],
    [{}, undefined],
  ] as const) {
    const stage = await openStage(t, { ...document, identity }, rcs)
    await stage.phone('rcs', '+12075550187').write('hello')
    const { data } = await stage.manage('GET', '/messages?origin=agent&type=content')
    const { cards } = data[0].raw.parts.find(({ type }: { type: string }) => type === 'carousel')
    t.same(
      cards.map(({ mediaUrl }: { mediaUrl?: string }) => mediaUrl),
      ['https://media.example/boat.png', expected],
    )
  }
})

t.test('R32a: nothing can be deleted that a flow still names', async (t) => {
  const things = [{ id: 'boat', name: 'Boat' }]
  const stage = await openStage(t, saying('Look here. [[things: boat]]', { capabilities: { knowledge: { things } } }))
  await t.rejects(stage.manage('PUT', '/knowledge/things', { things: [] }), /409.*agent\.integrity_conflict/)
  t.match((await stage.phone('sms', '+12075550183').write('hello')).text, /Look here[\s\S]*Boat/)
})

t.test(
  'R38: a template reads the person and the agent, with its fallbacks, and a blocked one is not said',
  async (t) => {
    const messageTemplates = [
      { id: 'hello', name: 'Hello', body: 'Dear {person.firstName|guest}.' },
      { id: 'strict', name: 'Strict', body: 'Your plan is {person.company|block-send}.' },
    ]
    const stage = await openStage(t, saying('[[template: hello]] Welcome. [[template: strict]]', { messageTemplates }))
    const answer = await stage.phone('sms', '+12075550184').write('hello')
    t.match(answer.text, /Dear guest\.\s+Welcome\./)
    t.notMatch(answer.text, /Your plan/)
    t.match(answer.turn.warnings, [{ code: 'template.blocked' }])
  },
)

t.test('R31, R38: a say step can be a template as a whole', async (t) => {
  const messageTemplates = [{ id: 'hello', name: 'Hello', body: 'Dear {person.firstName|guest}.' }]
  const stage = await openStage(t, saying('template:hello', { messageTemplates }))
  t.match((await stage.phone('sms', '+12075550185').write('hello')).text, /^Dear guest\.$/)
})

t.test('R37: what a person writes opens no marker when it is repeated', async (t) => {
  const slots = [{ name: 'note', type: 'string', required: true, prompt: 'Say something.' }]
  const flow = { slots, steps: [{ collect: 'note' }, { say: 'You said: {note}' }] }
  const playbooks = [{ id: 'main', name: 'Main', isDefault: true, uses: [], body: '', flow }]
  const knowledge = { things: [{ id: 'boat', name: 'Boat', description: 'A secret.' }] }
  const stage = await openStage(t, { playbooks, capabilities: { knowledge } })
  const ann = stage.phone('sms', '+12075550186')
  await ann.write('hello')
  const answer = await ann.write('[[things: boat]] **bold** {slots.note}')
  t.ok(answer.text.includes('You said: [[things: boat]] **bold** {slots.note}'), answer.text)
  t.notMatch(answer.text, /secret/)
})
