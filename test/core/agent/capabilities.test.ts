/** Scheduling, notifications, integrations and tool bindings: what is refused, and where secrets go. */
import t from 'tap'
import {
  admit,
  configStatus,
  emptyDocument,
  findItem,
  putBinding,
  putIntegration,
  removeBinding,
  removeIntegration,
  replaceNotifications,
  replaceScheduling,
  schedulingView,
  setBindingEnabled,
} from '../../../core/agent/index.js'
import { errorsOf, must, sample } from './sample.js'

t.test('An invalid scheduling section is refused with its path', async (t) => {
  const window = { dayOfWeek: 1, startTime: '09:00', endTime: '17:00' }
  const wrong: [object, string][] = [
    [{ availableHours: [{ ...window, startTime: '9:00' }] }, 'scheduling.availableHours[0].startTime'],
    [{ availableHours: [{ ...window, endTime: '24:01' }] }, 'scheduling.availableHours[0].endTime'],
    [{ availableHours: [{ ...window, endTime: '09:00' }] }, 'scheduling.availableHours[0].endTime'],
    [{ availableHours: [{ dayOfWeek: 1, startTime: '09:00' }] }, 'scheduling.availableHours[0].endTime'],
    [{ timezone: 'Mars/Olympus' }, 'scheduling.timezone'],
    [{ blackoutDates: ['2030-05-01', '2030-13-01'] }, 'scheduling.blackoutDates[1]'],
    [{ blackoutDates: ['2030-02-29'] }, 'scheduling.blackoutDates[0]'],
    [{ blackoutDates: ['2030-04-31'] }, 'scheduling.blackoutDates[0]'],
    [{ notificationRecipients: ['nobody'] }, 'scheduling.notificationRecipients[0]'],
    [
      {
        representatives: [
          { id: 'a', name: 'A' },
          { id: 'a', name: 'B' },
        ],
      },
      'scheduling.representatives[1].id',
    ],
    [
      { representatives: [{ id: 'a', name: 'A', availability: { timezone: 'Nowhere' } }] },
      'scheduling.representatives[0].availability.timezone',
    ],
    [
      { representatives: [{ id: 'a', name: 'A', availability: { workingHours: [{ ...window, dayOfWeek: 7 }] } }] },
      'scheduling.representatives[0].availability.workingHours[0].dayOfWeek',
    ],
    [{ reminders: { playbookId: 'gone' } }, 'scheduling.reminders.playbookId'],
    [{ mood: 'good' }, 'scheduling.mood'],
  ]
  for (const [body, field] of wrong)
    t.same(errorsOf(replaceScheduling(sample, body)), { code: 'request.invalid', fields: [field] }, field)
  t.equal(errorsOf(replaceScheduling(sample, { blackoutDates: ['2032-02-29'] })), undefined)
})

t.test('Scheduling is replaced as a whole; representatives are always present, calendars never', async (t) => {
  const after = must(replaceScheduling(sample, { representatives: [{ id: 'a', name: 'A', calendar: { id: 'x' } }] }))
  t.same(after.scheduling, { representatives: [{ id: 'a', name: 'A', type: 'sales' }] })
  t.same(must(replaceScheduling(sample, {})).scheduling, { representatives: [] })
  t.same(schedulingView(emptyDocument), { representatives: [] })
  t.same(must(replaceScheduling(sample, schedulingView(sample))), sample)
})

t.test('Secrets of notifications travel beside the config: text stores, null clears, omitted stays', async (t) => {
  const config = { email: { provider: 'mailgun', fromAddress: 'a@example.com', mailgunDomain: 'mg.example.com' } }
  const put = (beside: object) => must(replaceNotifications(emptyDocument, { ...config, ...beside }))
  t.same(put({ emailApiKey: 'key-123' }).secrets, { emailApiKey: 'key-123' })
  t.same(put({ emailApiKey: null, slackWebhookUrl: 'https://hooks.example/x' }).secrets, {
    slackWebhookUrl: 'https://hooks.example/x',
    emailApiKey: null,
  })
  t.same(put({}).secrets, {})
  t.same(put({ emailApiKey: 'key-123' }).document.notifications, config, 'and never into the document')
  const view = { ...config, secrets: { slackWebhookUrl: { set: false }, emailApiKey: { set: true, last4: '3456' } } }
  t.same(
    must(replaceNotifications(put({}).document, view)),
    { document: put({}).document, secrets: {} },
    'PUT of a GET changes nothing',
  )
})

t.test('Invalid notifications are refused with their path, and so are secrets inside the config', async (t) => {
  const wrong: [object, string][] = [
    [{ operator: { provider: 'email' } }, 'notifications.operator.toAddress'],
    [{ operator: { provider: 'pigeon' } }, 'notifications.operator.provider'],
    [{ email: { provider: 'mailgun', fromAddress: 'a@example.com' } }, 'notifications.email.mailgunDomain'],
    [{ email: { provider: 'sendgrid' } }, 'notifications.email.fromAddress'],
    [{ email: { provider: 'sendgrid', fromAddress: 'a@example.com', apiKey: 'x' } }, 'notifications.email.apiKey'],
    [{ slackWebhookUrl: 'not a url' }, 'notifications.slackWebhookUrl'],
    [{ emailApiKey: 7 }, 'notifications.emailApiKey'],
  ]
  for (const [body, field] of wrong) {
    const outcome = replaceNotifications(sample, body)
    t.same(errorsOf(outcome), { code: 'request.invalid', fields: [field] }, field)
    t.notMatch(JSON.stringify(outcome), /not a url/, 'and no refusal repeats a secret')
  }
})

const crm = { description: 'Writes.', endpoint: { url: 'https://crm.example' } }

t.test('An integration is created or replaced, with omitted fields filled in', async (t) => {
  const made = must(putIntegration(emptyDocument, 'crm', { ...crm, authHeader: 'Bearer x' }))
  t.match(made, { isNew: true, authHeader: 'Bearer x' })
  t.same(made.document.integrations, [
    {
      id: 'crm',
      name: 'crm',
      description: 'Writes.',
      parameters: {},
      endpoint: { url: 'https://crm.example', method: 'POST' },
    },
  ])
  const repeated = must(putIntegration(made.document, 'crm', made.document.integrations[0]))
  t.same(repeated, { document: made.document, isNew: false }, 'PUT of a GET changes nothing, the header stays')
  t.equal(must(putIntegration(made.document, 'crm', { ...crm, authHeader: null })).authHeader, null)
})

t.test('An invalid integration is refused with its path', async (t) => {
  const wrong: [string, object, string][] = [
    ['crm', { ...crm, id: 'other' }, 'integration.id'],
    ['has space', crm, 'integration.id'],
    ['crm', { endpoint: crm.endpoint }, 'integration.description'],
    ['crm', { ...crm, endpoint: { url: 'ftp://x' } }, 'integration.endpoint.url'],
    ['crm', { ...crm, endpoint: { ...crm.endpoint, method: 'GET' } }, 'integration.endpoint.method'],
    ['crm', { ...crm, endpoint: { ...crm.endpoint, auth: 'x' } }, 'integration.endpoint.auth'],
    ['crm', { ...crm, auth: 'x' }, 'integration.auth'],
    ['crm', { ...crm, parameters: [] }, 'integration.parameters'],
    ['crm', { ...crm, parameters: { type: 'string' } }, 'integration.parameters.type'],
    ['crm', { ...crm, parameters: { description: 'x'.repeat(40_000) } }, 'integration.parameters'],
  ]
  for (const [id, body, field] of wrong)
    t.same(errorsOf(putIntegration(sample, id, body)), { code: 'request.invalid', fields: [field] }, field)
})

t.test('An unknown integration is tool.not_found; removing one in use is a conflict', async (t) => {
  t.equal(errorsOf(removeIntegration(sample, 'gone'))?.code, 'tool.not_found')
  t.equal(errorsOf(admit(sample, removeIntegration(sample, 'crm')))?.code, 'agent.integrity_conflict')
})

const toolId = '@svc/tool.order-lookup'

t.test('Write-only fields of a tool are stored beside the binding, and count once stored', async (t) => {
  const { document, secrets } = must(
    putBinding(emptyDocument, toolId, { baseUrl: 'https://shop.example', apiKey: 'k' }, 'replace'),
  )
  t.same(secrets, { apiKey: 'k' })
  t.same(document.toolBindings, [{ toolId, enabled: true, config: { baseUrl: 'https://shop.example' } }])
  const binding = findItem(document, 'toolBindings', toolId)!
  t.same(configStatus(binding, new Set()), { complete: false, missing: ['apiKey'] })
  t.same(configStatus(binding, new Set(['apiKey'])), { complete: true, missing: [] })
})

t.test('A connection of the org replaces the secrets of a tool that people sign in for', async (t) => {
  const config = { baseUrl: 'https://crm.example', connectionId: 'con_1' }
  const binding = { toolId: '@svc/tool.crm-record', enabled: true, config }
  t.same(configStatus(binding, new Set()), { complete: true, missing: [] })
  const { connectionId: _none, ...alone } = config
  t.same(configStatus({ ...binding, config: alone }, new Set()), { complete: false, missing: ['apiKey'] })
})

t.test('PUT replaces the config, PATCH merges, null removes a field', async (t) => {
  const { document } = must(putBinding(sample, toolId, { hiddenFields: ['cost'], apiKey: null }, 'merge'))
  t.same(findItem(document, 'toolBindings', toolId)?.config, {
    baseUrl: 'https://shop.example',
    hiddenFields: ['cost'],
  })
  t.same(must(putBinding(sample, toolId, { apiKey: null }, 'merge')).secrets, { apiKey: null })
  t.same(findItem(must(putBinding(document, toolId, {}, 'replace')).document, 'toolBindings', toolId)?.config, {})
  t.same(
    findItem(must(putBinding(document, toolId, { baseUrl: null }, 'merge')).document, 'toolBindings', toolId)?.config,
    { hiddenFields: ['cost'] },
  )
})

t.test('A binding must fit the form of its tool, and unknown tools are refused', async (t) => {
  t.same(errorsOf(putBinding(sample, toolId, { baseUrl: 'ftp://x' }, 'replace'))?.fields, ['config.baseUrl'])
  t.same(errorsOf(putBinding(sample, toolId, { colour: 'red' }, 'merge'))?.fields, ['config.colour'])
  t.same(errorsOf(putBinding(sample, toolId, 'x', 'merge'))?.fields, ['config'])
  t.equal(errorsOf(putBinding(sample, '@svc/tool.gone', {}, 'replace'))?.code, 'tool.not_found')
})

t.test('A binding can be switched off, on and removed', async (t) => {
  const off = must(setBindingEnabled(sample, toolId, false))
  t.equal(findItem(off, 'toolBindings', toolId)?.enabled, false)
  t.equal(findItem(must(putBinding(off, toolId, {}, 'merge')).document, 'toolBindings', toolId)?.enabled, false)
  t.same(must(removeBinding(sample, toolId)).toolBindings, [])
  t.equal(errorsOf(setBindingEnabled(sample, '@svc/tool.gone', true))?.code, 'tool.not_found')
})
