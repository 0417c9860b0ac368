/** The management plane of an installation of several nodes: what one of them was told, all of them know. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createDirectory } from '../../mgmt/channels/directory.js'
import { systemClock } from '../../runtime/clock.js'
import { waitUntil } from '../harness/clock.js'
import { TestNats } from '../harness/nats.js'
import { openTestNode, type Response, type TestNode } from '../harness/node.js'
import { isSignedWith, openReceiver } from '../harness/receiver.js'

const key = 'sk-svc-a-key-that-the-operator-chose'
const clock = { ...systemClock, advance: async () => {} }

const nats = await TestNats.start()
const env = {
  PARLEY_NATS_URL: nats.url,
  PARLEY_SECRET_KEY: randomBytes(32).toString('hex'),
  PARLEY_BOOTSTRAP_KEY: key,
  PARLEY_SHARDS: '8',
}
const everyRole = ['shards,mgmt,gateway', 'shards,mgmt,gateway', 'mgmt,gateway']
const nodes = await Promise.all(everyRole.map((roles) => openTestNode({ clock, env: { ...env, PARLEY_ROLES: roles } })))
const [first, second, asking] = nodes as [TestNode, TestNode, TestNode]
const open = new Set(nodes)
async function close(node: TestNode): Promise<void> {
  if (open.delete(node)) await node.close()
}
t.teardown(async () => {
  for (const node of [asking, second, first]) await close(node)
  await nats.stop()
})

const me = (node: TestNode, token: string): Promise<Response> => node.mgmt('GET', '/v1/me', { token })
const keys = '/v1/orgs/demo/api-keys'

t.test('Nodes that start together create one org, and its key opens all of them', async (t) => {
  t.equal(nodes.filter(({ node }) => node.bootstrapResult.key !== undefined).length, 1)
  for (const node of nodes) t.match((await me(node, key)).json, { org: { id: 'demo', name: 'Demo' }, isSysop: true })
  t.equal((await asking.mgmt('GET', keys, { token: key })).json.data.length, 1)
})

t.test(
  'A key created on any node is valid on every node, and revoked on any is refused on every, at once',
  async (t) => {
    for (const maker of nodes) {
      for (const revoker of nodes) {
        const made = await maker.mgmt('POST', keys, { token: key, json: { name: 'x', scopes: ['people:read'] } })
        t.equal(made.status, 201)
        const { id, key: token } = made.json
        for (const node of nodes) for (let times = 0; times < 2; times++) t.equal((await me(node, token)).status, 200)
        const changed = await revoker.mgmt('PATCH', `${keys}/${id}`, { token: key, json: { scopes: ['org:admin'] } })
        t.equal(changed.status, 200)
        for (const node of nodes) t.equal((await me(node, token)).json.org.role, 'admin')
        const { idToken } = (await maker.mgmt('POST', '/v1/session', { token })).json
        for (const node of nodes) t.equal((await me(node, idToken)).status, 200)
        t.equal((await revoker.mgmt('DELETE', `${keys}/${id}`, { token: key })).status, 204)
        for (const node of nodes)
          for (const revokedToken of [token, idToken]) t.equal((await me(node, revokedToken)).status, 401)
      }
    }
  },
)

t.test('An access token rotated on any node is valid on every node, and the old one refused, at once', async (t) => {
  const agents = '/v1/orgs/demo/agents'
  const webhook = (node: TestNode, token: string) => node.gateway('GET', '/v4/webhook', { token })
  for (const [nth, maker] of nodes.entries()) {
    const agent = `${agents}/ada-${nth}`
    const made = await maker.mgmt('POST', agents, { token: key, json: { name: 'Ada', id: `ada-${nth}` } })
    t.equal(made.status, 201)
    for (const node of nodes) {
      t.strictSame((await node.mgmt('GET', agent, { token: key })).json, made.json)
      const listed = (await node.mgmt('GET', agents, { token: key })).json.data as { id: string }[]
      t.ok(listed.some(({ id }) => id === made.json.id))
    }
    let before: string | undefined
    for (const rotator of nodes) {
      const rotated = await rotator.mgmt('POST', `${agent}/gateway/_rotateToken`, { token: key })
      t.equal(rotated.status, 200)
      const { accessToken } = rotated.json
      for (const node of nodes) {
        for (let times = 0; times < 2; times++) t.equal((await webhook(node, accessToken)).status, 404)
        if (before) t.equal((await webhook(node, before)).status, 401)
      }
      before = accessToken
    }
    const json = { webhookUrl: 'https://acme.example/hook', instanceId: String(nth) }
    t.equal((await maker.gateway('POST', '/v4/webhook', { token: before, json })).status, 200)
    for (const node of nodes) t.strictSame((await webhook(node, before!)).json, json)
    t.equal((await nodes[(nth + 1) % nodes.length]!.mgmt('DELETE', agent, { token: key })).status, 204)
    for (const node of nodes) {
      t.equal((await webhook(node, before!)).status, 401)
      t.equal((await node.mgmt('GET', agent, { token: key })).status, 404)
    }
  }
})

t.test('The first playbook of an agent is in its routing on every node at once', async (t) => {
  const directories = nodes.map(({ node }) => createDirectory(node.engine))
  const agents = '/v1/orgs/demo/agents'
  for (const [nth, writer] of nodes.entries()) {
    const id = `mute-${nth}`
    t.equal((await writer.mgmt('POST', agents, { token: key, json: { name: 'Mute', id } })).status, 201)
    for (const directory of directories) t.match(await directory.get(`demo/${id}`), { speaks: undefined })
    const json = { name: 'Front desk', body: 'Help.' }
    t.equal((await writer.mgmt('POST', `${agents}/${id}/playbooks`, { token: key, json })).status, 201)
    for (const directory of directories) t.match(await directory.get(`demo/${id}`), { speaks: true })
  }
})

t.test('A change on one node is read on every other', async (t) => {
  for (const [nth, node] of nodes.entries()) {
    const name = `Renamed ${nth}`
    t.equal((await node.mgmt('PATCH', '/v1/orgs/demo', { token: key, json: { name } })).status, 200)
    for (const other of nodes) t.equal((await other.mgmt('GET', '/v1/orgs/demo', { token: key })).json.name, name)
  }
})

t.test('A webhook created on a node without shards gets every event, signed, and any node reads its log', async (t) => {
  const receiver = await openReceiver(t)
  /** A try may be made again when its shard changes hands; who receives it tells by the id. */
  const events = () => new Set(receiver.at('/hook').map(({ headers }) => headers['x-svc-event-id']))
  const json = { url: receiver.url('/hook'), events: ['api_key.created'] }
  const made = await asking.mgmt('POST', '/v1/orgs/demo/webhooks', { token: key, json })
  t.equal(made.status, 201)
  for (const node of nodes) await node.mgmt('POST', keys, { token: key, json: { name: 'told' } })
  const webhook = `/v1/orgs/demo/webhooks/${made.json.id}`
  for (const node of nodes) {
    const delivered = () => node.mgmt('GET', `${webhook}/deliveries?state=delivered`, { token: key })
    await waitUntil(async () => (await delivered()).json.data?.length === nodes.length)
  }
  t.equal(events().size, nodes.length)
  for (const each of receiver.at('/hook')) t.ok(isSignedWith(made.json.signingSecret, each))
  const { signingSecret } = (await second.mgmt('POST', `${webhook}/_rotate`, { token: key })).json
  await first.mgmt('POST', keys, { token: key, json: { name: 'told again' } })
  await waitUntil(() => events().size === nodes.length + 1)
  t.ok(isSignedWith(signingSecret, receiver.at('/hook').at(-1)!), 'with the secret of the moment')
})

t.test('While shards move, a valid key is never refused, and a revoked one never accepted', async (t) => {
  const revoked = (await first.mgmt('POST', keys, { token: key, json: { name: 'gone' } })).json
  t.equal((await me(asking, revoked.key)).status, 200)
  t.equal((await asking.mgmt('DELETE', `${keys}/${revoked.id}`, { token: key })).status, 204)
  const seen = new Set<number>()
  const seenRevoked = new Set<number>()
  let isLeaving = true
  const calling = (async () => {
    while (isLeaving) {
      for (const node of [second, asking]) {
        seen.add((await me(node, key)).status)
        seenRevoked.add((await me(node, revoked.key)).status)
      }
    }
  })()
  await close(first)
  await waitUntil(async () => (await me(asking, key)).status === 200 && (await me(second, key)).status === 200)
  isLeaving = false
  await calling
  t.same(
    [...seen].filter((status) => status !== 200 && status !== 503),
    [],
  )
  t.same(
    [...seenRevoked].filter((status) => status !== 401 && status !== 503),
    [],
  )
  const made = await asking.mgmt('POST', keys, { token: key, json: { name: 'after' } })
  t.equal(made.status, 201)
  for (const node of [second, asking]) t.equal((await me(node, made.json.key)).status, 200)
})
