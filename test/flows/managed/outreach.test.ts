/** Openings: an outreach, a reminder and a link lead into their playbooks, which are hidden everywhere else. */
import t from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { clinic, openStage, type Stage, waitForReminder } from './stage.js'

t.setTimeout(300_000)

const spring = {
  messageTemplates: [{ id: 'hi', name: 'Hi', body: 'Spring offers are here.' }],
  goals: [{ id: 'reply', name: 'Reply', definition: { kind: 'event', event: 'person.replied' } }],
  outreach: [
    {
      ...{ id: 'spring', name: 'Spring', class: 'service', openerTemplateId: 'hi', playbookId: 'offers' },
      ...{ inputs: [], enabled: true, goal: { goalId: 'reply' } },
    },
  ],
  playbooks: [
    {
      ...{ id: 'desk', name: 'Desk', isDefault: true, uses: [], body: '' },
      flow: { steps: [{ say: 'What can I do?' }] },
    },
    {
      ...{ id: 'offers', name: 'Offers', outreachId: 'spring', uses: [], body: '' },
      flow: {
        slots: [{ name: 'plan', type: 'enum', required: true, options: ['Gold', 'Silver'], prompt: 'Gold or Silver?' }],
        steps: [{ collect: 'plan' }, { say: 'Noted: {plan}.' }],
      },
    },
  ],
}

/** Sends the outreach, and lets time pass until the phone has it. */
async function sendSpring(stage: Stage, address: string): Promise<void> {
  await stage.manage('POST', '/outreach/spring/sends', { recipient: { channel: 'rcs', address } })
  await waitUntil(() => {
    stage.clock.advance(1_000)
    return stage
      .phone('rcs', address)
      .requests()
      .some(({ text }) => /Spring offers/.test(text))
  })
}

t.test(
  'R22, R25, decision 7: the answer to an outreach opens its playbook and goal, and later sessions do not',
  async (t) => {
    const stage = await openStage(t, spring, { channels: ['rcs'] })
    const ann = stage.phone('rcs', '+12075550210')
    await sendSpring(stage, '+12075550210')
    const first = await ann.write('Sounds good')
    t.match(first.text, /Gold or Silver\?/)
    t.match(first.turn, {
      trigger: { opening: 'outreach' },
      playbook: { after: 'offers', why: 'outreach' },
      goal: { id: 'reply', from: 'outreach', reached: true },
    })
    t.match((await ann.tap('Gold')).text, /Noted: Gold/)
    stage.clock.advance(31 * 60_000)
    const later = await ann.write('hello')
    t.match(later.text, /What can I do/)
    t.match(later.turn.playbook, { after: 'desk' })
    t.notMatch((await ann.write('Offers')).text, /Gold or Silver/, 'it is hidden again')
  },
)

t.test('Decision 3: an agent that only sends says nothing to those who answer', async (t) => {
  const stage = await openStage(t, { messageTemplates: spring.messageTemplates }, { channels: ['rcs'] })
  const outreach = { id: 'spring', name: 'Spring', class: 'service', openerTemplateId: 'hi', inputs: [] }
  await stage.manage('POST', '/outreach', outreach)
  const ann = stage.phone('rcs', '+12075550213')
  await sendSpring(stage, '+12075550213')
  const sent = ann.requests().length
  await ann.send({ text: 'Thank you' })
  const failures = async () =>
    (await stage.manage('GET', '/logs?limit=200')).data.filter(
      ({ event }: { event: string }) => event === 'framework.failed',
    )
  await waitUntil(async () => (await failures()).length === 1)
  t.equal(ann.requests().length, sent)
  t.match(await stage.manage('GET', '/gateway'), { mode: 'managed', warning: /does not answer/ })
  await stage.manage('PATCH', '/playbooks/spring', { body: 'Talk about the offers.' })
  t.match((await ann.write('Are you there?')).text, /I cannot answer that here/, 'a playbook with words is a voice')
})

t.test('R11a: a new opening within a session moves the conversation into its playbook', async (t) => {
  const stage = await openStage(t, spring, { channels: ['rcs'] })
  const ann = stage.phone('rcs', '+12075550211')
  t.match((await ann.write('hello')).turn.playbook, { after: 'desk' })
  await sendSpring(stage, '+12075550211')
  t.match((await ann.write('ok')).turn.playbook, { after: 'offers' })
})

t.test('R28: the answer to a reminder opens the playbook of reminders', async (t) => {
  const { scheduling } = clinic.capabilities
  const reminders = { enabled: true, leadMinutes: 60, playbookId: 'move', ignoreSafeHours: true }
  const capabilities = { ...clinic.capabilities, scheduling: { ...scheduling, reminders } }
  const stage = await openStage(t, { ...clinic, capabilities })
  const ann = stage.phone('sms', '+12075550212')
  for (const text of ['Book a visit', '1', '3', 'Ann', 'ann@example.com', 'skip', 'yes']) await ann.write(text)
  await waitForReminder(stage, ann)
  const answer = await ann.write('oh, about that')
  t.match(answer.turn, { trigger: { opening: 'reminder' }, playbook: { after: 'move', why: 'reminder' } })
  t.match(answer.text, /Which time suits you better/)
})

t.test('R12, decision 28: a link opens the conversation with the greeting, in the default playbook', async (t) => {
  const stage = await openStage(t, clinic, { channels: ['rcs'] })
  const { url } = await stage.manage('POST', '/outreach-links', { bindingId: stage.agent.binding('rcs') })
  const code = url.split('/').at(-1)
  const body = new URLSearchParams({ phone: '+12075550213' }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await stage.node.gateway('POST', `/v4/start/${code}`, { body, headers })
  const ann = stage.phone('rcs', '+12075550213')
  await waitUntil(() => {
    stage.clock.advance(1_000)
    return ann.requests().length > 0
  })
  t.match(ann.requests()[0]!.text, /this is the desk of Harbor Clinic/)
  const answer = await ann.write('I would like to book an appointment')
  t.match(answer.turn, { trigger: { opening: 'link' }, playbook: { after: 'book' } })
  t.match(answer.text, /Which treatment/)
})
