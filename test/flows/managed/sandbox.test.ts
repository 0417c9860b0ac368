/** Personas of a managed agent: their turns wait for the answer, and nothing of them leaves Parley. */
import t, { type Test } from 'tap'
import { advanceUntilAnswered, waitUntil } from '../../harness/clock.js'
import { openReceiver } from '../../harness/receiver.js'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

async function openPersona(t: Test, document: object, about: object = {}) {
  const stage = await openStage(t, document)
  const { id } = await stage.manage('POST', '/personas', { name: 'Ada', ...about })
  const at = `/personas/${id}`
  const does = (directive: object) =>
    advanceUntilAnswered(stage.manage('POST', `${at}/turns`, directive), () => stage.clock.advance(20))
  return { stage, at, does, turns: async () => (await stage.manage('GET', '/turns?includeTest=true&limit=200')).data }
}

t.test(
  'R52, R53, decision 35, 36: a persona books by directives, and what would have left is in the record',
  async (t) => {
    const { stage, does, turns } = await openPersona(t, clinic, { channel: 'rcs' })
    t.match(JSON.stringify(await does({ text: 'hi' })), /desk of Harbor Clinic/)
    t.match(JSON.stringify(await does({ chip: 'Book a visit' })), /Which treatment/)
    await does({ chip: 'Sports massage' })
    await does({ slot: 0 })
    await does({ text: 'Ada' })
    await does({ text: 'ada@example.com' })
    await does({ text: 'skip' })
    const booked = await does({ confirm: true })
    t.match(JSON.stringify(booked), /You are booked, Ada/)
    t.notOk(booked.pending)
    const [newest] = await turns()
    t.match(newest, { test: true, emulatedChannel: 'rcs', outcomes: ['booked'] })
    const full = await stage.manage('GET', `/turns/${newest.id}`)
    t.match(full.toolCalls, [{ name: 'scheduling.book' }, { name: 'people.save' }])
    t.same(stage.channels.requests, [], 'no provider was asked')
    t.same((await stage.manage('GET', '/people?limit=200')).data, [], 'R54: nobody of the sandbox is a customer')
  },
)

t.test('R55: traffic and turns of a persona are left out unless they are asked for, and then say so', async (t) => {
  const { stage, does } = await openPersona(t, clinic, { channel: 'rcs' })
  await does({ text: 'hi' })
  for (const path of ['/messages', '/conversations', '/users', '/turns']) {
    t.same((await stage.manage('GET', path)).data, [], path)
    const { data } = await stage.manage('GET', `${path}?includeTest=true`)
    t.ok(data.length > 0, path)
    for (const entry of data) t.match(entry, { test: true, emulatedChannel: 'rcs' }, path)
  }
  const ann = stage.phone('sms', '+12075550195')
  await ann.write('hi')
  for (const path of ['/messages', '/conversations', '/users', '/turns']) {
    const { data } = await stage.manage('GET', path)
    t.ok(data.length > 0, path)
    for (const entry of data) t.match(entry, { channel: 'sms', test: undefined, emulatedChannel: undefined }, path)
  }
})

t.test('R56, R57: what would go outside is captured, and no endpoint hears of it', async (t) => {
  const receiver = await openReceiver(t)
  const { scheduling } = clinic.capabilities
  const flow = {
    steps: [
      { action: 'integration:crm', with: { topic: 'Knees' } },
      { action: 'notify.team', with: { text: 'Somebody has sore knees.' } },
      { action: 'scheduling.book', with: { start: '2030-01-02T15:00:00Z' } },
      { say: 'All is done.' },
    ],
  }
  const uses = ['scheduling', 'notify', 'integration:crm']
  const document = {
    playbooks: [{ id: 'main', name: 'Main', isDefault: true, uses, body: '', flow }],
    capabilities: { scheduling: { ...scheduling, notificationRecipients: ['desk@harbor-clinic.example'] } },
    integrations: { custom: [{ id: 'crm', description: 'The CRM.', endpoint: { url: receiver.url('/crm') } }] },
  }
  const team = { operator: { provider: 'slack' }, slackWebhookUrl: receiver.url('/team') }
  const { stage, does, turns } = await openPersona(t, document)
  await stage.manage('PUT', '/notifications', team)
  t.match(JSON.stringify(await does({ text: 'hi' })), /All is done/)
  const [{ id }] = await turns()
  const { toolCalls, effects } = await stage.manage('GET', `/turns/${id}`)
  t.match(toolCalls, [
    { name: 'integration:crm', state: 'captured' },
    { name: 'notify.team', state: 'captured' },
    { name: 'scheduling.book', state: 'ok' },
  ])
  t.match(effects, [
    { kind: 'integration', payload: { url: receiver.url('/crm'), arguments: { topic: 'Knees' } } },
    { kind: 'notify', payload: { text: /sore knees/ } },
    { kind: 'mail' },
  ])
  t.same([...receiver.at('/crm'), ...receiver.at('/team')], [])
  const ann = stage.phone('sms', '+12075550196')
  await ann.write('hi')
  t.equal(receiver.at('/crm').length, 1, 'a person on a channel is no rehearsal')
  t.equal(receiver.at('/team').length, 1)
})

t.test(
  'R57: the rehearsal of a send lands in the conversation of its persona, which goes on in its playbook',
  async (t) => {
    const say = (text: string) => ({ steps: [{ say: text }] })
    const { stage, at, does } = await openPersona(t, {
      messageTemplates: [{ id: 'hi', name: 'Hi', body: 'Spring offers are here.' }],
      outreach: [
        {
          id: 'spring',
          name: 'Spring',
          class: 'service',
          openerTemplateId: 'hi',
          playbookId: 'offers',
          inputs: [],
          enabled: true,
        },
      ],
      playbooks: [
        { id: 'desk', name: 'Desk', isDefault: true, uses: [], body: '', flow: say('What can I do?') },
        { id: 'offers', name: 'Offers', outreachId: 'spring', uses: [], body: '', flow: say('Gold or silver?') },
      ],
    })
    const sent = stage.manage('POST', '/outreach/spring/sends', { recipient: { personaId: at.split('/').at(-1) } })
    await advanceUntilAnswered(sent, () => stage.clock.advance(20))
    await waitUntil(async () => {
      stage.clock.advance(1_000)
      return /Spring offers are here/.test(JSON.stringify(await stage.manage('GET', `${at}/turns`)))
    })
    t.match(JSON.stringify(await does({ text: 'Sounds good' })), /Gold or silver/)
    t.same(stage.channels.requests, [], 'no provider was asked')
  },
)

t.test('R52: a reset persona begins anew', async (t) => {
  const { stage, at, does } = await openPersona(t, clinic)
  await does({ text: 'Book a visit' })
  await stage.manage('POST', `${at}/_reset`)
  t.match(JSON.stringify(await does({ text: 'hi' })), /desk of Harbor Clinic/)
})

t.test('R53: STOP of a persona ends the conversation, and START brings it back', async (t) => {
  const { does } = await openPersona(t, clinic, { channel: 'sms' })
  await does({ text: 'hi' })
  await does({ system: 'optOut' })
  t.notMatch(JSON.stringify(await does({ text: 'Do you have parking?' })), /six free spaces/)
  await does({ system: 'optIn' })
  t.match(JSON.stringify(await does({ text: 'Do you have parking?' })), /six free spaces/)
})
