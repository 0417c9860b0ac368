/** The routes of playbooks and message templates. */
import t from 'tap'
import { agentLimits as limits } from '../../../core/limits/index.js'
import type { OrgEventPayload } from '../../../core/orgevents.js'
import { createDocuments, type EndpointResponse } from '../../../mgmt/agents/documentoperations.js'
import { objectTable } from '../../../mgmt/agents/mediaobjects.js'
import { agentTable } from '../../../mgmt/agents/store.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { createOverlay } from '../../../runtime/shard/overlay.js'
import { encodeWrites } from '../../../runtime/store/space.js'
import { sampleExport } from '../../core/agent/sample.js'
import { type Call, fieldsOf, openAgentsFixture } from './fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())

const defaultsOf = async (call: Call): Promise<string[]> =>
  (await call('GET', '/playbooks')).json.data.flatMap(({ id, isDefault }: { id: string; isDefault: boolean }) =>
    isDefault ? [id] : [],
  )

t.test('A playbook needs only a name: it gets an id, uses, and the first is the default', async (t) => {
  const { call } = await fixture.agent()
  t.strictSame((await call('GET', '/playbooks')).json, { data: [] })
  const made = await call('POST', '/playbooks', { name: 'Front Desk' })
  t.equal(made.status, 201)
  t.strictSame(made.json, {
    id: 'front-desk',
    name: 'Front Desk',
    body: '',
    uses: ['scheduling', 'people', 'notify'],
    isDefault: true,
  })
  t.strictSame((await call('GET', '/playbooks/front-desk')).json, made.json)
  t.equal((await call('POST', '/playbooks', { name: 'Front desk' })).json.id, 'front-desk-2')
  t.same(fieldsOf(await call('POST', '/playbooks', { name: 'x', id: 'front-desk' })), ['id'])
  t.equal((await call('GET', '/playbooks/none')).status, 404)
})

t.test('Exactly one playbook is the default after any creation, change and deletion', async (t) => {
  const { call } = await fixture.agent()
  for (const name of ['a', 'b', 'c']) await call('POST', '/playbooks', { name })
  t.same(await defaultsOf(call), ['a'])
  const setDefault = await call('POST', '/playbooks/b/_setDefault')
  t.equal(setDefault.status, 200)
  t.match(setDefault.json, { id: 'b', isDefault: true })
  t.same(await defaultsOf(call), ['b'])
  t.equal((await call('POST', '/playbooks/none/_setDefault')).status, 404)
  t.equal((await call('PATCH', '/playbooks/c', { isDefault: true })).json.isDefault, true)
  t.same(await defaultsOf(call), ['c'])
  t.same(fieldsOf(await call('PATCH', '/playbooks/c', { isDefault: false })), ['isDefault'])
  t.equal((await call('DELETE', '/playbooks/c')).status, 204)
  t.same(await defaultsOf(call), ['a'], 'the next one is promoted')
  for (const id of ['a', 'b']) await call('DELETE', `/playbooks/${id}`)
  t.same(await defaultsOf(call), [])
  t.equal((await call('DELETE', '/playbooks/a')).status, 404)
})

t.test('PUT replaces a playbook except uses and flow, PATCH the given fields, a PUT of a GET nothing', async (t) => {
  const { call } = await fixture.agent()
  const flow = { slots: [], steps: [{ say: 'Hello' }, { end: { outcome: 'done' } }] }
  await call('POST', '/playbooks', { name: 'Front', description: 'x', uses: ['people'], flow })
  const { etag } = (await call('GET', '/playbooks/front')).headers
  const read = (await call('GET', '/playbooks/front')).json
  const same = await call('PUT', '/playbooks/front', read)
  t.strictSame(same.json, read)
  t.equal(same.headers.etag, etag)
  const replaced = (await call('PUT', '/playbooks/front', { name: 'Front' })).json
  t.notOk('description' in replaced)
  t.same(replaced.uses, ['people'])
  t.ok(replaced.flow)
  t.notOk('flow' in (await call('PATCH', '/playbooks/front', { flow: null })).json)
  t.same((await call('PATCH', '/playbooks/front', { uses: ['notify', 'people', 'notify'] })).json.uses, [
    'notify',
    'people',
  ])
  t.same((await call('PATCH', '/playbooks/front', { uses: [] })).json.uses, [])
  t.same(fieldsOf(await call('PATCH', '/playbooks/front', { id: 'other' })), ['id'])
  t.equal((await call('PATCH', '/playbooks/none', { body: 'x' })).status, 404)
  t.equal((await call('PUT', '/playbooks/none', { name: 'x' })).status, 404)
})

t.test('PATCH of a playbook removes optional fields with null', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', '/message-templates', { name: 'Hi', body: 'Hi' })
  const optional = {
    description: 'x',
    whenToUse: 'y',
    examples: [[{ role: 'user', content: 'Hello' }]],
    toolRefs: ['@svc/tool.calendar'],
    messageTemplateRefs: ['hi'],
  }
  const made = (await call('POST', '/playbooks', { name: 'Front', ...optional })).json
  t.match(made, optional)
  for (const name of Object.keys(optional)) {
    const patched = await call('PATCH', '/playbooks/front', { [name]: null })
    t.equal(patched.status, 200, name)
    t.notOk(name in patched.json, name)
  }
  t.same(Object.keys((await call('GET', '/playbooks/front')).json), ['id', 'name', 'body', 'uses', 'isDefault'])
  for (const name of ['name', 'uses', 'isDefault']) {
    t.same(fieldsOf(await call('PATCH', '/playbooks/front', { [name]: null })), [name], 'required fields stay')
  }
})

t.test('A flow is read with its id, name, description and slots, and with an origin if it has one', async (t) => {
  const { call } = await fixture.agent()
  const steps = [{ say: 'Hello' }, { end: { outcome: 'done' } }]
  const stale = async () =>
    (await call('GET', '/lint')).json.warnings.filter(({ code }: { code: string }) => code === 'flow.body.stale')
  const made = await call('POST', '/playbooks', { name: 'Front desk', body: 'Greet.', flow: { steps } })
  t.equal(made.status, 201)
  const whole = { id: 'front-desk', name: 'Front desk', description: '', slots: [], steps }
  t.same(made.json.flow, whole)
  t.notOk('generatedFrom' in made.json.flow, 'it was not generated')
  t.same((await call('GET', '/playbooks')).json.data[0].flow, whole)
  const read = await call('GET', '/playbooks/front-desk')
  const put = await call('PUT', '/playbooks/front-desk', read.json)
  t.same(put.json, read.json)
  t.notOk('generatedFrom' in (await call('GET', '/export?format=json')).json.playbooks[0].flow)
  t.same(await stale(), [])
  t.same((await call('PATCH', '/playbooks/front-desk', { body: 'Greet warmly.' })).json.flow, whole)
  t.equal((await stale()).length, 1, 'an edit of the body leaves the flow and is shown by lint')
  await call('PATCH', '/playbooks/front-desk', { flow: whole })
  t.same(await stale(), [], 'a flow that is sent by itself belongs to the body of now')
  await call('PUT', '/playbooks/front-desk', { ...read.json, body: 'Greet again.' })
  t.equal((await stale()).length, 1, 'and one that comes back with another body does not')
  const generatedFrom = { bodyHash: 'x', by: 'me' }
  const withFlow = await call('PATCH', '/playbooks/front-desk', { flow: { ...whole, generatedFrom } })
  t.same(withFlow.json.flow.generatedFrom, generatedFrom)
})

t.test('Procedures are retired, and an unknown use and an invalid flow are refused by name', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', '/playbooks', { name: 'Front' })
  for (const [method, path, more] of [
    ['POST', '', { name: 'x' }],
    ['PUT', '/front', { name: 'x' }],
    ['PATCH', '/front', {}],
  ] as const) {
    const retired = await call(method, `/playbooks${path}`, { ...more, procedures: [] })
    t.equal(retired.status, 422)
    t.same(fieldsOf(retired), ['procedures'])
    const unknown = await call(method, `/playbooks${path}`, { ...more, uses: ['people', 'magic', 'integration:none'] })
    t.equal(unknown.status, 422)
    t.equal(unknown.json.code, 'agent.playbook.uses_unknown')
    t.match(unknown.json.title, /magic.*integration:none/)
    t.match(unknown.json.title, /scheduling/)
    const flow = { slots: [], steps: [{ say: 'template:none' }, { call: 'nowhere' }] }
    const broken = await call(method, `/playbooks${path}`, { ...more, flow })
    t.equal(broken.status, 422)
    t.equal(broken.json.code, 'agent.playbook.flow_invalid')
    t.ok(broken.json.errors.some(({ code }: { code: string }) => code === 'flow.template.unknown'))
    t.ok(
      broken.json.errors.every(({ code, field }: { code: string; field: string }) => code.startsWith('flow.') && field),
    )
  }
  t.equal((await call('GET', '/playbooks')).json.data.length, 1, 'and nothing was stored')
})

t.test('A referenced playbook cannot be deleted, and each reference is listed', async (t) => {
  const { call } = await fixture.agent()
  t.equal((await call('POST', '/import', sampleExport)).status, 200)
  const owned = await call('DELETE', '/playbooks/invite')
  t.equal(owned.status, 409)
  t.equal(owned.json.code, 'agent.integrity_conflict')
  t.same(fieldsOf(owned), ['outreach[0].playbookId'])
  const named = await call('DELETE', '/playbooks/booking')
  t.same(fieldsOf(named).sort(), ['facts[0].scope.playbooks[0]', 'scheduling.reminders.playbookId'])
  t.match(named.json.detail, /booking/)
  t.ok(named.json.errors.every(({ code }: { code: string }) => code))
  t.same(fieldsOf(await call('DELETE', '/playbooks/front-desk')), ['playbooks[1].flow.steps[6].handoff'])
  t.same(
    fieldsOf(await call('POST', '/playbooks/invite/_setDefault')),
    ['isDefault'],
    'an owned one is never the default',
  )
})

t.test('A playbook is copied from the catalog to the end of the list, and the whole list is returned', async (t) => {
  const { call } = await fixture.agent()
  const templateId = '@svc/playbook.front-desk'
  const first = await call('POST', '/playbooks/import', { templateId })
  t.equal(first.status, 200)
  t.match(first.json.data, [{ isDefault: true, derivedFrom: { templateId } }])
  const second = (await call('POST', '/playbooks/import', { templateId })).json.data
  t.equal(second.length, 2)
  t.not(second[0].id, second[1].id)
  t.equal((await call('POST', '/playbooks/import', { templateId: '@svc/playbook.none' })).status, 404)
  const put = await call('PUT', `/playbooks/${second[0].id}`, { name: 'Mine' })
  t.equal(put.json.derivedFrom.templateId, templateId, 'PUT keeps where it came from')
  const onlyWriting = await fixture.node.createKey(['agents:write'])
  const { id } = await fixture.agent()
  const refused = await fixture.callAs(onlyWriting, id)('POST', '/playbooks/import', { templateId })
  t.equal(refused.json.code, 'auth.scope_missing')
})

t.test('Message templates are created, read, changed and deleted, unless they are referenced', async (t) => {
  const { call } = await fixture.agent()
  const body = 'Hello {person.firstName|there}!'
  const made = await call('POST', '/message-templates', { name: 'Welcome', body, description: 'x' })
  t.equal(made.status, 201)
  t.strictSame(made.json, { id: 'welcome', name: 'Welcome', body, description: 'x' })
  t.strictSame((await call('GET', '/message-templates')).json, { data: [made.json] })
  t.strictSame((await call('PUT', '/message-templates/welcome', made.json)).json, made.json, 'a PUT of a GET')
  const patched = await call('PATCH', '/message-templates/welcome', {
    description: null,
    defaultOnMissingSlot: 'block-send',
  })
  t.strictSame(patched.json, { id: 'welcome', name: 'Welcome', body, defaultOnMissingSlot: 'block-send' })
  await call('POST', '/playbooks', { name: 'P', messageTemplateRefs: ['welcome'] })
  const conflict = await call('DELETE', '/message-templates/welcome')
  t.equal(conflict.status, 409)
  t.same(fieldsOf(conflict), ['playbooks[0].messageTemplateRefs[0]'])
  await call('PATCH', '/playbooks/p', { messageTemplateRefs: [] })
  t.equal((await call('DELETE', '/message-templates/welcome')).status, 204)
  for (const method of ['GET', 'DELETE']) t.equal((await call(method, '/message-templates/welcome')).status, 404)
  const { bodyChars, nameChars } = limits.messageTemplates
  t.equal((await call('POST', '/message-templates', { name: 'Full', body: 'x'.repeat(bodyChars) })).status, 201)
  for (const [wrong, field] of [
    [{ name: 'x' }, 'body'],
    [{ name: 'x', body: 'x'.repeat(bodyChars + 1) }, 'body'],
    [{ name: 'x'.repeat(nameChars + 1), body: 'x' }, 'name'],
    [{ name: 'x', body: 'x', defaultOnMissingSlot: 'shrug' }, 'defaultOnMissingSlot'],
  ] as const) {
    t.same(fieldsOf(await call('POST', '/message-templates', wrong)), [field])
  }
})

t.test('A preview needs a person, and shows the message that this person would get', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', '/message-templates', { name: 'Hi', body: 'Hi {person.firstName}. Call {agent.contactPhone}.' })
  t.same(fieldsOf(await call('GET', '/message-templates/hi/preview')), ['personId'])
  t.equal((await call('GET', '/message-templates/hi/preview?personId=nobody')).status, 404)

  const orgEvent: Command<OrgEventPayload, true> = { name: 'test.orgEvent', decide: () => true }
  const people: Record<string, object> = { ann: { firstName: 'Ann' }, nameless: {} }
  const documents = createDocuments({ orgEvent, mediaUrl: (object) => `https://media.example/${object}` })
  documents.provide({ person: (_reader, _agentRef, id) => people[id] as never })
  const { commands, queries } = documents
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  const agentRef = { orgId: 'demo', agentId: 'ada' }
  const identity = { contactPhone: '+14155550100' }
  root.put(agentTable, ['demo', 'ada'], {
    id: 'ada',
    orgId: 'demo',
    incarnation: 1,
    name: 'Ada',
    identity,
    createdAt: 1,
    updatedAt: 1,
  })
  const tx = Object.assign(root, { send: () => undefined }) as never
  const meta = { commandId: 'c1', at: 5, mint: () => 'x' }
  const body = { name: 'Hi', body: 'Hi {person.firstName}. Call {agent.contactPhone}.' }
  const add = (body: object, endpointName = 'POST /message-templates') =>
    commands.write.decide(
      tx,
      { ...agentRef, endpointName, request: { params: {}, query: {}, body }, ifMatch: '' },
      meta,
    )
  add(body)
  add({ name: 'Outer', body: 'First. [[template: inner]]' })
  add({ name: 'Inner', body: 'Mail {person.email|block-send}' })

  const preview = (personId: string, templateId = 'hi') =>
    (
      queries.view.read(root, {
        ...agentRef,
        endpointName: 'GET /message-templates/{templateId}/preview',
        request: { params: { templateId }, query: { personId } },
      }) as EndpointResponse
    ).json
  t.strictSame(preview('ann'), { renderedText: 'Hi Ann. Call +14155550100.', missingSlots: [], blocked: false })
  t.strictSame(preview('nameless'), {
    renderedText: 'Call +14155550100.',
    missingSlots: [{ path: 'person.firstName', action: 'omit-sentence' }],
    blocked: false,
  })
  const blocked = { renderedText: null, missingSlots: [{ path: 'person.email', action: 'block-send' }], blocked: true }
  t.strictSame(preview('ann', 'outer'), blocked, 'a template that is named blocks as it does in a send')
  people.bo = { email: 'bo@x.example' }
  t.strictSame(preview('bo', 'outer'), { renderedText: 'First. Mail bo@x.example', missingSlots: [], blocked: false })

  add({ id: 'pic', contentType: 'image/png' }, 'POST /media')
  root.put(objectTable, ['demo', 'ada', 'pic'], 'pic')
  add({ collections: [{ id: 'cuts', name: 'Cuts' }] }, 'PUT /knowledge/collections')
  const cut = { id: 'cut', name: 'Short cut', description: 'Half an hour', collections: ['cuts'] }
  add({ things: [cut] }, 'PUT /knowledge/things')
  const texts = {
    pictured: ['[[media: image:pic | The shop]]', 'The shop\nhttps://media.example/pic'],
    listed: ['Look: [[things: cut]]', 'Look:\n\nShort cut\nHalf an hour'],
    gathered: ['[[collection: cuts]]', 'Short cut\nHalf an hour'],
    tapped: ['Hello! [[chips: Site -> https://x.example]]', 'Hello!\n\nSite: https://x.example'],
    emptied: ['Dear {person.lastName|omit-message}', ''],
  } as const
  for (const [name, [body, renderedText]] of Object.entries(texts)) {
    add({ name, body })
    t.match(preview('ann', name), { renderedText, blocked: false }, name)
  }
  add({ name: 'broken', body: 'Hello! [[things: nothing]]' })
  t.strictSame(
    preview('ann', 'broken'),
    { renderedText: null, missingSlots: [], blocked: true },
    'a preview that cannot be rendered is not sent',
  )
})
