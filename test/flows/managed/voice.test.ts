/** Who answers a person and when: the document of a managed agent, a webhook, or nobody. */
import t from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { hang, openReceiver } from '../../harness/receiver.js'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

const playbook = {
  ...{ id: 'desk', name: 'Desk', isDefault: true, uses: [], whenToUse: 'Always.' },
  body: 'Secret instructions of the operator.',
}
const crmFlow = {
  steps: [{ action: 'integration:crm', on_error: 'branch' }, { say: 'The CRM has answered.' }],
}
const facts = [{ id: 'hours', question: 'When are you open?', answer: 'From 8 to 18.' }]
const session = 31 * 60_000

t.test('R1, decision 34: an agent without a webhook answers itself, and from then on its webhook does', async (t) => {
  const stage = await openStage(t, clinic)
  t.match(await stage.manage('GET', '/gateway'), { mode: 'managed' })
  const ann = stage.phone('sms', '+12075550110')
  t.match((await ann.write('Do you have parking?')).text, /six free spaces/)
  const receiver = await openReceiver(t)
  await stage.agent.call('POST', '/webhook', { webhookUrl: receiver.url('/hook') })
  t.match(await stage.manage('GET', '/gateway'), { mode: 'webhook' })
  const [turns, sent] = [(await ann.turns()).length, ann.requests().length]
  await ann.send({ text: 'Do you have parking?' })
  await waitUntil(() => receiver.at('/hook').some(({ body }) => /parking/.test(body.toString())))
  const stated = receiver.at('/hook').map(({ body }) => JSON.parse(body.toString()))
  t.match(stated.at(-1), { mode: 'webhook', event: { event: { type: 'message' } } })
  t.equal((await ann.turns()).length, turns)
  t.equal(ann.requests().length, sent)
})

t.test(
  'Decision 34: a webhook that is set while a tool is asked cuts the turn, and what waits goes to the webhook',
  async (t) => {
    const receiver = await openReceiver(t)
    receiver.setBehavior('/crm', hang)
    const stage = await openStage(t, {
      playbooks: [{ ...playbook, uses: ['integration:crm'], flow: crmFlow }],
      integrations: { custom: [{ id: 'crm', description: 'The CRM.', endpoint: { url: receiver.url('/crm') } }] },
    })
    const ann = stage.phone('sms', '+12075550109')
    await ann.send({ text: 'hello' })
    await waitUntil(() => receiver.at('/crm').length === 1)
    await ann.send({ text: 'Are you there?' })
    await stage.agent.call('POST', '/webhook', { webhookUrl: receiver.url('/hook') })
    // The call that is under way comes to its end, and nobody waits for it any more.
    receiver.cutConnections()
    await waitUntil(() => {
      stage.clock.advance(1_000)
      return receiver.at('/hook').some(({ body }) => /Are you there/.test(body.toString()))
    })
    t.match(await ann.turns(), [{ state: 'cut', endedBy: 'webhook', trigger: { text: 'hello' } }])
    t.equal((await ann.turns()).length, 1, 'the second text began none')
    t.same(ann.requests(), [], 'Parley says nothing')
    t.equal(receiver.at('/crm').length, 1)
    t.notMatch(
      receiver.at('/hook').map(({ body }) => JSON.parse(body.toString()).event.event.message?.text),
      ['hello'],
      'what the turn took is not passed on',
    )
  },
)

t.test(
  'Decision 2: what only a model could answer gets the stock sentence, never the words of a playbook',
  async (t) => {
    const stage = await openStage(t, { playbooks: [playbook], identity: clinic.identity })
    const answer = await stage.phone('sms', '+12075550111').write('Tell me a story about the sea')
    t.match(answer.text, /I cannot answer that here\.[\s\S]*People are at the desk/)
    t.notMatch(answer.text, /Secret/)
    t.match(answer.turn, { state: 'completed', modelCalls: [], warnings: [{ code: 'model.absent' }] })
  },
)

t.test(
  'Decision 3: with neither playbooks nor Facts nothing is said, and the log says so once a session',
  async (t) => {
    const stage = await openStage(t, undefined)
    const ann = stage.phone('sms', '+12075550112')
    await ann.send({ text: 'hello' })
    const failures = async () =>
      (await stage.manage('GET', '/logs?limit=200')).data.filter(
        ({ event }: { event: string }) => event === 'framework.failed',
      )
    await waitUntil(async () => (await failures()).length === 1)
    await ann.send({ text: 'anybody?' })
    stage.clock.advance(session)
    await ann.send({ text: 'hello again' })
    await waitUntil(async () => (await failures()).length === 2)
    t.same(ann.requests(), [])
    const gateway = await stage.manage('GET', '/gateway')
    t.match(gateway, { mode: 'managed' })
    t.match(JSON.stringify(await stage.manage('GET', '/lint')), /agent\.voice\.missing/)
  },
)

t.test(
  'Decision 3: with Facts alone it answers Facts and requests for a person, else the stock sentence',
  async (t) => {
    const stage = await openStage(t, { capabilities: { knowledge: { facts } }, identity: clinic.identity })
    const ann = stage.phone('sms', '+12075550113')
    t.match((await ann.write('when are you open')).text, /^From 8 to 18\./)
    t.match((await ann.write('Can I talk to a person?')).text, /People are at the desk/)
    t.match((await ann.write('Sing me something')).text, /I cannot answer that here/)
  },
)

t.test('R6, decision 29: receipts and taps that only act begin no turn', async (t) => {
  const stage = await openStage(t, clinic, { channels: ['rcs'] })
  const ann = stage.phone('rcs', '+12075550114')
  const { requests } = await ann.write('Can I talk to a person?')
  const before = (await ann.turns()).length
  const payload = JSON.stringify(requests.map((each) => each.payload))
  const dial = /"label":"Call us"[^}]*"postback":"([^"]+)"/.exec(payload)?.[1]
  t.ok(dial, 'the phone number can be tapped')
  await ann.send({ postback: dial, label: 'Call us' })
  await ann.send({ receipt: { messageId: `p-${requests[0]!.id}`, state: 'read' } })
  const answer = await ann.write('Do you have parking?')
  t.equal((await ann.turns()).length, before + 1)
  t.match(answer.text, /six free spaces/)
})

t.test('R7: after STOP nothing is said, HELP is answered, and START brings the agent back', async (t) => {
  const stage = await openStage(t, clinic)
  await stage.manage('PATCH', `/channels/${stage.agent.binding('sms')}`, { compliance: { enabled: true } })
  const ann = stage.phone('sms', '+12075550115')
  await ann.write('hi')
  await ann.send({ text: 'STOP' })
  await waitUntil(async () => (await ann.person())?.identities[0].optedOut)
  const stopped = ann.requests().length
  await ann.send({ text: 'Do you have parking?' })
  await ann.send({ text: 'HELP' })
  await waitUntil(() => ann.requests().length > stopped)
  t.notMatch(
    ann
      .requests()
      .slice(stopped)
      .map(({ text }) => text)
      .join('\n'),
    /six free spaces/,
  )
  await ann.send({ text: 'START' })
  const turns = (await ann.turns()).length
  await ann.send({ text: 'Where do I park?' })
  await waitUntil(() => /six free spaces/.test(ann.requests().at(-1)!.text))
  t.ok((await ann.turns()).length > turns)
  const parked = ann.requests().filter(({ text }) => /six free spaces/.test(text))
  t.equal(parked.length, 1, 'what was asked after STOP is never answered')
})

t.test(
  'R8, decision 7: half an hour of silence ends the session, and the next begins in the default playbook',
  async (t) => {
    const stage = await openStage(t, clinic)
    const ann = stage.phone('sms', '+12075550116')
    const first = await ann.write('Book a visit')
    t.equal(first.turn.playbook.after, 'book')
    stage.clock.advance(session)
    const next = await ann.write('hello')
    t.not(next.turn.sessionId, first.turn.sessionId)
    t.match(next.turn.playbook, { before: 'book', after: 'desk' })
    t.match(next.text, /this is the desk of Harbor Clinic/)
  },
)

t.test('R9: an answer that means no option is asked again, and a clear word is taken', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550117')
  await ann.write('Book a visit')
  t.match((await ann.write('hmm, not sure yet')).text, /Which treatment/)
  t.match((await ann.write('a sports massage please')).text, /When would you like to come/)
})

t.test('Decision 28, R12: a conversation that was only started is greeted, once a session', async (t) => {
  const stage = await openStage(t, clinic, { channels: ['rcs'] })
  const ann = stage.phone('rcs', '+12075550119')
  const greeted = await ann.act({ system: 'conversationStarted' })
  t.match(greeted.text, /Hello there, this is the desk of Harbor Clinic/)
  t.match(greeted.turn, { trigger: { kind: 'started' }, modelCalls: [] })
})

t.test('R5: six people who write at once each get their answer', async (t) => {
  const stage = await openStage(t, clinic)
  const people = Array.from({ length: 6 }, (_, nth) => stage.phone('sms', `+1207555016${nth}`))
  const answers = await Promise.all(people.map((each) => each.write('Do you have parking?')))
  for (const { text } of answers) t.match(text, /six free spaces/)
})
