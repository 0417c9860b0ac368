/**
 * Lists of traffic in an installation of several nodes: conversations lie on all of them, and each node shows the same
 * list.
 */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { systemClock } from '../../runtime/clock.js'
import { turnOf } from '../core/turn/records.js'
import { waitUntil } from '../harness/clock.js'
import { TestNats } from '../harness/nats.js'
import { openTestNode, type TestNode } from '../harness/node.js'
import { addTraffic } from '../runtime/traffic/fixture.js'
import { addTurns } from '../runtime/turn/fixture.js'

const key = 'sk-svc-a-key-that-the-operator-chose'
const clock = { ...systemClock, advance: async () => {} }
const nats = await TestNats.start()
const env = {
  PARLEY_NATS_URL: nats.url,
  PARLEY_SECRET_KEY: randomBytes(32).toString('hex'),
  PARLEY_BOOTSTRAP_KEY: key,
  PARLEY_SHARDS: '8',
}
const extraRepertoire = { commands: [addTraffic, addTurns], queries: [], effectHandlers: () => ({}) }
const nodes = await Promise.all(
  ['shards,mgmt,gateway', 'shards,mgmt,gateway'].map((roles) =>
    openTestNode({ clock, extraModule: extraRepertoire, env: { ...env, PARLEY_ROLES: roles } }),
  ),
)
t.teardown(async () => {
  for (const node of [...nodes].reverse()) await node.close()
  await nats.stop()
})

t.test('Every node lists the traffic of all nodes, and continues a page of another node', async (t) => {
  const [first, second] = nodes as [TestNode, TestNode]
  const agents = '/v1/orgs/demo/agents'
  const made = await first.mgmt('POST', agents, { token: key, json: { name: 'Harbor Desk', id: 'desk' } })
  t.equal(made.status, 201)
  const partsOfFirst = () => new Set(first.node.engine.inspect().shards.map(({ role: part }) => part))
  const isDivided = () => partsOfFirst().has('owner') && partsOfFirst().has('copy')
  await waitUntil(isDivided)
  const expected = new Set<string>()
  for (let nth = 0; nth < 40; nth++) {
    const asid = `person-${nth % 10}`
    const messageId = `m${nth}`
    expected.add(messageId)
    const entry = { origin: 'user', type: 'content', sessionId: `${asid}-1`, text: 'Hi', messageId } as const
    const batch = { asid, agent: { orgId: 'demo', agentId: 'desk' }, entries: [entry] }
    await nodes[nth % 2]!.node.engine.execute(asid, addTraffic, batch)
  }
  const ask = (node: TestNode, path: string) => node.mgmt('GET', `${agents}/desk${path}`, { token: key })
  const messages: { messageId: string; timestamp: string }[] = []
  let token = ''
  for (let page = 0; page === 0 || token !== ''; page++) {
    const { status, json } = await ask(nodes[page % 2]!, `/messages?limit=7${token && `&pageToken=${token}`}`)
    t.equal(status, 200)
    messages.push(...json.data)
    token = json.nextPageToken ?? ''
  }
  t.equal(messages.length, 40)
  t.same(new Set(messages.map(({ messageId }) => messageId)), expected)
  const times = messages.map(({ timestamp }) => timestamp)
  t.same(times, [...times].sort().reverse())
  for (const path of ['/messages?userId=person-3', '/conversations', '/users', '/messages?sessionId=person-4-1']) {
    const [one, other] = [await ask(first, path), await ask(second, path)]
    t.ok(one.json.data.length > 0, path)
    t.same(one.json, other.json, path)
  }
})

t.test('R58: every node lists the turns of all nodes, and finds one by its id', async (t) => {
  const [first, second] = nodes as [TestNode, TestNode]
  const turns = '/v1/orgs/demo/agents/desk/turns'
  const ids = new Set<string>()
  for (let nth = 0; nth < 20; nth++) {
    const turn = turnOf(`person-${nth % 10}`, { startedAt: Date.now() + nth }, nth)
    ids.add(turn.id)
    const batch = { asid: turn.userId, agent: { orgId: 'demo', agentId: 'desk' }, turns: [turn] }
    await nodes[nth % 2]!.node.engine.execute(turn.userId, addTurns, batch)
  }
  const ask = (node: TestNode, path: string) => node.mgmt('GET', `${turns}${path}`, { token: key })
  const page = await ask(first, '?limit=7')
  t.equal(page.json.data.length, 7)
  const rest = await ask(second, `?limit=200&pageToken=${page.json.nextPageToken}`)
  const listed = [...page.json.data, ...rest.json.data].map(({ id }: { id: string }) => id)
  t.equal(listed.length, 20)
  t.same(new Set(listed), ids)
  for (const id of ids) for (const node of nodes) t.match(await ask(node, `/${id}`), { status: 200, json: { id } })
})
