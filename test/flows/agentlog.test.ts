/**
 * Lines of an agent's log that belong to no message: refused calls of providers, sends, capabilities, templates,
 * rehearsals.
 */
import t from 'tap'
import { createCarrier, importPeople, makeOutreach, stageCampaign, textsAt } from '../harness/carriers.js'
import { waitUntil } from '../harness/clock.js'
import { startNode, testKey } from '../harness/process.js'
import { TestAgent } from '../harness/testagent.js'

t.setTimeout(90_000)

const node = await startNode({ PARLEY_ALLOW_PRIVATE_URLS: 'true', PARLEY_TIME_SCALE: '60' })
t.teardown(() => node.clean())

// biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
const lines = async (testAgent: TestAgent, query: string): Promise<any[]> =>
  (await testAgent.manage('GET', `${testAgent.agentPath}/logs?${query}`)).data

const linesNamed = async (testAgent: TestAgent, event: string, count = 1) => {
  await waitUntil(async () => (await lines(testAgent, `event=${event}`)).length >= count)
  return lines(testAgent, `event=${event}`)
}

t.test('A call with a bad signature, and a signed call that cannot be read, each have a log line', async (t) => {
  const testAgent = await TestAgent.open(t, node, 'Ingress')
  const { id: bindingId, ingressUrl } = await testAgent.bind('sms', { mode: 'unmanaged', provider: 'emulator' })
  for (let call = 0; call < 5; call++) {
    t.equal((await fetch(ingressUrl, { method: 'POST', body: '{"secret":"hush"}' })).status, 401)
  }
  const refused = await linesNamed(testAgent, 'ingress.signature_refused')
  t.equal(refused.length, 1, 'the others are counted')
  t.match(refused, [{ level: 'warn', channel: 'sms', data: { bindingId } }])
  await t.rejects(testAgent.phoneAct('sms', { from: '' }, ''), /422/)
  t.match(await linesNamed(testAgent, 'ingress.malformed'), [
    { level: 'warn', channel: 'sms', data: { bindingId, problem: /./ } },
  ])
  t.notMatch(JSON.stringify(await lines(testAgent, 'limit=1000')), 'hush')
})

t.test('An accepted send has log lines, with the capability check and the missing slots', async (t) => {
  const carrier = await createCarrier(t, node, 'rbm')
  const { testAgent } = carrier
  await makeOutreach(carrier, 'note', 'Hello {person.firstName|there}, {person.lastName|omit-sentence}. A note.')
  const phone = '+14155550131'
  const send = (address: string) =>
    testAgent.manage('POST', `${testAgent.agentPath}/outreach/note/sends`, { recipient: { channel: 'rcs', address } })
  const { sendId, asid: userId } = await send(phone)
  await textsAt(carrier, phone, 1)
  const filter = { userId, channel: 'rcs' }
  t.match(await linesNamed(testAgent, 'outreach.accepted'), [
    { ...filter, level: 'info', data: { sendId, outreachId: 'note', origin: 'named' } },
  ])
  t.match(await linesNamed(testAgent, 'capability.checked'), [{ ...filter, level: 'debug', data: { isCapable: true } }])
  t.match(await linesNamed(testAgent, 'template.slot_missing'), [
    {
      ...filter,
      level: 'warn',
      data: {
        templateId: 'note-opener',
        slots: [
          { path: 'person.firstName', action: 'default' },
          { path: 'person.lastName', action: 'omit-sentence' },
        ],
      },
    },
  ])
  t.match(await linesNamed(testAgent, 'outreach.dispatched'), [{ ...filter, level: 'info' }])
  const own = (await lines(testAgent, `userId=${userId}`)).map(({ event }) => event)
  for (const event of ['outreach.accepted', 'capability.checked', 'template.slot_missing', 'outreach.dispatched']) {
    t.ok(own.includes(event), `${event} is found by its person`)
  }
  const fullQuery = `userId=${userId}&end=${new Date().toISOString()}`
  const pages = async () => {
    const paged: unknown[] = []
    let token = ''
    do {
      const query = `${fullQuery}&limit=1${token && `&pageToken=${token}`}`
      const page = await testAgent.manage('GET', `${testAgent.agentPath}/logs?${query}`)
      paged.push(...page.data)
      token = page.nextPageToken ?? ''
    } while (token)
    return paged
  }
  // Lines of what these sends led to may still be on their way while the pages are read.
  let paged: unknown[] = []
  let at: unknown[] = []
  await waitUntil(async () => {
    const before = await lines(testAgent, fullQuery)
    paged = await pages()
    at = await lines(testAgent, fullQuery)
    return before.length === at.length
  })
  t.same(paged, at, 'pages neither miss nor repeat a line')
})

t.test('A suppressed Outreach has a log line with its reason', async (t) => {
  const carrier = await createCarrier(t, node, 'rbm')
  const { testAgent } = carrier
  await makeOutreach(carrier, 'note', 'A note.')
  await makeOutreach(carrier, 'strict', 'Hello {person.firstName|block-send}.')
  const phone = '+14155550132'
  const recipient = { channel: 'rcs', address: phone }
  const { sendId } = await testAgent.manage('POST', `${testAgent.agentPath}/outreach/note/sends`, { recipient })
  await carrier.sendFrom(phone, 'STOP')
  t.match(await linesNamed(testAgent, 'outreach.suppressed'), [
    { level: 'info', channel: 'rcs', data: { sendId, outreachId: 'note', reason: 'opted_out' } },
  ])
  const other = { channel: 'rcs', address: '+14155550133' }
  await testAgent.manage('POST', `${testAgent.agentPath}/outreach/strict/sends`, { recipient: other })
  t.match(await linesNamed(testAgent, 'template.slot_missing'), [
    { data: { slots: [{ path: 'person.firstName', action: 'block-send' }] } },
  ])
})

t.test('Sends dispatched by a campaign share one log line with their number', async (t) => {
  const carrier = await createCarrier(t, node, 'rbm')
  const { testAgent } = carrier
  await makeOutreach(carrier, 'spring', 'Spring is here.')
  const batch = await importPeople(carrier, ['+14155550141', '+14155550142', '+14155550143'])
  const campaignId = await stageCampaign(carrier, 'spring', batch)
  await testAgent.manage('POST', `${testAgent.agentPath}/campaigns/${campaignId}/start`)
  await waitUntil(
    async () =>
      (await testAgent.manage('GET', `${testAgent.agentPath}/campaigns/${campaignId}`)).status === 'completed',
  )
  const accepted = await linesNamed(testAgent, 'outreach.accepted')
  t.match(accepted[0], { data: { campaignId, outreachId: 'spring', origin: 'campaign' } })
  t.equal(
    accepted.reduce((count, { data }) => count + data.sends, 0),
    3,
  )
  t.equal((await linesNamed(testAgent, 'capability.checked', 3)).length, 3)
})

t.test('A turn in the emulator has a log line, without the text', async (t) => {
  const testAgent = await TestAgent.open(t, node, 'Rehearsed')
  const { id } = await testAgent.manage('POST', `${testAgent.agentPath}/personas`, { name: 'Ada' })
  await testAgent.manage('POST', `${testAgent.agentPath}/personas/${id}/turns`, { text: 'hush hush' })
  const turns = await linesNamed(testAgent, 'emulator.turn')
  t.match(turns, [{ level: 'debug', data: { kind: 'text' } }])
  t.notMatch(JSON.stringify(turns), 'hush')
})

t.test('Log lines of one agent are not shown for another', async (t) => {
  const testAgent = await TestAgent.open(t, node, 'Apart')
  t.same(await lines(testAgent, 'limit=1000'), [])
  const answer = await fetch(`${node.mgmt}/v1/orgs/demo/agents/not-there/logs`, {
    headers: { authorization: `Bearer ${testKey}` },
  })
  t.equal(answer.status, 404)
})
