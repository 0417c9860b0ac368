/** Tools of a managed agent as its operator sees them: what is called, what is not. */
import t, { type Test } from 'tap'
import { openReceiver } from '../../harness/receiver.js'
import { clinic, openStage, type Stage } from './stage.js'

t.setTimeout(300_000)

const orderLookup = '@svc/tool.order-lookup'
const orders = { action: `tool:${orderLookup}`, with: { orderNumber: '7', proof: '10115' }, on_error: 'branch' }
const toolPlaybook = (more: object = {}) => ({
  ...{ id: 'orders', name: 'Orders', isDefault: true, uses: [], body: '', toolRefs: [orderLookup] },
  flow: { steps: [orders, { say: 'That is what I know.' }] },
  ...more,
})

async function bindOrders(t: Test, { manage }: Stage) {
  const receiver = await openReceiver(t)
  receiver.setBehavior('/order-lookup', (response) => response.end('{"state":"delivered"}'))
  const path = `/tool-bindings/${encodeURIComponent(orderLookup)}`
  await manage('PUT', path, { config: { baseUrl: receiver.url(''), apiKey: 'key-of-the-shop' } })
  return { receiver, path }
}

t.test('R24: a template of messageTemplateRefs is said, though the body of its playbook never names it', async (t) => {
  const messageTemplates = [{ id: 'greeting', name: 'Greeting', body: 'Welcome aboard.' }]
  for (const refs of [['greeting'], []]) {
    const playbooks = [{ id: 'desk', name: 'Desk', isDefault: true, uses: [], body: '', messageTemplateRefs: refs }]
    const flow = { steps: [{ say: 'We sail at ten.' }] }
    const sail = { id: 'sail', name: 'When we sail', uses: [], body: '', flow }
    const stage = await openStage(t, { messageTemplates, playbooks: [...playbooks, sail] }, { channels: ['rcs'] })
    const { text } = await stage.phone('rcs', '+12075550240').act({ system: 'conversationStarted' })
    t.equal(/Welcome aboard/.test(text), refs.length > 0)
  }
})

t.test('R24, decision 14: a flow calls the catalog tool that toolRefs name, once it is set up', async (t) => {
  const stage = await openStage(t, { playbooks: [toolPlaybook()] })
  const ann = stage.phone('sms', '+12075550241')
  const refused = await ann.write('hello')
  t.match(refused.turn, {
    warnings: [
      { code: 'tool.refused' },
      { code: 'tool.unavailable', message: 'Order lookup is not set up for the agent.' },
    ],
    toolCalls: [],
  })
  const { receiver, path } = await bindOrders(t, stage)
  const { turn } = await ann.write('Orders')
  t.match(turn, {
    warnings: [],
    toolCalls: [{ name: `tool:${orderLookup}`, state: 'ok', result: { state: 'delivered' } }],
  })
  t.equal(receiver.at('/order-lookup').length, 1)
  await stage.manage('PUT', path, { config: { baseUrl: receiver.url('') }, enabled: false })
  t.match((await ann.write('Orders')).turn.warnings, [{ code: 'tool.refused' }, { message: /switched off/ }])
  t.equal(receiver.at('/order-lookup').length, 1)
})

t.test('Decision 14: a tool that the playbook names and that cannot be called is said once a turn', async (t) => {
  const asks = {
    slots: [{ name: 'word', type: 'string', required: true, prompt: 'Which?' }],
    steps: [{ collect: 'word' }],
  }
  const steps = [{ action: 'people.save', with: { fields: { firstName: 'Ann' } } }, { say: 'Saved.' }]
  const flow = { ...asks, steps: [...asks.steps, ...steps] }
  const stage = await openStage(t, { playbooks: [toolPlaybook({ flow, uses: ['people'] })] })
  const ann = stage.phone('sms', '+12075550242')
  await ann.write('hello')
  const { turn } = await ann.write('this one')
  t.match(turn.toolCalls, [{ name: 'people.save', state: 'ok' }])
  t.equal(turn.warnings.filter(({ code }: { code: string }) => code === 'tool.unavailable').length, 1)
})

t.test('Decision 18: a call in doubt is not made again, and its flow goes on with the error', async (t) => {
  const receiver = await openReceiver(t)
  receiver.setBehavior('/crm', (response) => void response.socket?.destroy())
  const custom = [{ id: 'crm', description: 'The CRM.', endpoint: { url: receiver.url('/crm') } }]
  const flow = {
    steps: [
      { action: 'integration:crm', on_error: 'branch' },
      { branch: [{ if: 'error', goto: 'no' }], else: 'yes' },
      { id: 'yes', say: 'Done.' },
      { end: { outcome: 'done' } },
      { id: 'no', say: 'I cannot tell: {error}' },
      { end: { outcome: 'in doubt' } },
    ],
  }
  const playbooks = [{ id: 'main', name: 'Main', isDefault: true, uses: ['integration:crm'], body: '', flow }]
  const stage = await openStage(t, { playbooks, integrations: { custom } })
  const { turn, text } = await stage.phone('sms', '+12075550243').write('hello')
  t.match(text, /I cannot tell: It is not known whether the integration crm did what was asked/)
  t.match(turn, { outcomes: ['in doubt'], warnings: [{ code: 'tool.unknown' }], toolCalls: [{ state: 'unknown' }] })
  t.equal(receiver.at('/crm').length, 1)
})

t.test('R48: an integration that answers without a body is called once, and is done', async (t) => {
  const receiver = await openReceiver(t)
  const custom = [{ id: 'crm', description: 'The CRM.', endpoint: { url: receiver.url('/crm') } }]
  const flow = { steps: [{ action: 'integration:crm' }, { say: 'It is done.' }] }
  const playbooks = [{ id: 'main', name: 'Main', isDefault: true, uses: ['integration:crm'], body: '', flow }]
  const stage = await openStage(t, { playbooks, integrations: { custom } })
  const { turn, text } = await stage.phone('sms', '+12075550248').write('hello')
  t.match(text, /It is done/)
  t.match(turn.toolCalls, [{ name: 'integration:crm', state: 'ok', result: null }])
  t.equal(receiver.at('/crm').length, 1)
})

t.test('R44: without a zone of its own the agent’s hours are those of the organisation’s zone', async (t) => {
  const { timezone: _own, ...scheduling } = clinic.capabilities.scheduling
  const stage = await openStage(t, {
    ...clinic,
    capabilities: { ...clinic.capabilities, scheduling: { ...scheduling, representatives: [] } },
  })
  const { status } = await stage.node.mgmt('PATCH', '/v1/orgs/acme', {
    token: stage.node.key,
    json: { timeZone: 'Asia/Kolkata' },
  })
  t.equal(status, 200)
  const ann = stage.phone('sms', '+12075550244')
  await ann.write('Book a visit')
  const { turn } = await ann.write('Sports massage')
  const [read] = turn.toolCalls
  const hours = read.result.slots.map(({ start }: { start: string }) => {
    return new Date(start).toLocaleTimeString('en-GB', { timeZone: 'Asia/Kolkata', hour: '2-digit' })
  })
  t.ok(hours.length > 0)
  t.ok(
    hours.every((hour: string) => Number(hour) >= 8 && Number(hour) < 18),
    hours.join(),
  )
})

/** Events that a managed agent can write to its log without a language model, and tests of other files do not show. */
