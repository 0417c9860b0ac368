/** The audit trail: who did what to credentials, bindings and exports, who was refused, and what it never holds. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { scopes } from '../../core/access.js'
import { audit as limits } from '../../core/limits/access.js'
import { agentEndpoints } from '../../mgmt/agents/endpoints/index.js'
import { auditedRoutes, configurationActions } from '../../mgmt/audit/actions.js'
import { manualClock, waitUntil } from '../harness/clock.js'
import { openTestNode, type TestNode } from '../harness/node.js'

const trail = '/v1/orgs/demo/audit'
const keys = '/v1/orgs/demo/api-keys'
const agent = '/v1/orgs/demo/agents/ada'

type Entry = Record<string, unknown> & { action: string }
const entries = async (node: TestNode, query = ''): Promise<Entry[]> =>
  (await node.mgmt('GET', `${trail}${query}`, { token: node.key })).json.data

t.test(
  'Keys, sessions, secrets, bindings and exports are on record with their actor, and never a secret or a body',
  async (t) => {
    const node = await openTestNode()
    t.teardown(() => node.close())
    const call = async (method: string, path: string, json?: unknown, token = node.key) => {
      const answer = await node.mgmt(method, path, { token, json })
      t.ok(answer.status < 300, `${method} ${path} ${answer.status}: ${answer.text}`)
      await node.clock.advance(1)
      return answer
    }
    await call('POST', '/v1/orgs/demo/agents', { name: 'Ada' })
    const key = (await call('POST', keys, { name: 'HushName', scopes: [...scopes] })).json
    const session = (await call('POST', '/v1/session', {}, key.key)).json.idToken
    const { id: sessionId } = (await call('GET', '/v1/me', undefined, session)).json.caller
    const { accessToken } = (await call('POST', `${agent}/gateway/_rotateToken`, undefined, session)).json
    const { signingSecret } = (await call('POST', `${agent}/gateway/_rotateSecret`)).json
    const channel = { channel: 'rcs', mode: 'unmanaged', provider: 'emulator', auth: {} }
    const binding = (await call('POST', `${agent}/channels`, channel)).json
    await call('GET', `${agent}/people/export`)
    const link = (await call('POST', `${agent}/emulator-links`, { label: 'HushLabel' })).json
    await call('PATCH', `${keys}/${key.id}`, { scopes: ['agents:read'] })
    await call('DELETE', `${keys}/${key.id}`)

    const auditEntries = await entries(node)
    t.same(
      auditEntries.map(({ action }) => action),
      [
        'api_key.revoked',
        'api_key.changed',
        'emulator_link.created',
        'people.exported',
        'binding.created',
        'gateway.secret_rotated',
        'gateway.token_rotated',
        'session.created',
        'api_key.created',
      ],
    )
    const at = (action: string) => auditEntries.find((entry) => entry.action === action)
    t.match(at('api_key.created'), { actor: { kind: 'key' }, target: key.id, requestId: /./ })
    t.match(at('session.created'), { actor: { kind: 'key', id: key.id } })
    t.match(at('gateway.token_rotated'), { actor: { kind: 'session', id: sessionId, keyId: key.id }, agentId: 'ada' })
    t.match(at('binding.created'), { agentId: 'ada', target: binding.id })
    t.match(at('emulator_link.created'), { agentId: 'ada', target: link.id })
    const lines = node.logged.filter(({ event }) => event === 'audit.recorded')
    t.same(
      lines.map(({ action }) => action),
      auditEntries.map(({ action }) => action).reverse(),
      'the log has the same lines',
    )
    const text = JSON.stringify([auditEntries, lines])
    for (const secret of [
      key.key,
      session,
      accessToken,
      signingSecret,
      link.token,
      node.key,
      'HushName',
      'HushLabel',
    ]) {
      t.notMatch(text, secret)
    }

    t.same(
      (await entries(node, `?actor=${key.id}`)).map(({ action }) => action),
      ['gateway.token_rotated', 'session.created'],
      'a key is found with its sessions',
    )
    t.equal((await entries(node, '?action=api_key')).length, 3)
    t.equal((await entries(node, '?action=api_key.changed')).length, 1)
    const first = (await node.mgmt('GET', `${trail}?limit=4`, { token: node.key })).json
    t.equal(first.data.length, 4)
    const rest = (await node.mgmt('GET', `${trail}?limit=200&pageToken=${first.nextPageToken}`, { token: node.key }))
      .json
    t.same([...first.data, ...rest.data], auditEntries)
    t.notOk('nextPageToken' in rest)
  },
)

t.test('The list requires an admin, accepts times, and refuses invalid input', async (t) => {
  const clock = manualClock()
  const node = await openTestNode({ clock })
  t.teardown(() => node.close())
  const make = () => node.mgmt('POST', keys, { token: node.key, json: { name: 'x' } })
  await make()
  await clock.advance(60_000)
  const middle = new Date(clock.now()).toISOString()
  await clock.advance(60_000)
  await make()
  t.equal((await entries(node, `?start=${middle}`)).length, 1)
  t.equal((await entries(node, `?end=${middle}`)).length, 1)
  t.equal((await entries(node)).length, 2)
  for (const [query, field] of [
    ['start=yesterday', 'start'],
    ['limit=0', 'limit'],
    ['pageToken=x', 'pageToken'],
    ['surprise=1', 'surprise'],
    [`start=${middle}&end=${middle}`, 'end'],
  ] as const) {
    const refused = await node.mgmt('GET', `${trail}?${query}`, { token: node.key })
    t.equal(refused.status, 422, query)
    t.equal(refused.json.errors[0].field, field)
  }
  const editor = await node.createKey(['agents:write'])
  t.equal((await node.mgmt('GET', trail, { token: editor })).status, 403)
})

t.test('Refused access is recorded at once, then counted, so that it cannot fill the disk', async (t) => {
  const clock = manualClock()
  const node = await openTestNode({ clock })
  t.teardown(() => node.close())
  const token = await node.createKey(['agents:read'])
  const { id } = (await node.mgmt('GET', '/v1/me', { token })).json.caller
  for (let call = 0; call < 5; call++) t.equal((await node.mgmt('GET', keys, { token })).status, 403)
  await clock.advance(1)
  for (let call = 0; call < 50; call++) {
    t.equal((await node.mgmt('GET', `${keys}/key_${call}`, { token: `sk-svc-guess-${call}` })).status, 401)
  }
  const seen = await entries(node, '?action=access.refused')
  t.equal(seen.length, 2)
  t.match(seen, [
    { actor: { kind: 'unknown' }, code: 'auth.unauthenticated' },
    { actor: { kind: 'key', id }, code: 'auth.scope_missing' },
  ])
  t.notMatch(JSON.stringify(seen), 'guess')
  await clock.advance(limits.refusedWindowMs)
  await waitUntil(async () => (await entries(node, '?action=access.refused')).length === 4)
  const counted = (await entries(node, '?action=access.refused')).filter((entry) => 'count' in entry)
  t.same(counted.map(({ count }) => count).sort(), [4, 49])

  for (let number = 0; number < limits.refusedActorsPerOrg + 10; number++) {
    await node.mgmt('GET', keys, { token: await node.createKey(['agents:read']) })
  }
  const many = await entries(node, `?action=access.refused&limit=200&start=${new Date(clock.now()).toISOString()}`)
  t.ok(many.length <= limits.refusedActorsPerOrg + 1 + 4, `${many.length} entries`)
  t.ok(many.some(({ actor }) => (actor as { id: string }).id === 'others'))
  for (let number = 0; number < limits.refusedOrgs * 2; number++) {
    t.equal((await node.mgmt('GET', `/v1/orgs/none-${number}/api-keys`, { token: 'sk-svc-x' })).status, 401)
  }
  t.ok(
    node.logged.filter(({ event }) => event === 'audit.recorded').length < limits.refusedOrgs + 100,
    'orgs that are not there are bounded too',
  )
})

t.test('Entries are kept for 180 days', async (t) => {
  const clock = manualClock()
  const dir = await mkdtemp(join(tmpdir(), 'parley-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const node = await openTestNode({ clock, dir })
  const make = () => node.mgmt('POST', keys, { token: node.key, json: { name: 'x' } })
  await make()
  await node.close()
  const later = manualClock()
  await later.advance(limits.retentionMs + 1)
  const restarted = await openTestNode({ clock: later, dir })
  t.teardown(() => restarted.close())
  const token = node.key
  t.same((await restarted.mgmt('GET', trail, { token })).json.data, [])
  await restarted.mgmt('POST', keys, { token, json: { name: 'y' } })
  t.equal((await restarted.mgmt('GET', trail, { token })).json.data.length, 1)
})

t.test('The activity of an agent lists its audit entries among its changes, each once, and in pages', async (t) => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  const call = async (method: string, path: string, json?: unknown) => {
    const answer = await node.mgmt(method, `/v1/orgs/demo/agents${path}`, { token: node.key, json })
    t.ok(answer.status < 300, `${method} ${path} ${answer.status}: ${answer.text}`)
    await node.clock.advance(1)
    return answer.json
  }
  const activity = async (query = '') => (await call('GET', `/ada/activity${query}`)) as { data: Entry[] }
  await call('POST', '', { name: 'Ada' })
  await call('POST', '', { name: 'Bob' })
  await call('PUT', '/ada/personality', { text: 'Warm.' })
  const { accessToken } = await call('POST', '/ada/gateway/_rotateToken')
  await call('POST', '/bob/gateway/_rotateToken')
  await call('PUT', '/ada/notifications', { operator: { provider: 'slack' } })
  const link = await call('POST', '/ada/emulator-links', { label: 'HushLabel' })
  await call('PUT', '/ada/personality', { text: 'Brief.' })
  const editor = await node.createKey(['agents:read'])
  t.equal((await node.mgmt('POST', `${agent}/gateway/_rotateToken`, { token: editor })).status, 403)

  const { data } = await activity()
  t.same(
    data.map(({ action }) => action),
    [
      'access.refused',
      'PUT /personality',
      'emulator_link.created',
      'PUT /notifications',
      'gateway.token_rotated',
      'PUT /personality',
      'POST /',
    ],
  )
  t.match(data[2], { at: /./, by: { kind: 'key' }, target: link.id, requestId: /./ })
  t.notOk('version' in data[2]!)
  for (const secret of [accessToken, link.token, 'HushLabel']) t.notMatch(JSON.stringify(data), secret)

  const paged: Entry[] = []
  let token = ''
  do {
    const auditEntries = (await activity(`?limit=2${token && `&pageToken=${token}`}`)) as {
      data: Entry[]
      nextPageToken?: string
    }
    t.ok(auditEntries.data.length <= 2)
    paged.push(...auditEntries.data)
    token = auditEntries.nextPageToken ?? ''
  } while (token)
  t.same(paged, data)

  t.equal((await node.mgmt('DELETE', agent, { token: node.key })).status, 204)
  await call('POST', '', { name: 'Ada' })
  t.same(
    (await activity()).data.map(({ action }) => action),
    ['POST /'],
    'a new agent with the same id has its own trail',
  )
})

t.test('Actions that the activity leaves out are changes of the configuration, which it lists as such', async (t) => {
  const writes = new Set(agentEndpoints.filter(({ write }) => write).map(({ method, path }) => `${method} ${path}`))
  for (const [name, action] of Object.entries(auditedRoutes)) {
    const [method, path] = name.split(' ') as [string, string]
    const below = path.replace('/orgs/{org}/agents/{agent}', '')
    t.equal(configurationActions.has(action), path !== below && writes.has(`${method} ${below}`), name)
  }
})

t.test('Every route that the audit trail names exists', async (t) => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  const names = new Map(node.node.planes.mgmt.routes.map((route) => [`${route.method} ${route.path}`, route]))
  for (const [name, action] of Object.entries(auditedRoutes)) t.equal(names.get(name)?.audit, action, name)
})
