/**
 * Rules as a resource of their agent, over a node: their fields, their rows, what they keep from going, and one sent
 * for real.
 */
import t from 'tap'
import { minute } from '../../../core/durations.js'
import { automation as limits } from '../../../core/limits/index.js'
import { fieldsOf } from '../agents/fixture.js'
import { newNumber, openSendNode } from '../outreach/sendnode.js'

const node = await openSendNode()
t.teardown(() => node.node.close())

const rule = { name: 'Say hello', outreachId: 'hello', trigger: { kind: 'person.created' } }
const path = '/automated-outreach'

t.test('A rule is made, read, listed, patched, replaced and deleted', async (t) => {
  const { call } = await node.sender({ binding: false })
  const made = await call('POST', path, rule)
  t.equal(made.status, 201)
  t.strictSame(made.json, { id: 'say-hello', ...rule, enabled: true, delayMinutes: 0 })
  const item = `${path}/say-hello`
  t.strictSame((await call('GET', item)).json, made.json)
  t.equal((await call('POST', path, rule)).json.id, 'say-hello-2')
  t.equal((await call('POST', path, { ...rule, id: 'mine' })).json.id, 'mine')
  t.same(
    (await call('GET', path)).json.data.map(({ id }: { id: string }) => id),
    ['say-hello', 'say-hello-2', 'mine'],
  )
  const sendWindow = { startHour: 22, endHour: 6, timeZone: 'Europe/Paris' }
  const whole = {
    ...rule,
    enabled: false,
    delayMinutes: 43_200,
    filter: { tag: 'vip' },
    ignoreSafeHours: true,
    sendWindow,
  }
  const patched = await call('PATCH', item, { ...whole, name: 'Later' })
  t.strictSame(patched.json, { id: 'say-hello', ...whole, name: 'Later' })
  t.strictSame((await call('PUT', item, patched.json)).json, patched.json, 'a PUT of a GET changes nothing')
  const { filter: _filter, sendWindow: _window, ...rest } = patched.json
  t.strictSame((await call('PATCH', item, { filter: null, sendWindow: null })).json, rest)
  t.strictSame((await call('PUT', item, rule)).json, made.json, 'PUT replaces')
  t.equal((await call('DELETE', item)).status, 204)
  for (const method of ['GET', 'DELETE']) t.match((await call(method, item)).json, { code: 'resource.not_found' })
  t.equal((await call('PATCH', item, {})).status, 404)
  t.equal((await call('GET', `${item}/rows`)).status, 404)
})

t.test('Every field is bounded, and what is wrong is named', async (t) => {
  const { call } = await node.sender({ binding: false })
  await call('PUT', '/people/fields', { fields: [{ key: 'plan', label: 'Plan', type: 'string' }] })
  const fieldSet = (field?: string) => ({ ...rule, trigger: { kind: 'person.fieldSet', field } })
  const hours = { startHour: 9, endHour: 17, timeZone: 'UTC' }
  for (const [body, fields] of [
    [{}, ['name', 'outreachId', 'trigger']],
    [{ ...rule, name: '' }, ['name']],
    [{ ...rule, name: 'x'.repeat(limits.nameChars + 1) }, ['name']],
    [{ ...rule, delayMinutes: -1 }, ['delayMinutes']],
    [{ ...rule, delayMinutes: 43_201 }, ['delayMinutes']],
    [{ ...rule, delayMinutes: 1.5 }, ['delayMinutes']],
    [{ ...rule, enabled: 'yes' }, ['enabled']],
    [{ ...rule, more: 1 }, ['more']],
    [{ ...rule, trigger: { kind: 'person.deleted' } }, ['trigger.kind']],
    [{ ...rule, trigger: { kind: 'person.statusChanged', status: 'happy' } }, ['trigger.status']],
    [{ ...rule, trigger: { kind: 'person.created', status: 'new' } }, ['trigger.status']],
    [{ ...rule, trigger: { kind: 'person.statusChanged', field: 'email' } }, ['trigger.field']],
    [fieldSet(), ['trigger.field']],
    [fieldSet('shoeSize'), ['trigger.field']],
    [{ ...rule, filter: { hat: 'red', status: 'happy' } }, ['filter.hat', 'filter.status']],
    [{ ...rule, sendWindow: { ...hours, startHour: 24 } }, ['sendWindow.startHour']],
    [{ ...rule, sendWindow: { ...hours, timeZone: 'Mars/Base' } }, ['sendWindow.timeZone']],
    [{ ...rule, sendWindow: { startHour: 1, endHour: 2 } }, ['sendWindow.timeZone']],
    [{ ...rule, id: 'Not a slug' }, ['id']],
    [{ ...rule, outreachId: 'none' }, ['outreachId']],
  ] as const) {
    const refused = await call('POST', path, body)
    t.equal(refused.status, 422, JSON.stringify(body))
    t.same(fieldsOf(refused).sort(), [...fields].sort(), JSON.stringify(body))
  }
  t.match((await call('POST', path, { ...rule, outreachId: 'none' })).json, { code: 'agent.outreach.not_found' })
  t.same((await call('GET', path)).json.data, [], 'nothing of it was kept')
  for (const field of ['plan', 'email']) t.equal((await call('POST', path, fieldSet(field))).status, 201)
  await call('POST', path, { ...rule, id: 'mine' })
  t.same(fieldsOf(await call('POST', path, { ...rule, id: 'mine' })), ['id'])
  t.same(fieldsOf(await call('PATCH', `${path}/mine`, { id: 'yours' })), ['id'])
  t.same(fieldsOf(await call('PATCH', `${path}/mine`, { trigger: { kind: 'person.fieldSet' } })), ['trigger.field'])
})

t.test('An agent has a bounded number of rules', async (t) => {
  const { call } = await node.sender({ binding: false })
  for (let nth = 0; nth < limits.rules; nth++) await call('POST', path, { ...rule, enabled: false })
  t.match(await call('POST', path, rule), { status: 422, json: { code: 'request.invalid' } })
})

t.test('An outreach that a rule names, enabled or not, does not go', async (t) => {
  const { call } = await node.sender({ binding: false })
  await call('POST', path, { ...rule, enabled: false })
  const refused = await call('DELETE', '/outreach/hello')
  t.match(refused, {
    status: 409,
    json: {
      code: 'agent.outreach.in_use',
      referrers: [{ kind: 'automatedOutreach', id: 'say-hello', name: 'Say hello' }],
    },
  })
  t.equal((await call('DELETE', `${path}/say-hello`)).status, 204)
  t.equal((await call('DELETE', '/outreach/hello')).status, 204)
})

t.test('Rows are listed page by page and by state', async (t) => {
  const { call } = await node.sender({ binding: false })
  await call('POST', path, { ...rule, delayMinutes: 43_200 })
  const ids: string[] = []
  for (let nth = 0; nth < 5; nth++) ids.push((await call('POST', '/people', { firstName: `P${nth}` })).json.id)
  const rows = `${path}/say-hello/rows`
  const first = (await call('GET', `${rows}?limit=2`)).json
  t.match(first.data[0], { personId: String, state: 'pending', dueAt: /Z$/ })
  const second = (await call('GET', `${rows}?limit=3&pageToken=${first.nextPageToken}`)).json
  const listed = [...first.data, ...second.data].map(({ personId }) => personId)
  t.same(listed.toSorted(), ids.toSorted())
  t.same((await call('GET', `${rows}?state=sent`)).json.data, [])
  t.equal((await call('GET', `${rows}?state=pending`)).json.data.length, 5)
  t.same(fieldsOf(await call('GET', `${rows}?state=lost`)), ['state'])
  t.same(fieldsOf(await call('GET', `${rows}?pageToken=x`)), ['pageToken'])
  const other = await call('GET', `${rows}?state=pending&pageToken=${first.nextPageToken}`)
  t.same(fieldsOf(other), ['pageToken'], 'a token of one list opens no other')
})

t.test('Somebody who comes to a status is sent an outreach by the rule that waited for it', async (t) => {
  const { call, send, read, waitForState: reaches } = await node.sender()
  await call('POST', '/outreach', { id: 'next', name: 'Next', class: 'service', openerTemplateId: 'hi' })
  const trigger = { kind: 'person.statusChanged', status: 'qualified' }
  await call('POST', path, { id: 'onward', name: 'Onward', outreachId: 'next', trigger, delayMinutes: 1 })
  const { json } = await send({ recipient: { channel: 'rcs', address: newNumber() } })
  await reaches(json.sendId, 'sent')
  await call('PATCH', `/people/${json.personId}`, { status: 'qualified', consent: { status: 'granted' } })
  const row = async () => (await call('GET', `${path}/onward/rows`)).json.data[0]
  t.match(await row(), { personId: json.personId, state: 'pending' })
  while ((await row()).state !== 'sent') await node.node.clock.advance(10_000)
  const sent = (await read((await row()).sendId)).json
  t.match(sent, { state: 'sent', origin: 'automated', automatedOutreachId: 'onward', outreachId: 'next' })
  const listed = await call('GET', '/outreach/sends?automatedOutreachId=onward')
  t.same(
    listed.json.data.map(({ sendId }: { sendId: string }) => sendId),
    [sent.sendId],
  )
})

t.test(
  'Another lead in the agent’s scheduling moves the reminder of an appointment that was booked before',
  async (t) => {
    const { id: agentId, call, send, waitForState: reaches } = await node.sender()
    const { json } = await send({ recipient: { channel: 'rcs', address: newNumber() } })
    await reaches(json.sendId, 'sent')
    await call('PUT', '/scheduling', { reminders: { leadMinutes: 2 } })
    const agentRef = { orgId: 'demo', agentId }
    const startUtc = node.node.clock.now() + 8 * minute
    const appointment = {
      id: 'ap_1',
      startUtc,
      durationMinutes: 30,
      prospectTimezone: 'UTC',
      status: 'scheduled',
      history: [],
    }
    const saveAppointment = { name: 'appointments.save', decide: () => true }
    t.equal(
      await node.node.node.engine.execute(`demo/${agentId}`, saveAppointment, {
        ...agentRef,
        personId: json.personId,
        appointment,
      }),
      true,
    )
    t.equal((await call('GET', `/people/${json.personId}/appointments`)).json.data.length, 1)
    await call('PUT', '/scheduling', { reminders: { leadMinutes: 6 } })
    const countShown = async () => {
      const { json: all } = await node.node.mgmt('GET', '/v1/system/emulator/shown', { token: node.node.key })
      return JSON.stringify(all).split('Reminder: your appointment').length - 1
    }
    await node.node.clock.advance(minute)
    t.equal(await countShown(), 0)
    while ((await countShown()) === 0) await node.node.clock.advance(5_000)
    t.ok(node.node.clock.now() < startUtc - 2 * minute, 'it came by the new lead')
    await node.node.clock.advance(6 * minute)
    t.equal(await countShown(), 1)
  },
)

t.test(
  'What an agent’s automation kept goes with it, and its successor of the same id begins with nothing',
  async (t) => {
    const { id, call } = await node.sender({ binding: false })
    await call('POST', path, { ...rule, delayMinutes: 10 })
    await call('POST', '/people', { firstName: 'Ada' })
    t.equal((await call('DELETE', '')).status, 204)
    t.equal((await call('GET', path)).status, 404)
    await node.node.clock.advance(11 * minute)
    await node.node.mgmt('POST', '/v1/orgs/demo/agents', { token: node.node.key, json: { name: id, id } })
    t.same((await call('GET', path)).json.data, [])
  },
)

t.test('Whose follow-up goes with its outreach gets none, and the journal says why', async (t) => {
  const {
    call,
    send,
    waitForState: reaches,
  } = await node.sender({ outreach: { followUp: { templateId: 'hi', afterHours: 1 } } })
  const { json } = await send({ recipient: { channel: 'rcs', address: newNumber() } })
  await reaches(json.sendId, 'sent')
  t.equal((await call('DELETE', '/outreach/hello')).status, 204)
  const { journal } = (await call('GET', `/people/${json.personId}`)).json
  t.match(journal, [{ author: 'agent', text: 'No follow-up: the outreach Hello was deleted.' }])
})
