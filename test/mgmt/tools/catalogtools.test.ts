/** Tools of the catalog (decision 14): the wire to a backend, sign-ins, the webhook, and what is missing. */
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { credentialTable } from '../../../mgmt/connections/store.js'
import type { AccessTokens, CallOutcome } from '../../../mgmt/connections/tokens.js'
import { verify } from '../../../runtime/agentwebhook/sign.js'
import { binding } from '../../core/tools/document.js'
import { openReceiver } from '../../harness/receiver.js'
import { agentRef } from '../people/fixture.js'
import { openEndpoint } from './endpoint.js'
import { createToolsFixture, type ToolsFixture } from './fixture.js'

const orderLookup = '@svc/tool.order-lookup'
const crm = '@svc/tool.crm-record'
const webhook = '@svc/tool.webhook'
const order = { orderNumber: '7', proof: '10115' }

const call = (fixture: ToolsFixture, toolId: string, given: Record<string, unknown>, ...more: object[]) =>
  fixture.run(`tool:${toolId}`, given, ...(more as []))

t.test(
  'decision 14: a call is POST {address}/{tool}, with arguments, the config that the backend needs, and the key',
  async (t) => {
    const receiver = await openReceiver(t)
    receiver.setBehavior('/api/return-request?shop=1', (response) => response.end('{"possible":true}'))
    const config = { baseUrl: receiver.url('/api/?shop=1'), returnWindowDays: 14 }
    const toolId = '@svc/tool.return-request'
    const fixture = createToolsFixture(t, { document: { toolBindings: [binding(toolId, config)] } })
    await fixture.setSecrets('toolBindings', toolId, { apiKey: 'key-of-the-shop' })
    t.same(await call(fixture, toolId, order), { outcome: { state: 'ok', result: { possible: true } } })
    const [request] = receiver.at('/api/return-request')
    t.same(JSON.parse(String(request?.body)), { arguments: order, config: { returnWindowDays: 14 } })
    t.match(request?.headers, {
      authorization: 'Bearer key-of-the-shop',
      'idempotency-key': 'call-1',
      'x-svc-turn': 'tu_1',
    })
  },
)

t.test('decision 14: hidden fields leave the answer, and are not sent along', async (t) => {
  const receiver = await openReceiver(t)
  const answer = { id: '7', margin: 3, lines: [{ name: 'Tea', margin: 1 }] }
  receiver.setBehavior('/order-lookup', (response) => response.end(JSON.stringify(answer)))
  const toolBindings = [binding(orderLookup, { baseUrl: receiver.url(''), hiddenFields: ['margin'] })]
  const fixture = createToolsFixture(t, { document: { toolBindings } })
  await fixture.setSecrets('toolBindings', orderLookup, { apiKey: 'key-of-the-shop' })
  t.match(await call(fixture, orderLookup, order), {
    outcome: { state: 'ok', result: { id: '7', lines: [{ name: 'Tea' }] } },
  })
  t.notMatch(String(receiver.at('/order-lookup')[0]?.body), 'margin')
})

t.test(
  'decision 14: the webhook gets the arguments alone at its own address, signed, with the header as it stands',
  async (t) => {
    const receiver = await openReceiver(t)
    const toolBindings = [binding(webhook, { url: receiver.url('/hook?a=b'), method: 'PUT', events: ['quote.asked'] })]
    const fixture = createToolsFixture(t, { document: { toolBindings } })
    await fixture.setSecrets('toolBindings', webhook, {
      authHeader: 'ApiKey 123456789',
      signingSecret: 'ws-secret-words',
    })
    const given = { event: 'quote.asked', data: { rooms: 2 } }
    t.match(await call(fixture, webhook, given), { outcome: { state: 'ok', result: null } })
    const [request] = receiver.at('/hook')
    t.same(JSON.parse(String(request?.body)), given)
    t.equal(request?.headers.authorization, 'ApiKey 123456789')
    const signed = {
      signature: String(request?.headers['x-svc-signature']),
      timestamp: String(request?.headers['x-svc-request-timestamp']),
      body: request?.body ?? Buffer.alloc(0),
    }
    t.ok(verify('ws-secret-words', signed, Date.now()))
  },
)

t.test('decision 14: a place search needs no key, and then has no header', async (t) => {
  const { url, arrivals } = await openEndpoint(t, () => ['ok'])
  const toolId = '@svc/tool.place-search'
  const fixture = createToolsFixture(t, { document: { toolBindings: [binding(toolId, { searchUrl: url })] } })
  t.match(await call(fixture, toolId, { query: 'Lisboa' }), { outcome: { state: 'ok' } })
  t.ok(arrivals[0]?.text.startsWith('POST /in/place-search '))
  t.notMatch(arrivals[0]?.text, /authorization/i)
})

t.test('decision 18: a call of a backend in doubt is not repeated', async (t) => {
  const { url, arrivals } = await openEndpoint(t, () => ['reset', 'ok'])
  const fixture = createToolsFixture(t, { document: { toolBindings: [binding(orderLookup, { baseUrl: url })] } })
  await fixture.setSecrets('toolBindings', orderLookup, { apiKey: 'key-of-the-shop' })
  t.match(await call(fixture, orderLookup, order), {
    outcome: { state: 'unknown', reason: /^It is not known whether Order lookup did/ },
  })
  t.equal(arrivals.length, 1)
})

/** Sign-ins whose calls are reported as the real ones are; a rejected token is renewed once. */
function createTokens(...accessTokens: string[]) {
  const refs: unknown[] = []
  const outcomes: CallOutcome<unknown>[] = []
  const tokens: AccessTokens = {
    accessToken: async () => accessTokens[0] ?? { refused: 'connection.unusable' },
    async use(ref, attempt) {
      refs.push(ref)
      for (const [index, token] of accessTokens.entries()) {
        const outcome = await attempt(token)
        outcomes.push(outcome)
        if (outcome.ok) return outcome.value
        if (!outcome.isRefused) return { refused: 'connection.call_failed' }
        if (index === 1) break
      }
      return { refused: 'connection.unusable' }
    },
  }
  return { tokens, refs, outcomes }
}

const find = { action: 'find', phone: '+12025550123' }

t.test(
  'decision 14: a tool with a connection uses its token in place of a key, and its use moves the connection’s status',
  async (t) => {
    const receiver = await openReceiver(t)
    receiver.setBehavior('/crm-record', (response) => response.end(JSON.stringify({ seen: 'token-one-of-two' })))
    const toolBindings = [binding(crm, { baseUrl: receiver.url(''), connectionId: 'cn_1', pipeline: 'Sales' })]
    const { tokens, refs, outcomes } = createTokens('token-one-of-two')
    const fixture = createToolsFixture(t, { document: { toolBindings }, tokens })
    await fixture.setSecrets('toolBindings', crm, { apiKey: 'key-of-before' })
    t.match(await call(fixture, crm, find), { outcome: { state: 'ok', result: { seen: '[secret]' } } })
    const [request] = receiver.at('/crm-record')
    t.equal(request?.headers.authorization, 'Bearer token-one-of-two')
    t.same(JSON.parse(String(request?.body)), { arguments: find, config: { pipeline: 'Sales' } })
    t.same(refs, [{ orgId: 'demo', id: 'cn_1' }])
    t.same(outcomes, [{ ok: true, value: true }])
  },
)

t.test(
  'R46: a rejected token is renewed once; a sign-in that is over is a failed call and a lost connection',
  async (t) => {
    const receiver = await openReceiver(t)
    const statuses = [401, 200]
    receiver.setBehavior('/crm-record', (response) => void response.writeHead(statuses.shift() ?? 401).end())
    const toolBindings = [binding(crm, { baseUrl: receiver.url(''), connectionId: 'cn_1' })]
    const { tokens } = createTokens('token-one-of-two', 'token-two-of-two')
    const fixture = createToolsFixture(t, { document: { toolBindings }, tokens })
    t.match(await call(fixture, crm, find), { outcome: { state: 'ok' } })
    t.equal(receiver.at('/crm-record')[1]?.headers.authorization, 'Bearer token-two-of-two')
    t.match(await call(fixture, crm, find), {
      outcome: { state: 'failed', reason: 'The account that Customer record uses has to be connected again.' },
      notes: [{ event: 'connection.lost', data: { tool: crm } }],
    })
  },
)

t.test('R46: only an endpoint that is not reached, or rejects the token, speaks against the connection', async (t) => {
  const cases = [
    ['notFound', [{ ok: true }]],
    ['failure', [{ ok: true }]],
    ['gateway', [{ ok: true }]],
    ['hang', [{ ok: false, isRefused: false, lastError: /did not answer in time/ }]],
  ] as const
  for (const [behavior, expected] of cases) {
    const { url } = await openEndpoint(t, () => [behavior])
    const { tokens, outcomes } = createTokens('token-one-of-two')
    const toolBindings = [binding(crm, { baseUrl: url, connectionId: 'cn_1' })]
    const fixture = createToolsFixture(t, { document: { toolBindings }, tokens, limits: { callMs: 1_500 } })
    await call(fixture, crm, find)
    t.match(outcomes, expected, behavior)
  }
})

const credential = {
  ...{ orgId: 'demo', id: crm, provider: 'crm', label: 'CRM', revision: 1, connectedAt: 0 },
  tokens: { sealed: new Uint8Array(), sealedFor: 'x' },
}

t.test(
  'decision 14: the agent’s own sign-in for a tool is used where neither a key nor a connection is there',
  async (t) => {
    const { url } = await openEndpoint(t, () => ['ok'])
    const { tokens, refs } = createTokens('token-one-of-two')
    const toolBindings = [binding(crm, { baseUrl: url })]
    const fixture = createToolsFixture(t, { document: { toolBindings }, tokens })
    t.match(await call(fixture, crm, find), { outcome: { state: 'failed', reason: /lacks apiKey/ } })
    fixture.tx.put(credentialTable, ['demo', 'ada', crm], { ...credential, status: 'connected' })
    t.match(await call(fixture, crm, find), { outcome: { state: 'ok' } })
    t.same(refs, [{ orgId: 'demo', agentId: 'ada', id: crm }])
    fixture.tx.put(credentialTable, ['demo', 'ada', crm], { ...credential, status: 'revoked' })
    t.match(await call(fixture, crm, find), { outcome: { state: 'failed', reason: /has to be connected again/ } })
  },
)

t.test('decision 14: a tool that is not bound, off, or incomplete is not called', async (t) => {
  const { url, arrivals } = await openEndpoint(t, () => ['ok'])
  const fixture = createToolsFixture(t)
  t.match(await call(fixture, orderLookup, order), { outcome: { state: 'failed', reason: /is not set up/ } })
  fixture.setDocument({ toolBindings: [binding(orderLookup, { baseUrl: url })] })
  t.match(await call(fixture, orderLookup, order), { outcome: { state: 'failed', reason: /lacks apiKey/ } })
  await fixture.setSecrets('toolBindings', orderLookup, { apiKey: 'key-of-the-shop' })
  fixture.setDocument({ toolBindings: [binding(orderLookup, { baseUrl: url }, false)] })
  t.match(await call(fixture, orderLookup, order), { outcome: { state: 'failed', reason: /switched off/ } })
  t.equal(arrivals.length, 0)
})

t.test(
  'decision 14: the calendar tool is called where an area provides it; in the sandbox it is captured',
  async (t) => {
    const calendar = '@svc/tool.calendar'
    const config = { calendarUrl: 'https://cal.example/dav', username: 'ann' }
    const fixture = createToolsFixture(t, { document: { toolBindings: [binding(calendar, config)] } })
    await fixture.setSecrets('toolBindings', calendar, { password: 'app-password' })
    const given = { action: 'busy', from: '2030-05-14T10:00:00Z', to: '2030-05-14T11:00:00Z' }
    t.match(await call(fixture, calendar, given), { outcome: { state: 'failed', reason: /calendar cannot be used/ } })
    fixture.tools.provideCalendar(() => async (_context, one) => ({
      outcome: { state: 'ok', result: one.arguments.action },
    }))
    t.match(await call(fixture, calendar, given), { outcome: { state: 'ok', result: 'busy' } })
    fixture.tools.provideCalendar(() => async () => ({ outcome: { state: 'cancelled', reason: 'It was stopped.' } }))
    t.match(await call(fixture, calendar, given), { outcome: { state: 'cancelled' } })
    t.match(await call(fixture, calendar, given, { isRepeat: true }), {
      outcome: { state: 'unknown', reason: /an attempt was interrupted. And then: It was stopped/ },
    })
    t.match(await call(fixture, calendar, given, {}, { sandbox: true }), {
      outcome: { state: 'captured' },
      effects: [{ kind: 'calendar', payload: given }],
    })
  },
)

t.test('R57: in the sandbox a backend and the webhook are captured, without their secrets', async (t) => {
  const { url, arrivals } = await openEndpoint(t, () => ['ok'])
  const toolBindings = [
    binding(orderLookup, { baseUrl: `${url}?key=in-the-url`, hiddenFields: [] }),
    binding(webhook, { url: `${url}?key=in-the-url` }),
  ]
  const fixture = createToolsFixture(t, { document: { toolBindings } })
  await fixture.setSecrets('toolBindings', orderLookup, { apiKey: 'key-of-the-shop' })
  await fixture.setSecrets('toolBindings', webhook, {
    authHeader: 'ApiKey 123456789',
    signingSecret: 'ws-secret-words',
  })
  const looked = await call(fixture, orderLookup, order, {}, { sandbox: true })
  t.match(looked, {
    outcome: { state: 'captured', result: { captured: true } },
    effects: [{ kind: 'tool', payload: { method: 'POST', url: `${url}/order-lookup`, body: { arguments: order } } }],
  })
  const posted = await call(fixture, webhook, { event: 'quote.asked', data: {} }, {}, { sandbox: true })
  t.match(posted, { effects: [{ kind: 'tool', payload: { url, body: { event: 'quote.asked' } } }] })
  t.notMatch(JSON.stringify([looked, posted]), /key-of-the-shop|123456789|ws-secret|in-the-url/)
  t.equal(arrivals.length, 0)
})

t.test(
  'decision 14: the reasons of tools that cannot be called come from the agent’s shard, and for connections from the org’s',
  async (t) => {
    const sheet = '@svc/tool.sheet-row'
    const connected = { baseUrl: 'https://crm.example', connectionId: 'cn_1' }
    const fixture = createToolsFixture(t, {
      document: {
        toolBindings: [
          binding(orderLookup, { baseUrl: 'https://shop.example' }),
          binding(crm, connected),
          binding(sheet, { endpointUrl: 'https://sheet.example', columns: ['a'], connectionId: 'cn_2' }),
        ],
        notifications: { operator: { provider: 'slack' } },
      },
    })
    const { tools, tx, document } = fixture
    const playbooks = document.playbooks.map((each) => ({ ...each, toolRefs: [webhook, crm] }))
    const availability = tools.unavailableTools(tx, agentRef, { ...document, playbooks })
    t.same(availability, {
      reasons: {
        [orderLookup]: 'The config of Order lookup lacks apiKey.',
        [webhook]: 'Webhook is not set up for the agent.',
        'notify.team': 'The notifications config of the agent lacks slackWebhookUrl.',
      },
      connections: { [crm]: 'cn_1', [sheet]: 'cn_2' },
    })
    const org = {
      query: async (owner: string, _query: unknown, input: { readonly ids: readonly string[] }) => {
        t.same([owner, input.ids], ['demo', ['cn_1', 'cn_2']])
        return [{ id: 'cn_1', provider: 'crm', status: 'revoked' }]
      },
    }
    const reasons = await tools.withConnections(org as never, 'demo', availability)
    if (isRefusal(reasons)) return t.fail('the org answered')
    t.match(reasons[crm], /has to be connected again/)
    t.match(reasons[sheet], /has to be connected again/, 'a connection that the org does not have, too')
    t.equal(Object.keys(reasons).length, 5)
  },
)
