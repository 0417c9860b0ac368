/** The routes of scheduling, notifications, integrations and tool bindings, and where their secrets are. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { agentLimits as limits } from '../../../core/limits/index.js'
import { sealedId, sealSecrets, secretKind } from '../../../mgmt/agents/secrets.js'
import { createSealer } from '../../../runtime/secrets/sealer.js'
import type { Shards } from '../../../runtime/shard/contract.js'
import { sampleExport } from '../../core/agent/sample.js'
import { fieldsOf, openAgentsFixture } from './fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())

t.test('R44: scheduling is replaced as a whole, and its representatives are always present', async (t) => {
  const { call } = await fixture.agent()
  t.strictSame((await call('GET', '/scheduling')).json, { representatives: [] })
  const full = {
    timezone: 'Europe/Paris',
    availableHours: [{ dayOfWeek: 1, startTime: '09:00', endTime: '17:30' }],
    blackoutDates: ['2030-12-24'],
    defaultDurationMinutes: 30,
    representatives: [{ id: 'ann', name: 'Ann', calendarLink: 'https://calendar.example/ann' }],
  }
  const put = await call('PUT', '/scheduling', full)
  const ann = { id: 'ann', name: 'Ann', type: 'sales' }
  t.strictSame(put.json, { ...full, representatives: [ann] }, 'a calendar link is never kept')
  t.strictSame((await call('PUT', '/scheduling', put.json)).json, put.json, 'a PUT of a GET')
  t.strictSame((await call('PUT', '/scheduling', {})).json, { representatives: [] }, 'omitted sections are removed')
})

t.test('No URL that an operator enters contains credentials', async (t) => {
  const { call } = await fixture.agent()
  const hush = 'ZZhushZZ'
  for (const bad of [
    `https://user:${hush}@a.example/`,
    `https://${hush}@a.example`,
    `HTTPS://u:${hush}@a.example?x=1`,
  ]) {
    for (const [method, path, body, field] of [
      ['PUT', '/integrations/x0', { endpoint: { url: bad }, name: 'X', description: 'x' }, 'integration.endpoint.url'],
      ['PUT', '/notifications', { slackWebhookUrl: bad }, 'notifications.slackWebhookUrl'],
      ['POST', '/knowledge/sources', { name: 'S', url: bad }, 'url'],
      ['PUT', '/knowledge/things', { things: [{ id: 't', name: 'T', imageUrl: bad }] }, 'things[0].imageUrl'],
      ['PUT', '/tool-bindings/@svc%2Ftool.calendar', { config: { calendarUrl: bad } }, 'config.calendarUrl'],
    ] as const) {
      const refused = await call(method, path, body)
      t.equal(refused.status, 422, `${method} ${path}: ${refused.text}`)
      t.ok(
        fieldsOf(refused).some((each) => each.endsWith(field)),
        `${fieldsOf(refused)} names ${field}`,
      )
      t.notMatch(refused.text, hush)
    }
    const channel = { channel: 'sms', mode: 'unmanaged', provider: 'twilio' }
    const auth = { accountSid: 'AC0', authToken: 'x', from: '+14155550100', apiUrl: bad }
    t.equal((await call('POST', '/channels', { ...channel, auth })).status, 400)
  }
  const good = { endpoint: { url: 'https://a.example/p@th?who=a@b.example' }, name: 'X', description: 'x' }
  t.equal((await call('PUT', '/integrations/x0', good)).status, 201, 'an at sign behind the host is no credential')
})

t.test('R44: an invalid scheduling section is refused with its path', async (t) => {
  const { call } = await fixture.agent()
  const window = { dayOfWeek: 1, startTime: '09:00', endTime: '17:00' }
  for (const [body, field] of [
    [{ availableHours: [{ ...window, startTime: '9am' }] }, 'scheduling.availableHours[0].startTime'],
    [{ availableHours: [window, { ...window, dayOfWeek: 7 }] }, 'scheduling.availableHours[1].dayOfWeek'],
    [{ availableHours: [{ ...window, startTime: '18:00' }] }, 'scheduling.availableHours[0].endTime'],
    [{ availableHours: [{ ...window, endTime: '09:00' }] }, 'scheduling.availableHours[0].endTime'],
    [
      { availableHours: [{ ...window, startTime: '24:00', endTime: '24:00' }] },
      'scheduling.availableHours[0].startTime',
    ],
    [{ availableHours: [{ ...window, endTime: '24:01' }] }, 'scheduling.availableHours[0].endTime'],
    [
      { representatives: [{ id: 'a', name: 'A', availability: { workingHours: [{ ...window, endTime: '08:00' }] } }] },
      'scheduling.representatives[0].availability.workingHours[0].endTime',
    ],
    [{ timezone: 'Mars/Base' }, 'scheduling.timezone'],
    [{ blackoutDates: ['2031-02-29'] }, 'scheduling.blackoutDates[0]'],
    [{ defaultDurationMinutes: 0 }, 'scheduling.defaultDurationMinutes'],
    [{ defaultDurationMinutes: 1_441 }, 'scheduling.defaultDurationMinutes'],
    [{ reminders: { leadMinutes: 10_081 } }, 'scheduling.reminders.leadMinutes'],
    [{ reminders: { playbookId: 'none' } }, 'scheduling.reminders.playbookId'],
    [
      {
        representatives: [
          { id: 'a', name: 'A' },
          { id: 'a', name: 'B' },
        ],
      },
      'scheduling.representatives[1].id',
    ],
    [{ color: 'red' }, 'scheduling.color'],
  ] as const) {
    const refused = await call('PUT', '/scheduling', body)
    t.equal(refused.status, 422, field)
    t.same(fieldsOf(refused), [field])
  }
  for (const minutes of [1, 1_440])
    t.equal((await call('PUT', '/scheduling', { defaultDurationMinutes: minutes })).status, 200)
})

t.test(
  'R44: a window of scheduling may end at midnight, and a representative has the type sales by default',
  async (t) => {
    const { call } = await fixture.agent()
    const late = { dayOfWeek: 5, startTime: '20:00', endTime: '24:00' }
    const people = [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B', type: 'support', availability: { workingHours: [late] } },
    ]
    const put = await call('PUT', '/scheduling', { availableHours: [late], representatives: people })
    t.equal(put.status, 200)
    t.same(put.json.availableHours, [late])
    t.same(
      put.json.representatives.map(({ type }: { type: string }) => type),
      ['sales', 'support'],
    )
    const exported = (await call('GET', '/export?format=json')).json
    const { call: other } = await fixture.agent()
    t.equal((await other('POST', '/import', exported)).status, 200)
    t.same((await other('GET', '/scheduling')).json, put.json)
    const early = { availableHours: [{ dayOfWeek: 5, startTime: '18:00', endTime: '09:00' }] }
    const refused = await other('POST', '/import', { capabilities: { scheduling: early } })
    t.equal(refused.status, 422, 'import judges as the route does')
  },
)

const webhook = 'https://hooks.example/services/T0000/B0000/abcdefgh1234'
const apiKey = 'SG.very-secret-key-9876'
const header = 'Bearer integration-token-5555'

t.test(
  'R47: secrets of notifications travel beside the config: text stores, null clears, left out stays',
  async (t) => {
    const { call } = await fixture.agent()
    const none = { slackWebhookUrl: { set: false }, emailApiKey: { set: false } }
    t.strictSame((await call('GET', '/notifications')).json, { secrets: none })
    const config = { operator: { provider: 'slack' }, email: { provider: 'sendgrid', fromAddress: 'a@acme.example' } }
    const put = await call('PUT', '/notifications', { ...config, slackWebhookUrl: webhook, emailApiKey: apiKey })
    const both = { slackWebhookUrl: { set: true, last4: '1234' }, emailApiKey: { set: true, last4: '9876' } }
    t.strictSame(put.json, { ...config, secrets: both })
    t.strictSame((await call('PUT', '/notifications', put.json)).json, put.json, 'a PUT of a GET changes nothing')
    t.equal((await call('GET', '/notifications')).headers.etag, put.headers.etag)
    const cleared = await call('PUT', '/notifications', { ...config, emailApiKey: null })
    t.strictSame(cleared.json.secrets, { ...both, emailApiKey: { set: false } })
    t.not(cleared.headers.etag, put.headers.etag, 'a secret that changed makes a version')
    t.match((await call('GET', '/activity')).json.data[0], { action: 'PUT /notifications', changed: ['notifications'] })
    t.strictSame((await call('PUT', '/notifications', { emailApiKey: 'short' })).json.secrets.emailApiKey, {
      set: true,
    })
  },
)

t.test('R47: invalid notifications are refused by path, above all a secret inside the config', async (t) => {
  const { call } = await fixture.agent()
  const email = { provider: 'mailgun', fromAddress: 'a@acme.example', mailgunDomain: 'mg.acme.example' }
  t.equal((await call('PUT', '/notifications', { email })).status, 200)
  for (const [body, field] of [
    [{ email: { ...email, apiKey } }, 'notifications.email.apiKey'],
    [{ email: { ...email, mailgunDomain: undefined } }, 'notifications.email.mailgunDomain'],
    [{ operator: { provider: 'email' } }, 'notifications.operator.toAddress'],
    [{ operator: { provider: 'pigeon' } }, 'notifications.operator.provider'],
    [{ slackWebhookUrl: 'not a url' }, 'notifications.slackWebhookUrl'],
    [{ emailApiKey: '' }, 'notifications.emailApiKey'],
  ] as const) {
    const refused = await call('PUT', '/notifications', body)
    t.equal(refused.status, 422, field)
    t.same(fieldsOf(refused), [field])
    t.notMatch(refused.text, apiKey)
  }
})

const crm = { description: 'Writes to the CRM.', endpoint: { url: 'https://crm.example/hook' } }

t.test('R48: an integration is created with 201, replaced with 200, and keeps its header unless changed', async (t) => {
  const { call } = await fixture.agent()
  const made = await call('PUT', '/integrations/crm', { ...crm, authHeader: header })
  t.equal(made.status, 201)
  const stored = { ...crm, id: 'crm', name: 'crm', parameters: {}, endpoint: { ...crm.endpoint, method: 'POST' } }
  t.strictSame(made.json, stored)
  t.strictSame((await call('GET', '/integrations/crm')).json, stored)
  t.strictSame((await call('GET', '/integrations')).json, { data: [{ ...stored, auth: { set: true, last4: '5555' } }] })
  const replaced = await call('PUT', '/integrations/crm', { ...stored, name: 'CRM' })
  t.equal(replaced.status, 200)
  t.strictSame((await call('GET', '/integrations')).json.data[0].auth, { set: true, last4: '5555' })
  const [listed] = (await call('GET', '/integrations')).json.data
  const back = await call('PUT', '/integrations/crm', listed)
  t.equal(back.status, 200, 'the listed value can be put back')
  t.strictSame((await call('GET', '/integrations')).json.data, [listed], 'and changes nothing')
  for (const auth of [{ set: true, value: header }, { header }, header]) {
    const refused = await call('PUT', '/integrations/crm', { ...crm, auth })
    t.equal(refused.status, 422, 'a credential inside the record is refused')
    t.match(fieldsOf(refused)[0], /^integration\.auth/)
  }
  await call('PUT', '/integrations/crm', { ...crm, authHeader: null })
  t.strictSame((await call('GET', '/integrations')).json.data[0].auth, { set: false })
  t.equal((await call('PUT', '/integrations/_odd-id', crm)).status, 201, 'an id may begin with an underscore')
  t.equal((await call('GET', '/integrations/_odd-id')).status, 200)
})

t.test('R48: an invalid or unknown integration is refused with the errors of the contract', async (t) => {
  const { call } = await fixture.agent()
  for (const [body, field] of [
    [{ ...crm, endpoint: { url: 'crm' } }, 'integration.endpoint.url'],
    [{ ...crm, endpoint: { url: 'https://a.example', method: 'GET' } }, 'integration.endpoint.method'],
    [{ ...crm, endpoint: { url: 'https://a.example', auth: 'x' } }, 'integration.endpoint.auth'],
    [{ ...crm, auth: { set: true, header: 'x' } }, 'integration.auth.header'],
    [{ ...crm, auth: 'x' }, 'integration.auth'],
    [{ ...crm, id: 'other' }, 'integration.id'],
    [{ endpoint: crm.endpoint }, 'integration.description'],
    [{ ...crm, authHeader: 7 }, 'integration.authHeader'],
    [{ ...crm, parameters: { type: 'string' } }, 'integration.parameters.type'],
  ] as const) {
    const refused = await call('PUT', '/integrations/crm', body)
    t.equal(refused.status, 422, field)
    t.equal(refused.json.code, 'request.invalid')
    t.same(fieldsOf(refused), [field])
  }
  t.equal((await call('PUT', `/integrations/${'x'.repeat(limits.integrations.idChars)}`, crm)).status, 201)
  for (const id of ['x'.repeat(limits.integrations.idChars + 1), 'crm.eu', 'crm eu', 'crm%2Feu']) {
    const refused = await call('PUT', `/integrations/${encodeURI(id)}`, crm)
    t.equal(refused.status, 422, id)
    t.same(fieldsOf(refused), ['integration.id'])
    for (const method of ['GET', 'DELETE'])
      t.equal((await call(method, `/integrations/${encodeURI(id)}`)).json.code, 'tool.not_found', id)
  }
  for (const method of ['GET', 'DELETE']) {
    const unknown = await call(method, '/integrations/none')
    t.equal(unknown.status, 404)
    t.equal(unknown.json.code, 'tool.not_found')
  }
})

t.test('A referenced integration stays; a removed one loses its credential, however it is removed', async (t) => {
  const { call } = await fixture.agent()
  await call('PUT', '/integrations/crm', { ...crm, authHeader: header })
  await call('POST', '/playbooks', { name: 'P', uses: ['integration:crm'] })
  const conflict = await call('DELETE', '/integrations/crm')
  t.equal(conflict.status, 409)
  t.same(fieldsOf(conflict), ['playbooks[0].uses[0]'])
  await call('PATCH', '/playbooks/p', { uses: [] })
  t.equal((await call('DELETE', '/integrations/crm')).status, 204)
  await call('PUT', '/integrations/crm', crm)
  t.strictSame((await call('GET', '/integrations')).json.data[0].auth, { set: false }, 'deleted')
  await call('PUT', '/integrations/crm', { ...crm, authHeader: header })
  t.equal((await call('POST', '/import', { integrations: { custom: [] } })).status, 200)
  await call('PUT', '/integrations/crm', crm)
  t.strictSame((await call('GET', '/integrations')).json.data[0].auth, { set: false }, 'imported away')
})

const calendar = '/tool-bindings/%40svc%2Ftool.calendar'
const password = 'app-password-of-the-desk-4321'

t.test('Decision 14: a tool is configured step by step, and its write-only fields are never shown again', async (t) => {
  const { call } = await fixture.agent()
  t.strictSame((await call('GET', '/tool-bindings')).json, { data: [] })
  const first = await call('PUT', calendar, { config: { calendarUrl: 'https://dav.example/desk' } })
  t.equal(first.status, 200)
  t.strictSame(first.json, {
    toolId: '@svc/tool.calendar',
    enabled: true,
    config: { calendarUrl: 'https://dav.example/desk' },
    secrets: {},
    configStatus: { complete: false, missing: ['username', 'password'] },
  })
  const merged = await call('PATCH', calendar, { config: { username: 'desk', password } })
  t.strictSame(merged.json, {
    toolId: '@svc/tool.calendar',
    enabled: true,
    config: { calendarUrl: 'https://dav.example/desk', username: 'desk' },
    secrets: { password: { set: true, last4: '4321' } },
    configStatus: { complete: true, missing: [] },
  })
  t.strictSame((await call('PUT', calendar, merged.json)).json, merged.json, 'a PUT of a GET')
  t.strictSame((await call('GET', '/tool-bindings')).json, { data: [merged.json] })
  t.equal((await call('POST', `${calendar}/_disable`)).json.enabled, false)
  t.equal((await call('GET', calendar)).json.enabled, false)
  t.equal((await call('POST', `${calendar}/_enable`)).json.enabled, true)
  const replaced = await call('PUT', calendar, { config: { username: 'desk' } })
  t.same(replaced.json.configStatus, { complete: false, missing: ['calendarUrl'] }, 'PUT replaces what is shown')
  t.same((await call('PATCH', calendar, { config: { password: null } })).json.secrets, {})
  await call('PATCH', calendar, { config: { password } })
  t.equal((await call('DELETE', calendar)).status, 204)
  t.equal((await call('GET', calendar)).json.code, 'tool.not_found')
  t.same((await call('PUT', calendar, { config: {} })).json.secrets, {}, 'a delete clears its secrets')
})

t.test('PATCH of a tool that is not bound is 404 and creates none', async (t) => {
  const { call } = await fixture.agent()
  for (const config of [{}, { username: 'me' }, { password }]) {
    t.match(await call('PATCH', calendar, { config }), { status: 404, json: { code: 'tool.not_found' } })
  }
  t.same((await call('GET', '/tool-bindings')).json.data, [])
  t.same((await call('PUT', calendar, { config: {} })).json.secrets, {}, 'no secret was stored either')
  t.equal((await call('PATCH', calendar, { config: { username: 'me' } })).status, 200)
})

t.test('An unknown tool, or a config that does not fit its form, is refused', async (t) => {
  const { call } = await fixture.agent()
  const unknown = await call('PUT', '/tool-bindings/%40svc%2Ftool.none', { config: {} })
  t.equal(unknown.status, 404)
  t.equal(unknown.json.code, 'tool.not_found')
  for (const [body, field] of [
    [{}, 'config'],
    [{ config: 'x' }, 'config'],
    [{ config: { shoeSize: 9 } }, 'config.shoeSize'],
    [{ config: { calendarUrl: 'ftp://x' } }, 'config.calendarUrl'],
    [{ config: { bufferMinutes: 241 } }, 'config.bufferMinutes'],
    [{ config: { password: 7 } }, 'config.password'],
    [{ config: {}, toolId: '@svc/tool.mail' }, 'toolId'],
  ] as const) {
    const refused = await call('PUT', calendar, body)
    t.equal(refused.status, 422, field)
    t.same(fieldsOf(refused), [field])
  }
  for (const verb of ['_enable', '_disable']) t.equal((await call('POST', `${calendar}/${verb}`)).status, 404)
})

t.test('No secret is readable in the data, the logs, the audit trail or an export', async (t) => {
  const own = await openAgentsFixture()
  t.teardown(() => own.node.close())
  const { call } = await own.agent()
  t.equal((await call('POST', '/import', sampleExport)).status, 200)
  await call('PUT', '/notifications', { slackWebhookUrl: webhook, emailApiKey: apiKey })
  await call('PUT', '/integrations/crm', { ...crm, authHeader: header })
  await call('PUT', calendar, { config: { username: 'desk', password } })
  const responses = [(await call('GET', '/export?format=json')).text, (await call('GET', '/activity')).text]
  const entries = readdirSync(own.node.dir, { withFileTypes: true }).filter((entry) => entry.isFile())
  const files = entries.map(({ name }) => readFileSync(join(own.node.dir, name), 'latin1'))
  t.ok(
    files.some((text) => text.includes('Never give medical advice.')),
    'the data was found at all',
  )
  for (const secret of [webhook, apiKey, header, password]) {
    const leaks = [...responses, ...files, JSON.stringify(own.node.logged)].filter((text) => text.includes(secret))
    t.equal(leaks.length, 0)
  }
})

t.test('A secret opens only for the resource that it was sealed for', async (t) => {
  const root = new Uint8Array(32).fill(7)
  let dataKey = new Uint8Array()
  const sealer = createSealer(root, { query: async () => dataKey } as unknown as Shards)
  dataKey = new Uint8Array(sealer.newDataKeyFor('demo'))
  const agentRef = { orgId: 'demo', agentId: 'ada' }
  const unsealed = { section: 'integrations', item: 'crm', secrets: { authHeader: header, old: null } } as const
  const sealed = await sealSecrets(sealer, agentRef, unsealed)
  if (isRefusal(sealed)) throw new Error(sealed.refused)
  t.equal(sealed.changes.old, null)
  const stored = sealed.changes.authHeader!
  t.equal(stored.last4, '5555')
  const open = (agentId: string, item: string) =>
    sealer.open(
      'demo',
      secretKind,
      sealedId({ ...agentRef, agentId }, 'integrations', item, 'authHeader'),
      stored.sealed,
    )
  t.equal(await open('ada', 'crm'), header)
  await t.rejects(open('eve', 'crm'), 'not as that of another agent')
  await t.rejects(open('ada', 'shop'), 'nor of another integration')
})
