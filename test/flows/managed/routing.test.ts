/** How a text finds its answer: Facts, sources, playbooks by their words, and people when nobody else can help. */
import t from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

const say = (text: string) => ({ steps: [{ say: text }] })
const stage = { id: 'desk', name: 'Desk', isDefault: true, uses: [] as string[], body: '', flow: say('What can I do?') }

t.test(
  'R14: a request for a person is answered with contactAvailability verbatim and the contact options',
  async (t) => {
    const opened = await openStage(t, clinic, { channels: ['rcs'] })
    const answer = await opened.phone('rcs', '+12075550120').write('I want to speak to a human')
    t.match(answer.text, new RegExp(clinic.identity.contactAvailability.replaceAll('.', '\\.')))
    const payload = JSON.stringify(answer.requests.map((each) => each.payload))
    for (const option of ['desk@harbor-clinic.example', '+12075550100', 'https://harbor-clinic.example'])
      t.ok(payload.includes(option), option)
    t.same(
      answer.turn.warnings.map(({ code }: { code: string }) => code),
      ['disclaimer.added'],
    )
  },
)

t.test('R14: without any contact detail the agent says that it cannot put the person through', async (t) => {
  const opened = await openStage(t, { playbooks: [stage] })
  t.match((await opened.phone('sms', '+12075550121').write('agent please')).text, /cannot put you through to a person/)
})

t.test('R41, decision 23: an exact Fact is said verbatim, also by its alternates and within a flow', async (t) => {
  const opened = await openStage(t, clinic)
  const ann = opened.phone('sms', '+12075550122')
  const { answer } = clinic.capabilities.knowledge.facts.find(({ id }: { id: string }) => id === 'late-calls')
  const first = await ann.write('is there a late fee')
  t.ok(first.text.includes(answer.trim()), first.text)
  t.match(first.turn.found, [{ kind: 'fact', id: 'late-calls' }])
  await ann.write('Book a visit')
  const within = await ann.write('What if I call off too late?')
  t.ok(within.text.includes(answer.trim()))
  t.match(within.text, /Which treatment would you like/)
})

t.test('R41: a Fact that is off, not confirmed or of another playbook is never said', async (t) => {
  const fact = (id: string, more: object = {}) => ({
    id,
    question: `What about ${id}?`,
    answer: `About ${id}.`,
    ...more,
  })
  const facts = [
    fact('apples'),
    fact('pears', { enabled: false }),
    fact('plums', { confirmed: false }),
    fact('figs', { scope: { playbooks: ['orchard'] } }),
  ]
  const orchard = { id: 'orchard', name: 'Orchard', uses: [], body: '', flow: say('You are in the orchard.') }
  const opened = await openStage(t, { playbooks: [stage, orchard], capabilities: { knowledge: { facts } } })
  const ann = opened.phone('sms', '+12075550123')
  t.match((await ann.write('What about apples?')).text, /About apples/)
  for (const id of ['pears', 'plums', 'figs']) t.notMatch((await ann.write(`What about ${id}?`)).text, /About/, id)
  t.match((await ann.write('Orchard')).text, /You are in the orchard/)
  t.match((await ann.write('What about figs?')).text, /About figs/)
})

t.test('R42, R43: a passage of a text source answers what no Fact does, in a playbook without uses', async (t) => {
  const opened = await openStage(t, { playbooks: [stage], identity: clinic.identity })
  const text =
    'Towels are lent at the reception for three dollars.\n\nBicycles can be parked in the inner courtyard, which is locked at nine in the evening.'
  await opened.manage('POST', '/knowledge/sources', { name: 'House rules', text })
  const ann = opened.phone('sms', '+12075550124')
  await ann.write('hello')
  await waitUntil(async () => {
    const { data } = await opened.manage('GET', '/knowledge/sources')
    return data.every(({ status }: { status?: string }) => status === undefined || status === 'ready')
  })
  const answer = await ann.write('Where can bicycles be parked?')
  t.match(answer.text, /inner courtyard/)
  t.match(answer.turn.found, [{ kind: 'passage' }])
  t.notMatch((await ann.write('Who won the football game?')).text, /Towels|Bicycles/)
})

t.test('R23, decision 8: words of whenToUse and examples enter a playbook, and the record says why', async (t) => {
  const opened = await openStage(t, clinic)
  const ann = opened.phone('sms', '+12075550125')
  const answer = await ann.write('are there any free times this week')
  t.match(answer.text, /Which treatment would you like/)
  t.match(answer.turn.playbook, { after: 'book', why: 'route' })
  t.match(answer.turn.trace.join('\n'), /route book \d/)
})

t.test(
  'R25, decision 7: the playbook of an outreach is neither entered by its words nor offered elsewhere',
  async (t) => {
    const document = {
      messageTemplates: [{ id: 'hi', name: 'Hi', body: 'Spring offers are here.' }],
      outreach: [
        {
          id: 'spring',
          name: 'Spring',
          class: 'service',
          openerTemplateId: 'hi',
          playbookId: 'spring-offers',
          inputs: [],
          enabled: true,
        },
      ],
      playbooks: [
        stage,
        {
          ...{ id: 'spring-offers', name: 'Spring offers', outreachId: 'spring', uses: [], body: '' },
          whenToUse: 'The person asks about spring offers.',
          flow: {
            slots: [{ name: 'plan', type: 'enum', required: true, options: ['Gold', 'Silver'] }],
            steps: [{ collect: 'plan' }, { say: 'Noted: {plan}.' }],
          },
        },
      ],
    }
    const opened = await openStage(t, document)
    const stranger = opened.phone('sms', '+12075550126')
    const answer = await stranger.write('Tell me about the spring offers')
    t.notMatch(answer.text, /Gold/)
    t.equal(answer.turn.playbook.after, 'desk')
    t.notMatch((await stranger.write('Spring offers')).text, /Gold/, 'nor by its name')
  },
)

t.test('R26: a flow may not use what its playbook does not name, and the person still gets an answer', async (t) => {
  const opened = await openStage(t, clinic)
  const { playbooks } = await opened.manage('GET', '/export?format=json')
  const book = playbooks.find(({ id }: { id: string }) => id === 'book')
  await t.rejects(opened.manage('PATCH', '/playbooks/book', { ...book, uses: ['people'] }), /422|400/)
})

t.test('R23, decision 8: the words of an example enter its playbook, whatever else they resemble', async (t) => {
  const opened = await openStage(t, clinic)
  const ann = opened.phone('sms', '+12075550128')
  t.match((await ann.write('I cannot come to my visit')).text, /Shall I call off your visit/)
})
