/**
 * Channel bindings: the table of their statuses, every rule of their routes, provisioning, and how providers find them.
 */
import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import t from 'tap'
import { formatAgentKey } from '../../core/agentref.js'
import { channelNames } from '../../core/channelnames.js'
import { isRefusal } from '../../core/errors.js'
import { channelBinding as limits } from '../../core/limits/index.js'
import { createBindingLookup } from '../../mgmt/channels/bindingindex.js'
import { createChannelCommands } from '../../mgmt/channels/commands.js'
import { agentRouting } from '../../mgmt/channels/directory.js'
import { channelRoutes } from '../../mgmt/channels/routes.js'
import type { ChannelPatch } from '../../mgmt/channels/schema.js'
import { next, statuses, triggers } from '../../mgmt/channels/statemachine.js'
import { complianceError, deliveryError } from '../../mgmt/channels/validate.js'
import { webhookCommands } from '../../mgmt/webhooks/commands.js'
import { loadOrCreateSecretKey } from '../../runtime/secrets/rootkey.js'
import { createSealer } from '../../runtime/secrets/sealer.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { outcomeUnknown } from '../../runtime/shard/refusals.js'
import { flushPending, manualClock, waitUntil } from '../harness/clock.js'
import { openTestNode, type Response, type TestNode } from '../harness/node.js'
import { openReceiver } from '../harness/receiver.js'
import { withSerialization } from '../harness/serialization.js'

const clock = manualClock()
const node = await openTestNode({ clock })
t.teardown(() => node.close())
const agents = '/v1/orgs/demo/agents'
const emulated = { mode: 'unmanaged', provider: 'emulator', auth: {} }

async function call(method: string, path: string, json?: unknown, on: TestNode = node): Promise<Response> {
  return on.mgmt(method, `${agents}${path}`, { token: on.key, json })
}

let made = 0
/** A new agent, and its path. */
async function newAgent(about: object = {}): Promise<{ id: string; channels: string }> {
  const { json } = await call('POST', '', { name: `agent ${++made}`, ...about })
  return { id: json.id, channels: `/${json.id}/channels` }
}

async function webchatOf(channels: string): Promise<{ id: string }> {
  const { data } = (await call('GET', channels)).json
  return data.find(({ channel }: { channel: string }) => channel === 'webchat')
}

const commands = createChannelCommands({
  orgEvent: webhookCommands({ timeScale: 1 }).enqueue,
  timeScale: 1,
}).commands

/** Lets the provisioner take so many steps. */
async function steps(count: number, on = clock): Promise<void> {
  for (let step = 0; step < count; step++) await on.advance(limits.provisionStepMs)
}

t.test('A binding changes its status only as the table says', async (t) => {
  const allowed: Record<string, Record<string, string>> = {
    Requested: { started: 'Provisioning', blocked: 'ActionRequired', failed: 'Failed' },
    Provisioning: { completed: 'Active', blocked: 'ActionRequired', failed: 'Failed' },
    ActionRequired: { supplied: 'Provisioning' },
    Active: { blocked: 'ActionRequired', failed: 'Failed', disabled: 'Disabled' },
    Failed: {},
    Disabled: { enabled: 'Active' },
  }
  for (const from of statuses) {
    for (const on of triggers) t.equal(next(from, on), allowed[from]![on], `${from} ${on}`)
  }
})

t.test('Every agent has an Active web chat from the start', async (t) => {
  const { id, channels } = await newAgent()
  const { data } = (await call('GET', channels)).json
  t.equal(data.length, 1)
  const [webchat] = data
  t.match(webchat, { agentId: id, channel: 'webchat', mode: 'managed', status: 'Active', provider: undefined })
  t.strictSame(webchat.events, [{ at: new Date(clock.now()).toISOString(), to: 'Active', actor: 'system' }])
  t.equal(webchat.ingressUrl, `http://gateway.test/v4/ingress/${webchat.id}`)
  t.strictSame((await call('GET', `${channels}/${webchat.id}`)).json, webchat)
  const repeated = await call('POST', channels, { channel: 'webchat', mode: 'managed' })
  t.equal(repeated.status, 409)
  t.equal(repeated.json.code, 'agent.channel.taken')
  t.equal((await call('DELETE', `${channels}/${webchat.id}`)).status, 204)
  t.equal((await call('GET', `${channels}/${webchat.id}`)).status, 404)
  const recreated = await call('POST', channels, { channel: 'webchat', mode: 'managed', inputs: { title: 'Hi' } })
  t.equal(recreated.status, 201)
  t.match(recreated.json, { status: 'Active', inputs: { title: 'Hi' } }, 'it needs no approval')
  for (const [method, path] of [
    ['GET', '/unknown/channels'],
    ['GET', `${channels}/cb_unknown`],
    ['DELETE', `${channels}/cb_unknown`],
    ['POST', `${channels}/cb_unknown/_enable`],
  ]) {
    t.equal((await call(method!, path!)).status, 404)
  }
  t.equal((await call('PATCH', `${channels}/cb_unknown`, {})).status, 404)
  const unknownAgent = await call('POST', '/unknown/channels', { channel: 'sms', ...emulated })
  t.equal(unknownAgent.status, 404)
})

for (const channel of ['rcs', 'sms'] as const) {
  t.test(`A managed ${channel} binding becomes Requested, then Provisioning, then Active by itself`, async (t) => {
    const { channels } = await newAgent()
    const begun = await call('POST', channels, { channel, mode: 'managed', inputs: { legalName: 'Acme Inc' } })
    t.equal(begun.status, 201)
    t.match(begun.json, { channel, mode: 'managed', status: 'Requested', inputs: { legalName: 'Acme Inc' } })
    t.notOk('routingId' in begun.json)
    const read = async () => (await call('GET', `${channels}/${begun.json.id}`)).json
    await steps(1)
    await waitUntil(async () => (await read()).status === 'Provisioning', clock)
    await steps(1)
    await waitUntil(async () => (await read()).status === 'Active', clock)
    const active = await read()
    t.ok(active.routingId)
    t.match(active.events, [
      { to: 'Requested', from: undefined, actor: 'operator' },
      { from: 'Requested', to: 'Provisioning', actor: 'system' },
      { from: 'Provisioning', to: 'Active', actor: 'system' },
    ])
    t.notOk('provider' in active, 'whose service carries a managed binding is our affair')
  })
}

t.test('Provisioning continues after a restart', async (t) => {
  const own = await openTestNode()
  const { dir } = own
  await call('POST', '', { name: 'Ada' }, own)
  const { id } = (await call('POST', '/ada/channels', { channel: 'sms', mode: 'managed' }, own)).json
  await own.node.close()
  const repeated = await openTestNode({ dir, clock: own.clock })
  t.teardown(async () => {
    await repeated.close()
    await rm(dir, { recursive: true, force: true })
  })
  const read = async () => repeated.mgmt('GET', `${agents}/ada/channels/${id}`, { token: own.key })
  await waitUntil(async () => {
    await repeated.clock.advance(limits.provisionStepMs)
    return (await read()).json.status === 'Active'
  })
  t.equal((await read()).json.events.length, 3, 'each step was made once')
})

t.test('A channel without a provisioner stays Requested and says so', async (t) => {
  const { channels } = await newAgent()
  for (const channel of channelNames.filter((each) => !['rcs', 'sms', 'webchat'].includes(each))) {
    const begun = await call('POST', channels, { channel, mode: 'managed', inputs: {} })
    t.equal(begun.status, 201)
    t.match(begun.json, { status: 'Requested', statusDetail: /unmanaged/ })
    await steps(3)
    t.equal((await call('GET', `${channels}/${begun.json.id}`)).json.status, 'Requested')
    t.equal((await call('DELETE', `${channels}/${begun.json.id}`)).status, 204, 'and can be withdrawn')
  }
})

t.test('Invalid inputs block the setup until the operator supplies better ones', async (t) => {
  const { channels } = await newAgent()
  const inputs = { websiteUrl: 'not a url', legalName: 'Acme Inc', anything: { else: true } }
  const { id } = (await call('POST', channels, { channel: 'rcs', mode: 'managed', inputs })).json
  const read = async () => (await call('GET', `${channels}/${id}`)).json
  const patchInputs = (better: object) => call('PATCH', `${channels}/${id}`, { inputs: better })
  t.equal((await patchInputs({ legalName: 'Acme' })).status, 409, 'no provisioner was called yet')
  await waitUntil(async () => {
    await steps(1)
    return (await read()).status === 'ActionRequired'
  })
  const blocked = await read()
  t.match(blocked.statusDetail, /websiteUrl/)
  t.notMatch(blocked.statusDetail, /legalName|anything/)
  t.match(blocked.events.at(-1), { from: 'Provisioning', to: 'ActionRequired', note: /websiteUrl/, actor: 'system' })
  for (const verb of ['_enable', '_disable']) {
    const refused = await call('POST', `${channels}/${id}/${verb}`)
    t.equal(refused.status, 409)
    t.equal(refused.json.code, 'agent.channel.state_conflict')
  }
  const supplied = await patchInputs({ websiteUrl: 'https://acme.example' })
  t.match(supplied.json, {
    status: 'Provisioning',
    statusDetail: undefined,
    inputs: { ...inputs, websiteUrl: 'https://acme.example' },
  })
  t.match(supplied.json.events.at(-1), { from: 'ActionRequired', to: 'Provisioning', actor: 'operator' })
  await waitUntil(async () => {
    await steps(1)
    return (await read()).status === 'Active'
  })
  t.equal((await patchInputs({})).status, 409)
})

t.test('The operator can change the inputs of a web chat at any time, if they are valid', async (t) => {
  const { channels } = await newAgent()
  const [{ id }] = (await call('GET', channels)).json.data
  const change = (inputs: object) => call('PATCH', `${channels}/${id}`, { inputs })
  t.equal((await change({ title: 'Harbor', origins: ['https://harbor.example'] })).status, 200)
  const changed = await change({ title: 'Harbor Desk' })
  t.match(changed.json, { status: 'Active', inputs: { title: 'Harbor Desk', origins: ['https://harbor.example'] } })
  t.equal(changed.json.events.length, 1, 'the setup was not repeated')
  const unfit = await change({ origins: ['not an origin'] })
  t.equal(unfit.status, 400)
  t.match(JSON.stringify(unfit.json), /origins/)
})

t.test('Reports of an external provisioner move a binding by the same table', async (t) => {
  const { id: agentId, channels } = await newAgent()
  const { id: bindingId } = (await call('POST', channels, { channel: 'messengerA', mode: 'managed' })).json
  const agentRef = { orgId: 'demo', agentId, bindingId }
  const report = (on: 'started' | 'completed' | 'blocked' | 'failed', statusDetail?: string) =>
    node.node.engine.execute(formatAgentKey(agentRef), commands.report, {
      ...agentRef,
      on,
      ...(statusDetail && { statusDetail }),
    })
  t.match(await report('completed'), { refused: 'agent.channel.state_conflict' })
  t.match(await report('started'), { status: 'Provisioning' })
  t.match(await report('completed'), { status: 'Active' })
  t.match(await report('blocked', 'The brand must be named.'), { status: 'ActionRequired' })
  const patchInputs = { inputs: { displayName: 'Acme' } }
  t.match((await call('PATCH', `${channels}/${bindingId}`, patchInputs)).json, {
    status: 'Provisioning',
    ...patchInputs,
  })
  await steps(3)
  t.equal((await call('GET', `${channels}/${bindingId}`)).json.status, 'Provisioning', 'it is not ours to complete')
  t.match(await report('completed'), { status: 'Active' })
  t.match(await report('failed', 'The account was closed.'), {
    status: 'Failed',
    statusDetail: 'The account was closed.',
  })
  t.match(await report('started'), { refused: 'agent.channel.state_conflict' }, 'a failure is final')
})

t.test('The identity prefills valid inputs of a new binding, and is independent afterwards', async (t) => {
  const identity = { websiteUrl: 'https://acme.example', brandColor: '#fff', identityPreamble: 'Hello' }
  const { id, channels } = await newAgent({ identity })
  const given = { legalName: 'Acme' }
  const { json } = await call('POST', channels, { channel: 'rcs', mode: 'managed', inputs: given })
  t.strictSame(json.inputs, { websiteUrl: 'https://acme.example', brandColor: '#ffffff', legalName: 'Acme' })
  await call('PUT', `/${id}/identity`, { websiteUrl: 'https://new.example' })
  t.strictSame((await call('GET', `${channels}/${json.id}`)).json.inputs, json.inputs)
})

t.test('An unmanaged binding on the emulator is Active at once, on every channel but web chat', async (t) => {
  const { channels } = await newAgent()
  for (const channel of channelNames.filter((each) => each !== 'webchat')) {
    const bound = await call('POST', channels, { channel, ...emulated })
    t.equal(bound.status, 201)
    t.match(bound.json, { channel, mode: 'unmanaged', provider: 'emulator', status: 'Active', inputs: undefined })
    t.notOk('auth' in bound.json)
    t.equal((await call('POST', channels, { channel, ...emulated })).status, 409, 'one live binding a channel')
  }
  t.equal((await call('GET', channels)).json.data.length, channelNames.length)
})

t.test('An invalid provider or credential is 400 in the classic style, naming the field', async (t) => {
  const { channels } = await newAgent()
  const wrong: [body: object, field: RegExp][] = [
    [{ channel: 'sms', mode: 'unmanaged', provider: 'twilio', auth: {} }, /auth\.(accountSid|from)/],
    [{ channel: 'sms', mode: 'unmanaged', provider: 'nobody', auth: {} }, /provider/],
    [{ channel: 'sms', mode: 'unmanaged', provider: 'rbm', auth: {} }, /provider/],
    [{ channel: 'webchat', ...emulated }, /provider/],
    [{ channel: 'sms', mode: 'unmanaged' }, /provider/],
    [{ channel: 'sms', ...emulated, auth: { key: 'x' } }, /auth\.key/],
  ]
  for (const [body, field] of wrong) {
    const refused = await call('POST', channels, body)
    t.equal(refused.status, 400, JSON.stringify(body))
    t.match(refused.headers['content-type'], /^application\/json/)
    t.same(Object.keys(refused.json), ['statusCode', 'message'])
    t.equal(refused.json.statusCode, 400)
    t.match(refused.json.message, field)
  }
  const malformed: [body: object, field: string][] = [
    [{ mode: 'managed' }, 'channel'],
    [{ channel: 'sms' }, 'mode'],
    [{ channel: 'telex', mode: 'managed' }, 'channel'],
    [{ channel: 'sms', mode: 'rented' }, 'mode'],
    [{ channel: 'sms', mode: 'managed', provider: 'emulator' }, 'provider'],
    [{ channel: 'sms', mode: 'managed', auth: {} }, 'auth'],
    [{ channel: 'sms', ...emulated, inputs: {} }, 'inputs'],
    [{ channel: 'sms', mode: 'managed', inputs: [] }, 'inputs'],
    [{ channel: 'sms', mode: 'managed', status: 'Active' }, 'status'],
  ]
  for (const [body, field] of malformed) {
    const refused = await call('POST', channels, body)
    t.equal(refused.status, 422, JSON.stringify(body))
    t.equal(refused.json.code, 'request.invalid')
    t.equal(refused.json.errors[0].field, field)
  }
  t.equal((await call('GET', channels)).json.data.length, 1)
})

t.test('Pacing is 250 to 3000 whole milliseconds, and null removes it', async (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: -10, max: 5_000 }), fc.double()), (delay) => {
      const isFine = Number.isInteger(delay) && delay >= 250 && delay <= 3_000
      return (deliveryError({ minMessageDelayMs: delay }) === undefined) === isFine
    }),
  )
  const { channels } = await newAgent()
  const webchat = await webchatOf(channels)
  const patch = (delivery: unknown) => call('PATCH', `${channels}/${webchat.id}`, { delivery })
  for (const delay of [250, 3_000]) {
    t.strictSame((await patch({ minMessageDelayMs: delay })).json.delivery, { minMessageDelayMs: delay })
  }
  for (const delay of [249, 3_001, 0, 300.5]) {
    const refused = await patch({ minMessageDelayMs: delay })
    t.strictSame([refused.status, refused.json.statusCode], [400, 400])
    t.match(refused.json.message, /delivery\.minMessageDelayMs/)
  }
  t.strictSame((await call('PATCH', `${channels}/${webchat.id}`, {})).json.delivery, { minMessageDelayMs: 3_000 })
  t.equal((await patch({ minMessageDelayMs: 'x' })).status, 422)
  t.notOk('delivery' in (await patch(null)).json)
  await patch({ minMessageDelayMs: 300 })
  t.notOk('delivery' in (await patch({})).json, 'empty pacing counts as none')
})

t.test('The loop guard is 1 to 1000 messages and 1 to 3600 seconds, and null restores the default', async (t) => {
  const { channels } = await newAgent()
  const webchat = await webchatOf(channels)
  const patch = (delivery: unknown) => call('PATCH', `${channels}/${webchat.id}`, { delivery })
  t.strictSame((await patch({ loopGuard: { messages: 1 } })).json.delivery, { loopGuard: { messages: 1, seconds: 30 } })
  for (const loopGuard of [
    { messages: 1_000, seconds: 1 },
    { messages: 30, seconds: 3_600 },
  ]) {
    t.strictSame((await patch({ loopGuard })).json.delivery, { loopGuard })
  }
  for (const [field, value] of [
    ['messages', 0],
    ['messages', 1_001],
    ['messages', 1.5],
    ['seconds', 0],
    ['seconds', 3_601],
  ] as const) {
    const refused = await patch({ loopGuard: { [field]: value } })
    t.strictSame([refused.status, refused.json.statusCode], [400, 400])
    t.match(refused.json.message, `delivery.loopGuard.${field}`)
  }
  for (const loopGuard of ['x', { messages: '3' }, { minutes: 3 }]) t.equal((await patch({ loopGuard })).status, 422)
  const { delivery: savedDelivery } = (await patch({ minMessageDelayMs: 500 })).json
  t.strictSame(
    savedDelivery,
    { minMessageDelayMs: 500, loopGuard: { messages: 30, seconds: 3_600 } },
    'each is set by itself',
  )
  t.strictSame((await patch({ loopGuard: null })).json.delivery, { minMessageDelayMs: 500 })
  await patch({ loopGuard: { messages: 2 } })
  t.notOk('delivery' in (await patch(null)).json, 'null removes both')
  await patch({ loopGuard: { messages: 2 } })
  t.notOk('delivery' in (await patch({ loopGuard: null })).json)
})

t.test('Compliance is for carrier channels only, off unless it is enabled, and null removes it', async (t) => {
  for (const channel of channelNames) {
    const isCarrier = channel === 'rcs' || channel === 'sms'
    t.equal(complianceError(channel, { enabled: true }) === undefined, isCarrier)
    t.equal(complianceError(channel, null), undefined)
  }
  const { channels } = await newAgent()
  const bound = (await call('POST', channels, { channel: 'sms', ...emulated })).json
  const patch = (compliance: ChannelPatch['compliance'], id = bound.id) =>
    call('PATCH', `${channels}/${id}`, { compliance })
  t.notOk('compliance' in bound)
  t.strictSame((await patch({ enabled: true })).json.compliance, { enabled: true })
  const disclaimerText = 'x'.repeat(limits.disclaimerChars)
  t.strictSame((await patch({ disclaimerText })).json.compliance, { enabled: false, disclaimerText })
  const tooLong = await patch({ enabled: true, disclaimerText: `${disclaimerText}x` })
  t.equal(tooLong.status, 400)
  t.match(tooLong.json, { statusCode: 400, message: /disclaimerText/ })
  t.notOk('compliance' in (await patch(null)).json)
  const webchat = await webchatOf(channels)
  const refused = await patch({ enabled: true }, webchat.id)
  t.strictSame([refused.status, refused.json.statusCode], [400, 400])
  t.equal((await patch(null, webchat.id)).status, 200)
  const both = { delivery: { minMessageDelayMs: 500 }, compliance: { enabled: true } }
  t.equal((await call('PATCH', `${channels}/${webchat.id}`, both)).status, 400)
  t.notOk('delivery' in (await call('GET', `${channels}/${webchat.id}`)).json, 'a change is made whole or not at all')
})

t.test('A binding is switched off and on, only from a status that allows it', async (t) => {
  const { channels } = await newAgent()
  const { id } = (await call('POST', channels, { channel: 'sms', ...emulated })).json
  const turn = (verb: string) => call('POST', `${channels}/${id}/${verb}`)
  const refused = await turn('_enable')
  t.equal(refused.status, 409)
  t.match(refused.headers['content-type'], /problem/)
  t.equal(refused.json.code, 'agent.channel.state_conflict')
  t.match((await turn('_disable')).json, { status: 'Disabled' })
  t.equal((await turn('_disable')).status, 409)
  const on = (await turn('_enable')).json
  t.match(on, {
    status: 'Active',
    events: [
      { to: 'Active' },
      { from: 'Active', to: 'Disabled', actor: 'operator' },
      { from: 'Disabled', to: 'Active', actor: 'operator' },
    ],
  })
  const requested = (await call('POST', channels, { channel: 'rcs', mode: 'managed' })).json
  for (const verb of ['_disable', '_enable']) {
    t.equal((await call('POST', `${channels}/${requested.id}/${verb}`)).status, 409)
  }
})

t.test('A released managed rcs sender is reused by the next request; other channels begin anew', async (t) => {
  const { channels } = await newAgent()
  const request = (channel: string, inputs: object = {}) => call('POST', channels, { channel, mode: 'managed', inputs })
  const activated = async (id: string) => {
    const read = async () => (await call('GET', `${channels}/${id}`)).json
    await waitUntil(async () => {
      await steps(1)
      return (await read()).status === 'Active'
    })
    return read()
  }
  const pending = (await request('rcs')).json
  await call('DELETE', `${channels}/${pending.id}`)
  const rcs = (await request('rcs', { legalName: 'Acme' })).json
  t.not(rcs.id, pending.id, 'a withdrawn request is deleted')
  const verified = await activated(rcs.id)
  await call('DELETE', `${channels}/${rcs.id}`)
  t.equal((await call('GET', `${channels}/${rcs.id}`)).status, 404)
  const repeated = await request('rcs', { displayName: 'Acme' })
  t.equal(repeated.status, 201)
  t.match(repeated.json, {
    id: rcs.id,
    status: 'Requested',
    routingId: verified.routingId,
    inputs: { legalName: 'Acme', displayName: 'Acme' },
  })
  const restored = await activated(rcs.id)
  t.equal(restored.routingId, verified.routingId, 'it is the same verified sender')
  const agentRef = { orgId: 'demo', agentId: restored.agentId }
  t.strictSame(await createBindingLookup(node.node.engine)(rcs.id), agentRef, 'and providers find it')

  const sms = await activated((await request('sms')).json.id)
  await call('DELETE', `${channels}/${sms.id}`)
  t.not((await request('sms')).json.id, sms.id)
})

t.test('A binding is resolved to its agent by its id only, until it is deleted', async (t) => {
  const { id: agentId, channels } = await newAgent()
  const find = () => createBindingLookup(node.node.engine)
  const webchat = await webchatOf(channels)
  await waitUntil(async () => (await find()(webchat.id)) !== null, clock)
  const { id } = (await call('POST', channels, { channel: 'sms', ...emulated })).json
  const lookUpBinding = find()
  for (const each of [id, webchat.id]) t.strictSame(await lookUpBinding(each), { orgId: 'demo', agentId })
  t.equal(await lookUpBinding('cb_unknown'), null)
  await call('DELETE', `${channels}/${id}`)
  await waitUntil(async () => (await find()(id)) === null, clock)
  await call('DELETE', `/${agentId}`)
  await waitUntil(async () => (await find()(webchat.id)) === null, clock)
  t.strictSame(
    await lookUpBinding(id),
    { orgId: 'demo', agentId },
    'where it was is remembered; whether it is, the agent says',
  )
})

t.test('The org gets an event for every change of status', async (t) => {
  const receiver = await openReceiver(t)
  const json = { url: receiver.url('/channels'), events: ['channel.status_changed'] }
  const { id: agentId, channels } = await newAgent()
  await node.mgmt('POST', '/v1/orgs/demo/webhooks', { token: node.key, json })
  const { id } = (await call('POST', channels, { channel: 'sms', ...emulated })).json
  await call('PATCH', `${channels}/${id}`, { delivery: { minMessageDelayMs: 500 } })
  await call('POST', `${channels}/${id}/_disable`)
  const receivedEvents = () => receiver.at('/channels').map(({ body }) => JSON.parse(String(body)))
  await waitUntil(() => receivedEvents().length >= 2, clock)
  const about = { type: 'channel.status_changed', orgId: 'demo', agentId }
  t.match(
    receivedEvents().sort((a, b) => (a.data.to < b.data.to ? -1 : 1)),
    [
      { ...about, data: { id, channel: 'sms', to: 'Active', from: undefined, actor: 'operator' } },
      { ...about, data: { id, channel: 'sms', from: 'Active', to: 'Disabled', actor: 'operator' } },
    ],
  )
})

t.test('Credentials are sealed for their binding, rotated, and never shown', async (t) => {
  const { id: agentId } = await newAgent()
  const { engine } = node.node
  const sealer = createSealer(loadOrCreateSecretKey(node.dir).key, engine)
  const made = createChannelCommands({
    orgEvent: webhookCommands({ timeScale: 1 }).enqueue,
    timeScale: 1,
  })
  const routes = channelRoutes({
    shards: engine,
    ...made,
    sealer,
    checkCredentials: async () => undefined,
    randomBytes: (count) => Buffer.alloc(count, 3),
    gatewayUrl: () => 'https://gateway.test/v4',
  })
  const handlerOf = (method: string, path: string) =>
    routes.find((each) => each.method === method && each.path.endsWith(path))!.handler as unknown as (
      call: object,
    ) => Promise<{ status: number; json: Record<string, unknown> }>
  const caller = { kind: 'key', id: 'key_1' }
  const params = { org: 'demo', agent: agentId }
  const body = { channel: 'sms', mode: 'unmanaged', provider: 'twilio', auth: { authToken: 'first secret' } }
  const { status, json } = await handlerOf('POST', '/channels')({ params, body, caller })
  t.equal(status, 201)
  t.notMatch(JSON.stringify(json), /secret|auth/)

  const agentRef = { orgId: 'demo', agentId }
  async function openCredentials(): Promise<unknown> {
    const routing = await engine.query(formatAgentKey(agentRef), agentRouting, agentRef)
    if (isRefusal(routing)) throw new Error(routing.refused)
    const { kind, id, sealed } = routing.channels.find(({ channel }) => channel === 'sms')!.auth!
    t.notMatch(Buffer.from(sealed).toString('latin1'), /secret/)
    return JSON.parse((await sealer.open('demo', kind, id, sealed)) as string)
  }
  t.strictSame(await openCredentials(), { authToken: 'first secret' })
  const one = { ...params, bindingId: json.id }
  const rotated = await handlerOf(
    'PATCH',
    '/{bindingId}',
  )({ params: one, body: { auth: { authToken: 'next secret' } }, caller })
  t.equal(rotated.status, 200)
  t.equal(rotated.json.status, 'Active')
  t.notMatch(JSON.stringify(rotated.json), /secret|auth/)
  t.strictSame(await openCredentials(), { authToken: 'next secret' })
  const bound = { ...agentRef, bindingId: String(json.id) }
  const refused = { ...bound, on: 'blocked', statusDetail: 'The provider refuses the credentials.' } as const
  t.match(await engine.execute(formatAgentKey(agentRef), commands.report, refused), { status: 'ActionRequired' })
  const patchResponse = await call('PATCH', `/${agentId}/channels/${json.id}`, { inputs: {} })
  t.equal(patchResponse.status, 409, 'an unmanaged binding requires credentials and no inputs')
  const body2 = { auth: { authToken: 'good secret' } }
  t.match((await handlerOf('PATCH', '/{bindingId}')({ params: one, body: body2, caller })).json, { status: 'Active' })
  const webchat = await webchatOf(`/${agentId}/channels`)
  const managed = await call('PATCH', `/${agentId}/channels/${webchat.id}`, { auth: { key: 'x' } })
  t.equal(managed.status, 400, 'a managed binding has no credentials of its own')
  t.match(managed.json.message, /auth/)
})

t.test('The status history of a binding is bounded', async (t) => {
  const { channels } = await newAgent()
  const { id } = (await call('POST', channels, { channel: 'sms', ...emulated })).json
  for (let turn = 0; turn < limits.retainedEvents + 5; turn++) {
    await call('POST', `${channels}/${id}/${turn % 2 === 0 ? '_disable' : '_enable'}`)
  }
  const { events } = (await call('GET', `${channels}/${id}`)).json
  t.equal(events.length, limits.retainedEvents)
  t.match(events.at(-1), { to: 'Disabled' }, 'the newest are kept')
})

t.test('A binding created without its index row is found by its provider', async (t) => {
  const between = <S extends Shards>(shards: S): S => {
    const through = withSerialization(shards)
    const ask: Shards['execute'] = async (owner, command, input, options) => {
      const answer = await through.execute(owner, command, input, options)
      return command.name === commands.create.name ? outcomeUnknown : answer
    }
    return { ...through, execute: ask }
  }
  const own = await openTestNode({ wrapShards: between })
  t.teardown(() => own.close())
  await call('POST', '', { id: 'ada', name: 'Ada' }, own)
  t.equal((await call('POST', '/ada/channels', { channel: 'sms', ...emulated }, own)).status, 503)
  const { data } = (await call('GET', '/ada/channels', undefined, own)).json
  const { id } = data.find(({ channel }: { channel: string }) => channel === 'sms')
  await flushPending()
  t.same(await createBindingLookup(own.node.engine)(id), { orgId: 'demo', agentId: 'ada' })
})
