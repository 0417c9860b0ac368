/**
 * Credentials are judged by the form of their provider and by its adapter, and what will not do is named by its field.
 */
import fc from 'fast-check'
import t from 'tap'
import { emulatorAdapter } from '../../../adapters/emulator/adapter.js'
import { createPhones } from '../../../adapters/emulator/phones.js'
import type { Adapter } from '../../../core/channel/adapter.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import { createChannelCommands } from '../../../mgmt/channels/commands.js'
import { createCredentialsCheck } from '../../../mgmt/channels/credentials.js'
import { channelRoutes } from '../../../mgmt/channels/routes.js'
import { webhookCommands } from '../../../mgmt/webhooks/commands.js'
import { loadOrCreateSecretKey } from '../../../runtime/secrets/rootkey.js'
import { createSealer } from '../../../runtime/secrets/sealer.js'
import { generateAdapter, loadAdapter } from '../../adapters/kit/generatedadapter.js'
import { openTestNode } from '../../harness/node.js'

const { adapter: pigeon, samples } = await loadAdapter(generateAdapter(t, 'sms', 'pigeon').dir)
const good = samples.auth as Record<string, unknown>
const picky: Adapter = {
  ...pigeon,
  validateAuth: (auth) =>
    (auth as typeof good).accountId === 'nobody' ? { field: 'accountId', message: 'is not an account' } : undefined,
}
const emulated = emulatorAdapter('sms', createPhones(1), Buffer.from('key')) as Adapter
const check = createCredentialsCheck([picky, emulated])

function field(refusal: Refusal | undefined): string | undefined {
  return refusal?.errors?.[0]?.field
}

t.test('Credentials that fit the form and that the adapter accepts are saved', async (t) => {
  t.equal(await check('sms', 'pigeon', good), undefined)
  t.equal(await check('sms', 'pigeon', { ...good, apiUrl: 'https://api.example/v1' }), undefined)
  t.equal(await check('sms', 'emulator', {}), undefined)
})

t.test('An invalid field is 400 and is named as the caller spelled it', async (t) => {
  const { apiKey: _missing, ...without } = good
  const wrong: [auth: Record<string, unknown>, field: string][] = [
    [without, 'auth.apiKey'],
    [{ ...good, apiKey: 7 }, 'auth.apiKey'],
    [{ ...good, apiKey: '' }, 'auth.apiKey'],
    [{ ...good, surprise: 1 }, 'auth.surprise'],
    [{ ...good, apiUrl: 'ftp://x' }, 'auth.apiUrl'],
    [{ ...good, accountId: 'nobody' }, 'auth.accountId'],
  ]
  for (const [auth, named] of wrong) {
    const refusal = await check('sms', 'pigeon', auth)
    t.match(refusal, { refused: 'request.invalid', status: 400 })
    t.equal(field(refusal), named)
  }
  t.equal(field(await check('sms', 'emulator', { key: 'x' })), 'auth.key')
})

t.test('A nested field of the form is named by its whole path', async (t) => {
  const inner = {
    type: 'object',
    additionalProperties: false,
    required: ['pem'],
    properties: { pem: { type: 'string' } },
  }
  const credentials = { type: 'object' as const, properties: { account: inner, keys: { type: 'array', items: inner } } }
  const { descriptor } = pigeon
  const deep = { ...pigeon, descriptor: { ...descriptor, form: { ...descriptor.form, credentials } } }
  const checkDeep = createCredentialsCheck([deep])
  t.equal(field(await checkDeep('sms', 'pigeon', { account: {} })), 'auth.account.pem')
  t.equal(field(await checkDeep('sms', 'pigeon', { keys: [{ pem: 'x' }, { pem: 1 }] })), 'auth.keys[1].pem')
  const whole = createCredentialsCheck([{ ...pigeon, validateAuth: () => ({ field: '', message: 'will not do' }) }])
  t.equal(field(await whole('sms', 'pigeon', good)), 'auth', 'or none, if the whole value is invalid')
})

t.test('A provider without an adapter cannot be bound, listed or not', async (t) => {
  t.match(await check('sms', 'twilio', {}), {
    status: 400,
    detail: /provider: twilio is not available in this installation/,
  })
  t.match(await check('sms', 'nobody', {}), { status: 400, detail: /provider: sms has no such provider/ })
  t.equal(field(await check('rcs', 'pigeon', good)), 'provider', 'on another channel it is another provider')
  t.equal(field(await check('webchat', 'emulator', {})), 'provider')
})

t.test('No error repeats a value of the credentials, and the request is not modified', async (t) => {
  const secret = 'hidden-from-everybody'
  const { form } = pigeon.descriptor
  const names = Object.keys(form.credentials.properties)
  const values = fc.oneof(
    fc.constant(secret),
    fc.constant(7),
    fc.constant(null),
    fc.constant([secret]),
    fc.constant({}),
  )
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), values), async (auth) => {
      const before = JSON.stringify(auth)
      const refusal = await check('sms', 'pigeon', auth)
      return !JSON.stringify(refusal ?? {}).includes(secret) && JSON.stringify(auth) === before
    }),
  )
  t.pass()
})

t.test('A partner’s provider is bound and its credentials are rotated with the same validation', async (t) => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  const { engine } = node.node
  await node.mgmt('POST', '/v1/orgs/demo/agents', { token: node.key, json: { name: 'Ada' } })
  const routes = channelRoutes({
    shards: engine,
    ...createChannelCommands({ orgEvent: webhookCommands({ timeScale: 1 }).enqueue, timeScale: 1 }),
    sealer: createSealer(loadOrCreateSecretKey(node.dir).key, engine),
    checkCredentials: check,
    randomBytes: (count) => Buffer.alloc(count, 5),
    gatewayUrl: () => 'https://gateway.test/v4',
  })
  type Reply = { status: number; json: Record<string, unknown> }
  const params: Record<string, unknown> = { org: 'demo', agent: 'ada' }
  async function call(method: string, ending: string, body: object): Promise<Reply> {
    const route = routes.find((each) => each.method === method && each.path.endsWith(ending))!
    const answer = await (route.handler as unknown as (call: object) => Promise<Reply | Refusal>)({
      params,
      body,
      caller: { kind: 'key', id: 'key_1' },
    })
    if (isRefusal(answer)) throw new Error(answer.refused)
    return answer
  }
  const request = { channel: 'sms', mode: 'unmanaged', provider: 'pigeon' }
  const refused = await call('POST', '/channels', { ...request, auth: { ...good, accountId: 'nobody' } })
  t.match(refused, { status: 400, json: { statusCode: 400, message: /auth\.accountId: is not an account/ } })
  t.match((await call('POST', '/channels', request)).json, { statusCode: 400, message: /auth\.\w+: is required/ })
  const bound = await call('POST', '/channels', { ...request, auth: good })
  t.match(bound, { status: 201, json: { provider: 'pigeon', status: 'Active' } })
  t.notMatch(JSON.stringify(bound.json), /secret-of|key-of/)
  params.bindingId = bound.json.id
  const unfit = await call('PATCH', '/{bindingId}', { auth: { ...good, apiKey: '' } })
  t.match(unfit, { status: 400, json: { message: /auth\.apiKey/ } })
  const rotated = await call('PATCH', '/{bindingId}', { auth: { ...good, apiKey: 'another key of the account' } })
  t.match(rotated, { status: 200, json: { id: bound.json.id, status: 'Active', ingressUrl: bound.json.ingressUrl } })
  t.notMatch(JSON.stringify(rotated.json), /another key/)
})
