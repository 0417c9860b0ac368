/** Agents: their ids, every field rule of their routes, and that nothing is left half-made whatever dies in between. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { slugOf, withNumber } from '../../core/agent/slug.js'
import { formatAgentKey, parseAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { slugPattern } from '../../core/ids.js'
import { agent as limits } from '../../core/limits/index.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import { createAgents } from '../../mgmt/agents/index.js'
import { reservations } from '../../mgmt/agents/reservations.js'
import { agentTable } from '../../mgmt/agents/store.js'
import { createChannels } from '../../mgmt/channels/index.js'
import { bindingTable } from '../../mgmt/channels/store.js'
import { createGatewayAccess } from '../../mgmt/gatewayaccess/index.js'
import { gatewayTable } from '../../mgmt/gatewayaccess/store.js'
import { sendBudgets } from '../../runtime/delivery/throttle.js'
import type { Command, Shards } from '../../runtime/shard/contract.js'
import { type CommitContext, decide } from '../../runtime/shard/decision.js'
import { createOverlay } from '../../runtime/shard/overlay.js'
import { timerNameTable } from '../../runtime/shard/tables.js'
import { type Key, type Table, table } from '../../runtime/store/contract.js'
import { encodeWrites } from '../../runtime/store/space.js'
import { anyText } from '../harness/arbitraries.js'
import { manualClock, waitUntil } from '../harness/clock.js'
import { openTestNode, type Response } from '../harness/node.js'
import { openReceiver } from '../harness/receiver.js'
import { withSerialization } from '../harness/serialization.js'

const clock = manualClock()
const node = await openTestNode({ clock })
t.teardown(() => node.close())
const token = node.key
const agentsPath = '/v1/orgs/demo/agents'

function call(method: string, path: string, json?: unknown): Promise<Response> {
  return node.mgmt(method, `${agentsPath}${path}`, { token, json })
}
const fieldsOf = ({ json }: Response): string[] => json.errors.map(({ field }: { field: string }) => field)

t.test('Every name gives a slug, and numbering a slug gives other slugs', async (t) => {
  t.equal(slugOf('Café Zürich & Söhne'), 'cafe-zurich-sohne')
  t.equal(slugOf('  -- '), 'agent')
  t.equal(slugOf('日本語'), 'agent')
  t.equal(slugOf('x'.repeat(80)).length, 63)
  const slug = new RegExp(slugPattern)
  fc.assert(
    fc.property(anyText({ maxLength: 200 }), fc.integer({ min: 2, max: 5_000 }), (name, nth) => {
      const first = slugOf(name)
      const other = withNumber(first, nth)
      return slug.test(first) && slug.test(other) && other !== first && other.endsWith(`-${nth}`)
    }),
  )
})

t.test('An agent is identified by its org and id together, and no two agents share a key', async (t) => {
  const id = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,10}$/)
  fc.assert(
    fc.property(id, id, (orgId, agentId) => {
      const parsed = parseAgentKey(formatAgentKey({ orgId, agentId }))
      return parsed.orgId === orgId && parsed.agentId === agentId
    }),
  )
  for (const wrong of ['demo', '/ada', 'demo/', '']) t.throws(() => parseAgentKey(wrong))
})

t.test('An agent is created with a name only, and read back unchanged', async (t) => {
  const made = await call('POST', '', { name: 'Front Desk' })
  t.equal(made.status, 201)
  const at = new Date(clock.now()).toISOString()
  t.strictSame(made.json, {
    id: 'front-desk',
    orgId: 'demo',
    name: 'Front Desk',
    framework: 'v2',
    createdAt: at,
    updatedAt: at,
  })
  t.strictSame((await call('GET', '/front-desk')).json, made.json)
  const full = {
    name: 'Nova',
    id: 'nova-1',
    description: 'Answers.',
    framework: 'v2',
    identity: { brandColor: '#aabbcc', contactEmail: 'help@acme.example' },
  }
  const whole = await call('POST', '', full)
  t.equal(whole.status, 201)
  t.match(whole.json, full)
  t.equal((await call('GET', '/unknown')).status, 404)
  t.equal((await call('GET', '/unknown')).json.code, 'resource.not_found')
})

t.test('A derived id that is taken gets a number; a requested id that is taken is refused', async (t) => {
  const ids: string[] = []
  for (let nth = 0; nth < 3; nth++) ids.push((await call('POST', '', { name: 'Same Name' })).json.id)
  t.same(ids, ['same-name', 'same-name-2', 'same-name-3'])
  const taken = await call('POST', '', { name: 'Other', id: 'same-name-2' })
  t.equal(taken.status, 409)
  t.equal(taken.json.code, 'agent.id_taken')
  t.same(fieldsOf(taken), ['id'])
  t.equal((await call('DELETE', '/same-name-2')).status, 204)
  t.equal((await call('POST', '', { name: 'Same name' })).json.id, 'same-name-2', 'an id that was freed is given again')
  const responses = await Promise.all(Array.from({ length: 5 }, () => call('POST', '', { name: 'At Once' })))
  t.equal(new Set(responses.map(({ json }) => json.id)).size, 5, 'concurrent creations get different ids')
})

const longText = (chars: number) => 'x'.repeat(chars)
const badIdentity: Record<string, unknown[]> = {
  smallLogoUrl: ['logo.png', 'ftp://acme.example/logo', 7],
  largeBannerUrl: ['//acme.example/x'],
  defaultCardImageUrl: ['javascript:alert(1)'],
  brandColor: ['red', '#12345', '#1234567', 'aabbcc'],
  contactEmail: ['nobody', 'a@'],
  contactPhone: ['call me', longText(60)],
  websiteUrl: ['acme.example', `https://acme.example/${longText(2_100)}`],
  privacyPolicyUrl: [''],
  termsOfServiceUrl: ['x'],
  contactAvailability: [longText(limits.contactAvailabilityChars + 1), 5],
  identityPreamble: [longText(limits.identityPreambleChars + 1), true],
}
const goodIdentity = {
  smallLogoUrl: 'https://acme.example/logo.png',
  largeBannerUrl: 'https://acme.example/banner.png',
  defaultCardImageUrl: 'https://acme.example/card.png',
  brandColor: '#0aF',
  contactEmail: 'help@acme.example',
  contactPhone: '+1 (555) 010-0199',
  websiteUrl: 'https://acme.example',
  privacyPolicyUrl: 'https://acme.example/privacy',
  termsOfServiceUrl: 'https://acme.example/terms',
  contactAvailability: 'Weekdays, 9 to 5',
  identityPreamble: 'You work for Acme.',
}

t.test('Every field of a body is checked and named when it is invalid', async (t) => {
  const wrong: [body: Record<string, unknown>, field: string][] = [
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: longText(limits.nameChars + 1) }, 'name'],
    [{ name: 'x', id: 'Not A Slug' }, 'id'],
    [{ name: 'x', id: longText(64) }, 'id'],
    [{ name: 'x', description: longText(limits.descriptionChars + 1) }, 'description'],
    [{ name: 'x', identity: { shoeSize: '9' } }, 'identity.shoeSize'],
    [{ name: 'x', identity: { brandColor: null } }, 'identity.brandColor'],
    [{ name: 'x', orgId: 'other' }, 'orgId'],
  ]
  for (const [body, field] of wrong) {
    const refused = await call('POST', '', body)
    t.equal(refused.status, 422, JSON.stringify(body).slice(0, 60))
    t.equal(refused.json.code, 'request.invalid')
    t.same(fieldsOf(refused), [field])
  }
  await call('POST', '', { name: 'Checked' })
  for (const [field, values] of Object.entries(badIdentity)) {
    for (const value of values) {
      t.same(fieldsOf(await call('PUT', '/checked/identity', { [field]: value })), [field])
      t.same(fieldsOf(await call('PATCH', '/checked/identity', { [field]: value })), [field])
      t.same(fieldsOf(await call('PATCH', '/checked', { identity: { [field]: value } })), [`identity.${field}`])
      t.same(fieldsOf(await call('POST', '', { name: 'x', identity: { [field]: value } })), [`identity.${field}`])
    }
  }
  for (const field of ['id', 'orgId', 'createdAt'])
    t.same(fieldsOf(await call('PATCH', '/checked', { [field]: 'x' })), [field])
  t.strictSame((await call('GET', '/checked/identity')).json, {}, 'and nothing was stored')
})

t.test('A framework other than v2 is refused by name, on create and on PATCH', async (t) => {
  await call('POST', '', { name: 'Framed' })
  const refusals = [
    await call('POST', '', { name: 'Framed', framework: 'v1' }),
    await call('PATCH', '/framed', { framework: 'v3' }),
    await call('POST', '', { name: 'Framed', framework: 2 }),
    await call('PATCH', '/framed', { framework: null }),
  ]
  for (const refused of refusals) {
    t.equal(refused.status, 422)
    t.equal(refused.json.code, 'agent.framework.invalid')
    t.same(fieldsOf(refused), ['framework'])
  }
  t.equal((await call('PATCH', '/framed', { framework: 'v2' })).status, 200)
})

t.test('PATCH changes only the given fields', async (t) => {
  const made = (await call('POST', '', { name: 'Patched', description: 'Old', identity: goodIdentity })).json
  await clock.advance(1_000)
  t.strictSame((await call('PATCH', '/patched', {})).json, made, 'an empty PATCH changes nothing')
  t.strictSame((await call('PATCH', '/patched', { name: 'Patched', identity: { brandColor: '#0aF' } })).json, made)
  const renamed = (await call('PATCH', '/patched', { name: 'Renamed' })).json
  t.strictSame(renamed, { ...made, name: 'Renamed', updatedAt: new Date(clock.now()).toISOString() })
  const without = (await call('PATCH', '/patched', { description: null, identity: { brandColor: null } })).json
  t.notOk('description' in without)
  const { brandColor: _brandColor, ...rest } = goodIdentity
  t.strictSame(without.identity, rest)
  t.equal((await call('PATCH', '/unknown', { name: 'x' })).status, 404)
})

t.test('The identity is read, replaced and changed field by field on its own path', async (t) => {
  await call('POST', '', { name: 'Faces' })
  t.strictSame((await call('GET', '/faces/identity')).json, {})
  t.strictSame((await call('PUT', '/faces/identity', goodIdentity)).json, goodIdentity)
  const changed = { ...goodIdentity, brandColor: '#123456' }
  t.strictSame((await call('PATCH', '/faces/identity', { brandColor: '#123456' })).json, changed)
  t.strictSame((await call('GET', '/faces')).json.identity, changed, 'it is one record with the agent')
  t.strictSame((await call('PUT', '/faces/identity', { brandColor: '#fff' })).json, { brandColor: '#fff' })
  t.strictSame((await call('PATCH', '/faces/identity', { brandColor: null })).json, {})
  t.notOk('identity' in (await call('GET', '/faces')).json)
  for (const method of ['GET', 'PUT', 'PATCH']) {
    t.equal((await call(method, '/unknown/identity', method === 'GET' ? undefined : {})).status, 404)
  }
})

t.test('Agents are listed page by page, each once, in the order of their ids', async (t) => {
  const own = await openTestNode()
  t.teardown(() => own.close())
  const list = (query = '') => own.mgmt('GET', `${agentsPath}${query}`, { token: own.key })
  t.strictSame((await list()).json, { data: [] })
  const names = ['delta', 'alpha', 'echo', 'charlie', 'bravo']
  for (const name of names) await own.mgmt('POST', agentsPath, { token: own.key, json: { name } })
  const ids = (page: Response): string[] => page.json.data.map(({ id }: { id: string }) => id)
  const all = await list()
  t.same(ids(all), [...names].sort())
  t.notOk('nextPageToken' in all.json)
  t.match(all.json.data[0], { id: 'alpha', orgId: 'demo', framework: 'v2' })
  const seen: string[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page: Response = await list(`?limit=2${next && `&pageToken=${next}`}`)
    seen.push(...ids(page))
    next = page.json.nextPageToken
  }
  t.same(seen, [...names].sort())
  for (const wrong of ['?limit=0', '?limit=201', '?pageToken=nonsense', '?limit=x', '?other=1']) {
    t.equal((await list(wrong)).status, 422, wrong)
  }
  await own.makeOrg('elsewhere')
  const theirs = await own.createKey(['agents:write'], 'elsewhere')
  t.strictSame((await own.mgmt('GET', '/v1/orgs/elsewhere/agents', { token: theirs })).json, { data: [] })
})

t.test('A deleted agent is removed at once with its bindings and credentials, and its id is free', async (t) => {
  await call('POST', '', { name: 'Leaving', identity: goodIdentity })
  const { accessToken } = (await call('POST', '/leaving/gateway/_rotateToken')).json
  await call('POST', '/leaving/channels', { channel: 'sms', mode: 'unmanaged', provider: 'emulator', auth: {} })
  const webhook = { webhookUrl: 'https://acme.example/hook' }
  t.equal((await node.gateway('POST', '/v4/webhook', { token: accessToken, json: webhook })).status, 200)
  t.equal((await call('DELETE', '/leaving')).status, 204)
  for (const path of ['', '/identity', '/gateway', '/channels'])
    t.equal((await call('GET', `/leaving${path}`)).status, 404)
  t.equal((await node.gateway('GET', '/v4/webhook', { token: accessToken })).status, 401)
  t.equal((await call('DELETE', '/leaving')).status, 404)
  const listed = (await call('GET', '')).json.data as { id: string }[]
  t.notOk(listed.some(({ id }) => id === 'leaving'))
  t.equal((await call('POST', '', { name: 'Next', id: 'leaving' })).status, 201)
  t.notOk('identity' in (await call('GET', '/leaving')).json, 'and the next one of that id begins anew')
  t.match((await call('GET', '/leaving/gateway')).json, { mode: 'managed', webhookUrl: undefined })
  t.equal((await call('GET', '/leaving/channels')).json.data.length, 1)
  t.equal((await node.gateway('GET', '/v4/webhook', { token: accessToken })).status, 401)
})

t.test('The org gets one event for every agent created, changed and deleted', async (t) => {
  const receiver = await openReceiver(t)
  const events = ['agent.created', 'agent.updated', 'agent.deleted']
  const json = { url: receiver.url('/agents'), events }
  t.equal((await node.mgmt('POST', '/v1/orgs/demo/webhooks', { token, json })).status, 201)
  await call('POST', '', { name: 'Told' })
  await call('PATCH', '/told', { name: 'Told', framework: 'v2' })
  await call('PATCH', '/told', { name: 'Told again', description: 'x' })
  await call('PUT', '/told/identity', { brandColor: '#fff' })
  await call('DELETE', '/told')
  const receivedEvents = () => receiver.at('/agents').map(({ body }) => JSON.parse(String(body)))
  await waitUntil(() => receivedEvents().length >= 4, clock)
  const by = { kind: 'key' }
  t.match(
    receivedEvents().sort((a, b) => events.indexOf(a.type) - events.indexOf(b.type)),
    [
      { type: 'agent.created', orgId: 'demo', agentId: 'told', data: { id: 'told', name: 'Told', by } },
      { type: 'agent.updated', agentId: 'told', data: { by } },
      { type: 'agent.updated', agentId: 'told', data: { by } },
      { type: 'agent.deleted', agentId: 'told', data: { id: 'told', name: 'Told again', by } },
    ],
  )
  const changed = receivedEvents().flatMap(({ data }) => (data.changed ? [data.changed] : []))
  t.same(changed.sort(), [['identity'], ['name', 'description']].sort())
})

/** Shards that refuse commands of some names as if nobody served them. */
function cutShards(names: Set<string>) {
  const unavailable: Refusal = refuse('service.unavailable', { headers: { 'retry-after': '1' } })
  return <S extends Shards>(shards: S): S => {
    const through = withSerialization(shards)
    const ask: Shards['execute'] = async (owner, command, input, options) =>
      names.has(command.name) ? unavailable : through.execute(owner, command, input, options)
    return { ...through, execute: ask }
  }
}

t.test('A process that dies after claiming the id leaves a complete agent, and after a delete a free id', async (t) => {
  const cut = new Set<string>(['agents.create'])
  const own = await openTestNode({ wrapShards: cutShards(cut) })
  t.teardown(() => own.close())
  const ask = (method: string, path: string, json?: unknown) =>
    own.mgmt(method, `${agentsPath}${path}`, { token: own.key, json })
  t.equal((await ask('POST', '', { name: 'Half' })).status, 503)
  await waitUntil(async () => (await ask('GET', '/half')).status === 200, own.clock)
  t.same((await ask('GET', '')).json.data.length, 1)
  t.match((await ask('GET', '/half/channels')).json.data, [{ channel: 'webchat', status: 'Active' }])
  t.match((await ask('GET', '/half/gateway')).json, { accessTokenPrefix: /^at-svc-/, mode: 'managed' })
  cut.clear()
  t.equal((await ask('POST', '', { name: 'Half', id: 'half' })).status, 409)

  cut.add('agents.release')
  t.equal((await ask('DELETE', '/half')).status, 204)
  t.strictSame((await ask('GET', '')).json, { data: [] }, 'it is not listed, even if the org still has its id')
  await waitUntil(async () => (await ask('POST', '', { name: 'Half', id: 'half' })).status === 201, own.clock)
})

type Step =
  | { do: 'claim'; id?: string; dies: boolean }
  | { do: 'remove'; pick: number; dies: boolean }
  | { do: 'bind'; pick: number }
  | { do: 'tell'; pick: number; repeat: boolean }

const pick = fc.nat(1_000)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('claim' as const),
    id: fc.option(fc.constantFrom('a', 'b', 'nova-2'), { nil: undefined }),
    dies: fc.boolean(),
  }),
  fc.record({ do: fc.constant('remove' as const), pick, dies: fc.boolean() }),
  fc.record({ do: fc.constant('bind' as const), pick }),
  fc.record({ do: fc.constant('tell' as const), pick, repeat: fc.boolean() }),
)

/** All shards in one layer, and what commands tell other owners kept until a test lets it through, in any order. */
function openWorld() {
  const receivedEvents: OrgEventPayload[] = []
  const orgEvent: Command<OrgEventPayload, true> = {
    name: 'test.orgEvent',
    decide(_tx, payload) {
      receivedEvents.push(payload)
      return true
    },
  }
  const none = undefined as never
  const agents = createAgents({ orgEvent, audit: none, bodies: none, mediaUrl: none, randomBytes, clock })
  const gatewayAccess = createGatewayAccess({ orgEvent, agents, checkUrl: none, randomBytes })
  const given = { adapters: [], gatewayUrl: none, randomBytes, log: none, timeScale: 1, sendBudgets }
  const channels = createChannels({ ...given, orgEvent, agents })
  const { commands } = agents
  const registered = [orgEvent, ...[agents, gatewayAccess, channels].flatMap(({ module }) => module.commands)]
  const byName = new Map(registered.map((each) => [each.name, each as Command<unknown, unknown>]))
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  const pending: { id: string; owner: string; command: string; input: unknown }[] = []
  let commandCount = 0
  function ask<I, R>(owner: string, command: Command<I, R>, input: I, id = `c${commandCount++}`): R | Refusal {
    const about = { owner, command: command as Command<unknown, unknown>, input, commandId: id, answerTtlMs: 1e9 }
    const moment: CommitContext = {
      at: 1_000 + commandCount,
      monotonicAt: 0,
      commit: commandCount,
      pending: [],
      outboundCommands: [],
    }
    const answer = decide(root, about, moment)
    for (const { effect } of moment.pending)
      pending.push({ ...(effect.payload as (typeof pending)[number]), id: effect.id })
    return answer as R | Refusal
  }
  function rows<K extends Key, V>(of: Table<K, V>): V[] {
    return Array.from(root.range(of), ({ value }) => value)
  }
  return {
    receivedEvents,
    channels,
    commands,
    byName,
    ask,
    pending,
    rows,
    timers: () => [...root.range(timerNameTable)],
  }
}
type World = ReturnType<typeof openWorld>

const orgId = 'demo'
const credentials = {
  token: { hash: new Uint8Array(32), prefix: 'at-svc-x' },
  secret: { id: 'gs_1', sealed: new Uint8Array([1]), prefix: 'ws-svc-x' },
}

function applyStep({ ask, commands, channels, pending, byName, rows }: World, action: Step, nth: number): void {
  const existing = rows(agentTable)
  const one = existing[('pick' in action ? action.pick : 0) % Math.max(1, existing.length)]
  if (action.do === 'claim') {
    const about = { orgId, name: 'Nova', credentials }
    const claimed = ask(orgId, commands.reserveId, { ...about, ...(action.id && { id: action.id }) })
    if (isRefusal(claimed) || action.dies) return
    ask(formatAgentKey({ orgId, agentId: claimed.agentId }), commands.create, { ...about, ...claimed })
  } else if (action.do === 'tell') {
    const index = action.pick % Math.max(1, pending.length)
    const [outbound] = action.repeat ? pending.slice(index, index + 1) : pending.splice(index, 1)
    if (outbound) ask(outbound.owner, byName.get(outbound.command)!, outbound.input, outbound.id)
  } else if (one && action.do === 'bind') {
    const agentRef = { orgId, agentId: one.id }
    ask(formatAgentKey(agentRef), channels.commands.create, {
      ...agentRef,
      id: `cb_${nth}`,
      channel: 'rcs',
      mode: 'managed',
    })
  } else if (one && action.do === 'remove') {
    const agentRef = { orgId, agentId: one.id }
    const removed = ask(formatAgentKey(agentRef), commands.remove, agentRef)
    if (!isRefusal(removed) && !action.dies) ask(orgId, reservations.release, { ...agentRef, ...removed })
  }
}

t.test('For any crash between two commands and any order of the rest, agents end complete or absent', async (t) => {
  const claimTable = table<[string, string], { incarnation: number }>('agents.reservations')
  const indexTable = table<[string], { agentId: string }>('channels.index')
  let seen = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const world = openWorld()
      for (const [nth, taken] of steps.entries()) applyStep(world, taken, nth)
      while (world.pending.length > 0) applyStep(world, { do: 'tell', pick: 0, repeat: false }, 0)
      const made = world.rows(agentTable)
      const serials = made.map(({ incarnation }) => incarnation).sort()
      const claimed = world.rows(claimTable).map(({ incarnation }) => incarnation)
      const ids = made.map(({ id }) => id).sort()
      const access = world.rows(gatewayTable).map(({ agentId }) => agentId)
      const bindings = world.rows(bindingTable)
      const webchats = bindings.filter(({ channel }) => channel === 'webchat').map(({ agentId }) => agentId)
      const indexed = world.rows(indexTable).map(({ agentId }) => agentId)
      seen += made.length
      const created = world.receivedEvents.filter(({ type }) => type === 'agent.created').length
      const deleted = world.receivedEvents.filter(({ type }) => type === 'agent.deleted').length
      const same = (one: unknown[], other: unknown[]) => JSON.stringify(one) === JSON.stringify(other.sort())
      return (
        same(serials, claimed) &&
        same(ids, access) &&
        same(ids, webchats) &&
        bindings.every(({ agentId }) => ids.includes(agentId)) &&
        ids.every((id) => indexed.includes(id)) &&
        world.timers().length === bindings.filter(({ channel }) => channel === 'rcs').length &&
        created - deleted === made.length
      )
    }),
    { numRuns: 300 },
  )
  t.ok(seen > 100, 'and there were agents to look at')
})

t.test('The number of agents of an org is bounded', async (t) => {
  const world = openWorld()
  for (let nth = 0; nth < limits.perOrg; nth++) {
    const claimed = world.ask(orgId, world.commands.reserveId, { orgId, name: 'x', id: `a${nth}`, credentials })
    if (isRefusal(claimed)) t.fail(claimed.refused)
  }
  t.match(world.ask(orgId, world.commands.reserveId, { orgId, name: 'x', credentials }), { refused: 'request.invalid' })
  t.match(world.ask('other', world.commands.reserveId, { orgId: 'other', name: 'x', credentials }), { agentId: 'x' })
})
