/** The gate before every call (R26, R27, R47; decision 14): what a playbook may call, and what is missing otherwise. */
import t from 'tap'
import { listCatalog } from '../../../core/catalogs/index.js'
import { backendOf, calendarTool, mailTool, webhookTool } from '../../../core/catalogs/toolbackends.js'
import {
  bindingProblem,
  connectionProblem,
  notifyProblem,
  type ToolRecords,
  toolProblem,
} from '../../../core/tools/availability.js'
import { configProblem } from '../../../core/tools/configrules.js'
import { refusalOf } from '../../../core/tools/gate.js'
import { binding, documentWith, integration, playbook } from './document.js'

type Changes = Parameters<typeof documentWith>[0]
type Uses = Parameters<typeof playbook>[0]

function ask(name: string, given: Record<string, unknown>, uses: Uses, more: Changes = {}, unavailable = {}) {
  const document = documentWith({ playbooks: [playbook(uses)], ...more })
  return refusalOf({ document, playbookId: 'desk', call: { name, arguments: given }, unavailableTools: unavailable })
}

const start = '2030-05-14T10:00:00Z'
const scheduling = { representatives: [] }
const chat = { operator: { provider: 'slack' as const } }

t.test('R26: a built-in tool needs its capability among the uses, and knowledge needs none', async (t) => {
  t.equal(ask('knowledge.search', { query: 'parking' }, {}), undefined)
  t.equal(ask('people.save', { fields: { firstName: 'Ann' } }, { uses: ['people'] }), undefined)
  t.equal(ask('people.save', { fields: {} }, { uses: ['notify'] }), 'The playbook Desk does not use people.')
  t.equal(ask('people.forget', {}, { uses: ['people'] }), 'There is no tool people.forget.')
  t.equal(ask('constructor', {}, { uses: ['people'] }), 'There is no tool constructor.')
})

t.test('R47: scheduling and notifications are offered only once they are set up', async (t) => {
  const uses = { uses: ['scheduling', 'notify'] }
  t.equal(ask('scheduling.book', { start }, uses), 'Scheduling is not set up for the agent.')
  t.equal(ask('scheduling.book', { start }, uses, { scheduling }), undefined)
  t.match(ask('notify.team', { text: 'Hello' }, uses), /^Notifications to the team are not set up/)
  t.equal(ask('notify.team', { text: 'Hello' }, uses, { notifications: chat }), undefined)
  const reasons = { 'notify.team': 'The notifications config of the agent lacks slackWebhookUrl.' }
  t.equal(ask('notify.team', { text: 'Hello' }, uses, { notifications: chat }, reasons), reasons['notify.team'])
})

t.test('R27, R48: an integration is called by a playbook that uses it, with arguments that fit', async (t) => {
  const integrations = [
    integration('crm', { type: 'object', required: ['plan'], properties: { plan: { enum: ['a'] } } }),
  ]
  const uses = { uses: ['integration:crm'] }
  t.equal(ask('integration:crm', { plan: 'a' }, uses, { integrations }), undefined)
  t.equal(ask('integration:crm', { plan: 'b' }, uses, { integrations }), 'plan must be one of a.')
  t.equal(
    ask('integration:crm', { plan: 'a' }, {}, { integrations }),
    'The playbook Desk does not use integration:crm.',
  )
  t.equal(ask('integration:erp', {}, uses, { integrations }), 'There is no integration erp.')
})

t.test(
  'R24, decision 14: a catalog tool is called when the playbook names it, it is bound and on, and nothing is missing',
  async (t) => {
    const toolId = '@svc/tool.order-lookup'
    const name = `tool:${toolId}`
    const given = { orderNumber: '7', proof: '10115' }
    const named = { toolRefs: [toolId] }
    const toolBindings = [binding(toolId)]
    t.equal(ask(name, given, named, { toolBindings }), undefined)
    t.equal(ask(name, given, {}, { toolBindings }), 'The playbook Desk does not use Order lookup.')
    t.equal(ask(name, given, named), 'Order lookup is not set up for the agent.')
    t.match(ask(name, given, named, { toolBindings: [binding(toolId, {}, false)] }), /switched off/)
    t.equal(ask(name, given, named, { toolBindings }, { [toolId]: 'It lacks apiKey.' }), 'It lacks apiKey.')
    t.equal(ask(name, {}, named, { toolBindings }), 'orderNumber is required.')
    t.equal(ask('tool:@svc/tool.magic', {}, named), 'The catalog has no tool @svc/tool.magic.')
  },
)

t.test('A playbook that is not in the document makes no call', async (t) => {
  const question = { document: documentWith({}), playbookId: 'gone', unavailableTools: {} }
  const call = { name: 'knowledge.search', arguments: { query: 'parking' } }
  t.equal(refusalOf({ ...question, call }), 'There is no playbook gone.')
})

t.test('decision 14: what the config of a tool says about its arguments holds', async (t) => {
  const hook = { event: 'quote.asked', data: {} }
  t.equal(configProblem(webhookTool, hook, {}), undefined)
  t.equal(configProblem(webhookTool, hook, { events: ['quote.asked'] }), undefined)
  t.equal(configProblem(webhookTool, hook, { events: ['quote.sent'] }), 'event must be one of quote.sent.')

  const mail = { to: 'ann@harbor.example', subject: 'Hello', text: 'Hello' }
  const sender = { fromAddress: 'desk@Harbor.example' }
  t.equal(configProblem(mailTool, mail, sender), undefined, 'the team, by default')
  t.match(configProblem(mailTool, { ...mail, to: 'ann@harbor.example.com' }, sender), /harbor\.example only/)
  t.match(configProblem(mailTool, { ...mail, replyTo: 'x@other.example' }, sender), /harbor\.example only/)
  t.equal(configProblem(mailTool, { ...mail, to: 'x@other.example' }, { ...sender, recipients: 'anyone' }), undefined)

  const link = { action: 'create', amount: '100.00', currency: 'EUR' }
  const shop = { currencies: ['EUR'], maxAmount: '100' }
  t.equal(configProblem('@svc/tool.payment-link', link, shop), undefined)
  t.match(configProblem('@svc/tool.payment-link', { ...link, amount: '100.01' }, shop), /^amount must be at most 100/)
  t.match(configProblem('@svc/tool.payment-link', { ...link, currency: 'USD' }, shop), /^currency must be one of EUR/)
  t.equal(configProblem('@svc/tool.payment-link', { action: 'state', linkId: '7' }, shop), undefined)

  const columns = { columns: ['Name', 'Phone'] }
  t.equal(configProblem('@svc/tool.sheet-row', { cells: { Name: 'Ann' } }, columns), undefined)
  t.match(configProblem('@svc/tool.sheet-row', { cells: { Pin: '1' } }, columns), /^cells\.Pin is no column/)
})

t.test(
  'decision 14: every catalog tool is a backend, the webhook, a mail or a calendar; a backend names fields of its form',
  async (t) => {
    for (const { id, configSchema } of listCatalog('tools')) {
      const backend = backendOf(id)
      if (!backend) {
        t.ok([calendarTool, mailTool, webhookTool].includes(id), id)
        continue
      }
      const properties = (configSchema as { properties: Record<string, { format?: string; writeOnly?: boolean }> })
        .properties
      t.equal(properties[backend.address]?.format, 'uri', `${id}: the address is one`)
      t.equal(properties[backend.token]?.writeOnly, true, `${id}: the token is secret`)
      for (const name of backend.own ?? []) t.ok(properties[name], `${id}: ${name} is a field`)
    }
  },
)

t.test('decision 14: what is missing before a catalog tool can be called is said', async (t) => {
  const toolId = '@svc/tool.crm-record'
  const records = (secrets: string[] = [], signIn?: ToolRecords['signIn']): ToolRecords => ({
    secrets: new Set(secrets),
    ...(signIn && { signIn }),
  })
  const bound = (config: object, enabled = true) =>
    documentWith({ toolBindings: [binding(toolId, { ...config }, enabled)] })
  const complete = { baseUrl: 'https://crm.example' }
  t.equal(toolProblem(bound(complete), toolId, records(['apiKey'])), undefined)
  t.equal(toolProblem(bound(complete), toolId, records()), 'The config of Customer record lacks apiKey.')
  t.equal(toolProblem(bound({}), toolId, records()), 'The config of Customer record lacks baseUrl, apiKey.')
  t.equal(toolProblem(bound(complete), toolId, records([], 'connected')), undefined, 'a sign-in of the agent is enough')
  t.match(toolProblem(bound(complete), toolId, records([], 'expired')), /has to be connected again/)
  t.equal(toolProblem(bound({ ...complete, connectionId: 'cn_1' }), toolId, records()), undefined)
  t.match(toolProblem(bound(complete, false), toolId, records(['apiKey'])), /switched off/)
  t.match(bindingProblem(documentWith({}), toolId), /not set up/)
  t.match(bindingProblem(documentWith({}), '@svc/tool.none'), /^The catalog has no tool/)
  for (const state of ['not-connected', 'expired', 'revoked'] as const) {
    t.match(connectionProblem(toolId, state), /has to be connected again/)
  }
  for (const state of ['connected', 'error'] as const) t.equal(connectionProblem(toolId, state), undefined)
})

t.test('R47: notifications need the secret of their provider, and mail its sender', async (t) => {
  const email = { provider: 'sendgrid' as const, fromAddress: 'desk@harbor.example' }
  const byMail = { operator: { provider: 'email' as const, toAddress: 'team@harbor.example' } }
  const problem = (notifications: Changes['notifications'], ...secrets: string[]) =>
    notifyProblem(documentWith({ notifications }), new Set(secrets))
  t.equal(problem(undefined), undefined)
  t.equal(problem(chat, 'slackWebhookUrl'), undefined)
  t.match(problem(chat, 'emailApiKey'), /lacks slackWebhookUrl/)
  t.equal(problem({ ...byMail, email }, 'emailApiKey'), undefined)
  t.match(problem(byMail, 'emailApiKey'), /lacks email\./)
  t.match(problem({ ...byMail, email }), /lacks emailApiKey/)
})
