/** The servers that stand in for providers, as operators reach them over the management API. */
import t, { type Test } from 'tap'
import { twilioAdapter } from '../../../adapters/sms/twilio/adapter.js'
import { scopes } from '../../../core/access.js'
import { createEmulator } from '../../../runtime/emulator/emulator.js'
import { createPipeline } from '../../../runtime/http/pipeline.js'
import { createLog } from '../../../runtime/observe/log.js'
import { manualClock } from '../../harness/clock.js'
import { injectInto } from '../../harness/injection.js'
import { openReceiver } from '../../harness/receiver.js'

const person = '+15550100001'
const at = '/v1/system/emulator'

async function openEmulator(t: Test, isStarted = true) {
  const receiver = await openReceiver(t)
  const gatewayUrl = `http://127.0.0.1:${receiver.port}`
  const emulator = createEmulator(Buffer.alloc(32, 7), { timeScale: 20 })
  if (isStarted) await emulator.start()
  t.teardown(() => emulator.stop())
  const member = { kind: 'key', id: 'k', orgId: 'demo', role: 'admin', scopes: new Set(scopes) } as const
  const serve = createPipeline({
    prefix: '/v1',
    routes: [...emulator.routes(() => gatewayUrl), ...emulator.providerRoutes(() => gatewayUrl)],
    style: 'problem',
    authenticate: (token) => ({ ...member, isSysop: token === 'sysop' }),
    buckets: {
      spend: () => Promise.reject(new Error('no budget here')),
      degraded: () => undefined,
      close: async () => {},
    },
    cors: { headersFor: () => undefined },
    clock: manualClock(),
    log: createLog({ destination: { write: () => {} } }).log,
    meter: () => ({ observe() {} }),
    checkReplies: true,
  })
  const inject = injectInto(serve)
  const call = (method: string, path: string, json?: unknown, token = 'sysop') =>
    inject(method, at + path, { token, ...(json !== undefined && { json }) })
  return { emulator, receiver, call, ingress: (id: string) => `${gatewayUrl}/v4/ingress/${id}` }
}

t.test('An operator creates an account, copies its credentials, and sets its callback URL', async (t) => {
  const { call, ingress, receiver } = await openEmulator(t)
  t.match((await call('GET', '/providers')).json, {
    running: true,
    httpUrl: /^http:\/\/127\.0\.0\.1:\d+$/,
    smppPort: Number,
  })
  const made = await call('POST', '/accounts', { wire: 'twilio', id: 'shop' })
  t.equal(made.status, 201)
  t.match(made.json, { id: 'shop', wire: 'twilio', reads: true, auth: { accountSid: /^AC/, apiUrl: /\/twilio$/ } })
  t.equal(twilioAdapter.validateAuth?.(made.json.auth), undefined)
  const early = await call('POST', '/accounts/shop/_act', { address: person, act: { kind: 'text', text: 'Hi' } })
  t.match(early, { status: 422, json: { errors: [{ field: 'act' }] } })
  const changed = await call('PATCH', '/accounts/shop', { ingressUrl: ingress('cb_1') })
  t.match(changed, { status: 200, json: { ingressUrl: ingress('cb_1') } })
  const reply = await call('POST', '/accounts/shop/_act', { address: person, act: { kind: 'text', text: 'Hi' } })
  t.match(reply, { status: 202, json: { calls: 1, taken: true } })
  t.match(receiver.at('/v4/ingress/cb_1')[0]!.body.toString(), 'Body=Hi')
  t.match((await call('GET', '/accounts')).json.data, [{ id: 'shop' }])
  t.same((await call('POST', '/accounts', { wire: 'twilio', id: 'shop' })).json.auth, made.json.auth)
  t.match(await call('POST', '/accounts', { wire: 'slack', id: 'shop' }), {
    status: 422,
    json: { errors: [{ field: 'id' }] },
  })
  t.equal((await call('DELETE', '/accounts/shop')).status, 204)
  t.equal((await call('DELETE', '/accounts/shop')).status, 404)
})

t.test('Accounts call only the ingress of this installation', async (t) => {
  const { call, ingress } = await openEmulator(t)
  for (const ingressUrl of [
    'http://169.254.169.254/latest',
    'http://127.0.0.1:1/v4/ingress/cb_1',
    `${ingress('cb_1').replace('http://', 'http://user@')}`,
    ingress('').replace('/ingress/', '/messages'),
    ingress('../messages'),
    ingress('cb_1/..'),
  ]) {
    const refused = { status: 422, json: { errors: [{ field: 'ingressUrl' }] } }
    t.match(await call('POST', '/accounts', { wire: 'twilio', ingressUrl }), refused, ingressUrl)
  }
  t.same((await call('GET', '/accounts')).json.data, [], 'and no account was created')
})

t.test(
  'Sent messages are read from a number on, as the provider got them, and faults are added and removed',
  async (t) => {
    const { call } = await openEmulator(t)
    const { accountSid, authToken, from, apiUrl } = (await call('POST', '/accounts', { wire: 'twilio', id: 'shop' }))
      .json.auth
    const send = (Body: string) =>
      fetch(`${apiUrl}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}` },
        body: new URLSearchParams({ To: person, From: from, Body }),
      })
    t.equal((await send('one')).status, 201)
    const fault = await call('POST', '/faults', { account: 'shop', kind: 'rateLimited', retryAfterSeconds: 3 })
    t.match(fault, { status: 201, json: { id: /./, kind: 'rateLimited' } })
    t.equal((await send('lost')).status, 429)
    t.match((await call('GET', '/faults')).json.data, [fault.json])
    t.equal((await call('DELETE', `/faults/${fault.json.id}`)).status, 204)
    t.equal((await send('two')).status, 201)
    const { data } = (await call('GET', '/sent')).json
    t.match(data, [
      { number: 1, account: 'shop', wire: 'twilio', address: person, body: { Body: 'one' } },
      { number: 2, body: { Body: 'two' } },
    ])
    t.match((await call('GET', '/sent?after=1')).json.data, [{ number: 2 }])
    t.same((await call('GET', `/sent?account=shop&address=${encodeURIComponent('+19')}`)).json.data, [])
  },
)

t.test('Unknown members are refused, and unknown ids are not found', async (t) => {
  const { call } = await openEmulator(t)
  await call('POST', '/accounts', { wire: 'rbm', id: 'shop' })
  for (const [path, body] of [
    ['/accounts', { wire: 'carrier-pigeon' }],
    ['/accounts', { wire: 'rbm', colour: 'blue' }],
    ['/accounts/shop/_act', { address: person, act: { kind: 'dance' } }],
    ['/accounts/shop/_act', { address: person, act: { kind: 'text' } }],
    ['/accounts/shop/_act', { address: '', act: { kind: 'typing' } }],
    ['/faults', { account: 'shop', kind: 'earthquake' }],
    ['/faults', { account: 'nobody', kind: 'reset' }],
    ['/faults', { account: 'shop', kind: 'reset', rate: 2 }],
  ] as const) {
    t.equal((await call('POST', path, body)).status, 422, JSON.stringify(body))
  }
  t.equal((await call('PATCH', '/accounts/nobody', { reads: false })).status, 404)
  t.equal((await call('POST', '/accounts/nobody/_act', { address: person, act: { kind: 'typing' } })).status, 404)
  t.equal((await call('POST', '/accounts/nobody/_greet')).status, 404)
  t.equal((await call('DELETE', '/faults/nothing')).status, 404)
  t.match((await call('POST', '/accounts/shop/_greet')).json, { outcome: 'none' }, 'it does not know where')
})

t.test('Without the emulator there are no accounts, and only the system operator has access', async (t) => {
  const { call } = await openEmulator(t, false)
  t.same((await call('GET', '/providers')).json, { running: false })
  t.equal((await call('POST', '/accounts', { wire: 'rbm' })).status, 503)
  for (const [method, path] of [
    ['GET', '/providers'],
    ['GET', '/accounts'],
    ['GET', '/sent'],
    ['GET', '/faults'],
    ['DELETE', '/faults/x'],
    ['DELETE', '/accounts/x'],
  ] as const) {
    t.equal((await call(method, path, undefined, 'member')).status, 403, path)
  }
})

t.test('A free port replaces one in use, and a stopped emulator can be restarted', async (t) => {
  const { emulator } = await openEmulator(t)
  const { httpUrl, smppPort } = emulator.providers.started()!
  t.same([...emulator.origins()], [httpUrl])
  t.ok(emulator.isMessageCenter('127.0.0.1', smppPort))
  t.notOk(emulator.isMessageCenter('127.0.0.1', smppPort + 1))
  t.notOk(emulator.isMessageCenter('localhost', smppPort), 'a name may be resolved to something else')
  const second = createEmulator(Buffer.alloc(32, 8))
  t.teardown(() => second.stop())
  const elsewhere = await second.start({ httpPort: Number(new URL(httpUrl).port), smppPort })
  t.not(elsewhere.httpUrl, httpUrl)
  t.not(elsewhere.smppPort, smppPort)
  await t.rejects(second.start(), /runs already/)
  await second.stop()
  t.same([...second.origins()], [])
  await t.rejects(fetch(elsewhere.httpUrl), /fetch failed/)
  await second.start()
  t.ok(second.providers.started())
})
