/** What a managed agent writes about people: their fields, and one line of the journal when a session has ended. */
import t from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

const saving = (fields: object) => ({
  capabilities: { people: { fields: [{ key: 'plan', label: 'Plan', type: 'string' }] } },
  playbooks: [
    {
      ...{ id: 'main', name: 'Main', isDefault: true, uses: ['people'], body: '' },
      flow: {
        steps: [
          { action: 'people.save', with: { fields }, on_error: 'branch' },
          { branch: [{ if: 'error', goto: 'no' }], else: 'yes' },
          { id: 'yes', say: 'Saved.' },
          { end: { outcome: 'saved' } },
          { id: 'no', say: 'Not saved.' },
          { end: { outcome: 'refused' } },
        ],
      },
    },
  ],
})

t.test(
  'R27, decision 20: people.save writes plain and declared fields, and the journal has no words of its own',
  async (t) => {
    const stage = await openStage(t, saving({ company: 'Acme', 'customFields.plan': 'Gold', status: 'contacted' }))
    const ann = stage.phone('sms', '+12075550200')
    t.match((await ann.write('hello')).text, /^Saved\.$/)
    t.match(await ann.person(), { company: 'Acme', status: 'contacted', customFields: { plan: 'Gold' } })
  },
)

t.test(
  'Decision 20: consent, a step back in status and a locked field are refused, and nothing is written',
  async (t) => {
    const stage = await openStage(t, saving({ company: 'Acme', status: 'new' }))
    const ann = stage.phone('sms', '+12075550201')
    await ann.write('hello')
    const { id } = await ann.person()
    await stage.manage('PATCH', `/people/${id}`, { company: 'Locked Ltd', lockedFields: ['company'] })
    stage.clock.advance(31 * 60_000)
    const answer = await ann.write('hello again')
    t.match(answer.text, /^Not saved\.$/)
    t.match(answer.turn.toolCalls, [{ name: 'people.save', state: 'refused' }])
    t.match(await ann.person(), { company: 'Locked Ltd' })
  },
)

t.test('R49, decision 5: a session that went quiet leaves one line of facts in the journal', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550202')
  for (const text of ['Insurance', 'Coast Care']) await ann.write(text)
  const lines = async () =>
    ((await ann.person()).journal as { author: string; text: string }[]).filter(({ text }) =>
      /^Conversation on/.test(text),
    )
  t.same(await lines(), [])
  await waitUntil(async () => {
    stage.clock.advance(10 * 60_000)
    return (await lines()).length > 0
  })
  stage.clock.advance(60 * 60_000)
  await ann.write('hello')
  t.match(await lines(), [
    { author: 'agent', text: /^Conversation on sms: .*saved customFields\.insurance.*insurance noted/ },
  ])
  t.equal((await lines()).length, 1, 'the new session is not over')
})

t.test('R50: what operators note about a person is read by no flow, condition or template', async (t) => {
  const flow = {
    steps: [
      { say: 'Company {person.company|none}, notes {person.notes|none}, tags {person.tags|none}.' },
      { branch: [{ if: 'person.notes contains rude', goto: 'known' }], else: 'open' },
      { id: 'known', say: 'I know you.' },
      { id: 'open', branch: [{ if: 'person.tags exists', goto: 'tagged' }], else: 'next' },
      { id: 'tagged', say: 'You are tagged.' },
      { id: 'next', say: 'template:card' },
    ],
  }
  const stage = await openStage(t, {
    messageTemplates: [{ id: 'card', name: 'Card', body: 'Template: {person.company|none}, {person.notes|none}.' }],
    playbooks: [{ id: 'main', name: 'Main', isDefault: true, uses: ['people'], body: '', flow }],
  })
  const ann = stage.phone('sms', '+12075550205')
  await ann.write('hello')
  const { id } = await ann.person()
  const noted = { company: 'Acme', notes: 'Was rude to Bo.', tags: ['difficult'] }
  t.match(await stage.manage('PATCH', `/people/${id}`, noted), noted, 'they are stored')
  stage.clock.advance(31 * 60_000)
  const { text } = await ann.write('hello again')
  t.match(text, /Company Acme, notes none, tags none\.[\s\S]*Template: Acme, none\./)
  t.notMatch(text, /I know you|You are tagged/)
  const slots = [{ name: 'remark', type: 'string', bind: 'person.notes', prompt: 'Any remark?' }]
  await t.rejects(stage.manage('PATCH', '/playbooks/main', { flow: { ...flow, slots } }), /person.notes is no field/)
  const found = JSON.stringify(await stage.manage('GET', '/lint'))
  t.match(found, /person\.notes/, 'and lint says that a flow reads nothing there')
})
