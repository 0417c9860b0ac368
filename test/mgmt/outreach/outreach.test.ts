/** Outreach as a resource of its agent: its fields, its playbook, its end. */
import t from 'tap'
import { agentLimits as limits } from '../../../core/limits/index.js'
import { fieldsOf } from '../agents/fixture.js'
import { newNumber, openSendNode } from './sendnode.js'

const node = await openSendNode()
t.teardown(() => node.node.close())

const opener = { name: 'Come back', class: 'marketing', openerTemplateId: 'hi' }

t.test('An outreach is made with a playbook of its own, switched on, its id from the name', async (t) => {
  const { call } = await node.sender({ binding: false })
  const made = await call('POST', '/outreach', opener)
  t.equal(made.status, 201)
  t.match(made.json, { ...opener, id: 'come-back', playbookId: 'come-back', inputs: [], enabled: true })
  t.equal(made.json.createdAt, made.json.updatedAt)
  const playbook = await call('GET', '/playbooks/come-back')
  t.match(playbook.json, { outreachId: 'come-back', isDefault: false, name: 'Come back' })
  t.same(
    (await call('GET', '/outreach')).json.data.map(({ id }: { id: string }) => id),
    ['hello', 'come-back'],
  )
  t.strictSame((await call('GET', '/outreach/come-back')).json, made.json)
  t.equal((await call('POST', '/outreach', opener)).json.id, 'come-back-2')
  t.equal(
    (await call('POST', '/outreach', { ...opener, name: 'Sends' })).json.id,
    'sends-2',
    'a reserved id is not taken',
  )
  t.equal((await call('POST', '/playbooks/come-back/_setDefault')).status, 422, 'it cannot be the default')
  t.equal((await call('DELETE', '/playbooks/come-back')).status, 409, 'and goes with its outreach alone')
})

t.test('What an outreach names has to be there, and its fields are bounded', async (t) => {
  const { call } = await node.sender({ binding: false })
  for (const [body, fields] of [
    [{ ...opener, id: 'sends' }, ['id']],
    [{ ...opener, id: 'journey' }, ['id']],
    [{ ...opener, id: 'hello' }, ['id']],
    [{ ...opener, openerTemplateId: 'none' }, ['openerTemplateId']],
    [{ ...opener, followUp: { templateId: 'none', afterHours: 1 } }, ['followUp.templateId']],
    [{ ...opener, followUp: { templateId: 'hi', afterHours: 0 } }, ['followUp.afterHours']],
    [{ ...opener, followUp: { templateId: 'hi', afterHours: 721 } }, ['followUp.afterHours']],
    [{ ...opener, class: 'other' }, ['class']],
    [{ ...opener, inputs: ['city', ' '] }, ['inputs[1]']],
    [{ ...opener, inputs: ['x'.repeat(limits.outreach.inputChars + 1)] }, ['inputs[0]']],
    [{ ...opener, name: '' }, ['name']],
    [{ ...opener, more: 1 }, ['more']],
    [{ class: 'service' }, ['name', 'openerTemplateId']],
  ] as const) {
    const refused = await call('POST', '/outreach', body)
    t.equal(refused.status, 422, JSON.stringify(body))
    t.same(fieldsOf(refused).sort(), [...fields].sort())
  }
  const goal = await call('POST', '/outreach', { ...opener, goal: { goalId: 'none' } })
  t.match(goal.json, { code: 'goal.unknown', errors: [{ field: 'outreach[1].goal.goalId' }] })
  t.equal((await call('GET', '/outreach')).json.data.length, 1, 'nothing of it was kept')
  t.equal((await call('POST', '/outreach', { ...opener, followUp: { templateId: 'hi', afterHours: 720 } })).status, 201)
})

t.test(
  'PATCH changes what it is given, PUT replaces but for the playbook, a PUT of a GET changes nothing',
  async (t) => {
    const { call } = await node.sender({ binding: false })
    const { json: made } = await call('POST', '/outreach', {
      ...opener,
      description: 'x',
      inputs: ['plan'],
      enabled: false,
    })
    await node.node.clock.advance(1_000)
    const { headers } = await call('GET', '/outreach/come-back')
    const same = await call('PUT', '/outreach/come-back', made)
    t.strictSame(same.json, made)
    t.equal(same.headers.etag, headers.etag)
    const patched = (await call('PATCH', '/outreach/come-back', { enabled: true, description: null })).json
    const { description: _description, ...rest } = made
    t.strictSame({ ...patched, updatedAt: made.updatedAt }, { ...rest, enabled: true })
    t.not(patched.updatedAt, made.updatedAt)
    const replaced = (await call('PUT', '/outreach/come-back', { ...opener, name: 'Again' })).json
    t.match(replaced, {
      id: 'come-back',
      name: 'Again',
      inputs: [],
      enabled: true,
      playbookId: made.playbookId,
      createdAt: made.createdAt,
    })
    t.same(fieldsOf(await call('PATCH', '/outreach/come-back', { id: 'other' })), ['id'])
    t.same(fieldsOf(await call('PATCH', '/outreach/come-back', { playbookId: 'other' })), ['playbookId'])
    t.equal((await call('PATCH', '/outreach/come-back', {}, { 'if-match': '"0"' })).status, 412)
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
      const missing = await call(method, '/outreach/none', method === 'PUT' ? opener : {})
      t.equal(missing.status, 404, method)
      t.equal(missing.json.code, 'agent.outreach.not_found')
    }
  },
)

t.test('The template that an outreach opens with stays while it does', async (t) => {
  const { call } = await node.sender({ binding: false })
  t.match((await call('DELETE', '/message-templates/hi')).json, { code: 'agent.integrity_conflict' })
  t.equal((await call('DELETE', '/outreach/hello')).status, 204)
  t.equal((await call('DELETE', '/message-templates/hi')).status, 204)
})

t.test('A delete takes the playbook along and cancels the sends that wait, with a detail that names it', async (t) => {
  const { call, send, read, waitForState: reaches } = await node.sender()
  await call('POST', '/outreach', { ...opener, id: 'other' })
  const sent = (await send({ recipient: { channel: 'rcs', address: newNumber() } })).json.sendId
  await reaches(sent, 'sent')
  const waiting = (await send({ recipient: { channel: 'rcs', address: newNumber() } })).json.sendId
  const others = (await send({ recipient: { channel: 'rcs', address: newNumber() } }, 'other')).json.sendId
  t.equal((await call('DELETE', '/outreach/hello')).status, 204)
  t.match((await read(waiting)).json, { state: 'cancelled', detail: /Hello/, outreachId: 'hello', cancelledAt: String })
  t.equal((await read(sent)).json.state, 'sent', 'what is sent is untouched')
  t.equal((await read(others)).json.state, 'queued')
  t.equal((await call('GET', '/playbooks/hello')).status, 404)
  t.match((await send({ recipient: { channel: 'rcs', address: newNumber() } })).json, {
    code: 'agent.outreach.not_found',
    status: 422,
  })
  await call('POST', '/outreach', { ...opener, id: 'hello' })
  const secondSendId = (await send({ recipient: { channel: 'rcs', address: newNumber() } })).json.sendId
  t.equal((await reaches(secondSendId, 'sent')).state, 'sent', 'another of that id is not meant')
})

t.test('A follow-up that was to come is dropped with its outreach, and the journal says why', async (t) => {
  const {
    call,
    send,
    waitForState: reaches,
  } = await node.sender({ outreach: { followUp: { templateId: 'hi', afterHours: 1 } } })
  const { sendId, personId } = (await send({ recipient: { channel: 'rcs', address: newNumber() } })).json
  await reaches(sendId, 'sent')
  await call('DELETE', '/outreach/hello')
  const person = (await call('GET', `/people/${personId}`)).json
  t.match(person.journal, [{ author: 'agent', text: /Hello was deleted/ }])
})

t.test('An import that leaves an outreach out cancels its sends too', async (t) => {
  const { call, send, read } = await node.sender()
  const { sendId } = (await send({ recipient: { channel: 'rcs', address: newNumber() } })).json
  const imported = await call('POST', '/import', { outreach: [] })
  t.equal(imported.status, 200)
  t.match((await read(sendId)).json, { state: 'cancelled' })
})

t.test('How an agent sends is read and replaced; what is left out is as usual', async (t) => {
  const { call } = await node.sender({ binding: false })
  const path = '/settings/sending'
  t.strictSame((await call('GET', path)).json, { minTouchIntervalHours: 48 })
  const safeHours = { startHour: 22, endHour: 6, timeZone: 'Europe/Berlin' }
  t.strictSame((await call('PUT', path, { minTouchIntervalHours: 0, safeHours })).json, {
    minTouchIntervalHours: 0,
    safeHours,
  })
  t.strictSame((await call('GET', path)).json, { minTouchIntervalHours: 0, safeHours })
  for (const [body, field] of [
    [{ minTouchIntervalHours: -1 }, 'minTouchIntervalHours'],
    [{ safeHours: { ...safeHours, startHour: 24 } }, 'safeHours.startHour'],
    [{ safeHours: { ...safeHours, endHour: -1 } }, 'safeHours.endHour'],
    [{ safeHours: { ...safeHours, timeZone: 'Mars/Olympus' } }, 'safeHours.timeZone'],
    [{ safeHours: { startHour: 1, endHour: 2 } }, 'safeHours.timeZone'],
    [{ other: 1 }, 'other'],
  ] as const) {
    const refused = await call('PUT', path, body)
    t.equal(refused.status, 422, field)
    t.same(fieldsOf(refused), [field])
  }
  t.strictSame((await call('PUT', path, {})).json, { minTouchIntervalHours: 48 })
  t.match((await node.callAs(node.node.key, 'nobody')('GET', path)).json, { code: 'agent.not_found', status: 404 })
})
