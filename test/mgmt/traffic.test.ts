/** The routes of traffic: their parameters, their tokens, and whose traffic it is. */

import t, { type Test } from 'tap'
import type { TrafficEntry } from '../../core/conversation/entry.js'
import { conversation as kept, traffic as limits } from '../../core/limits/index.js'
import { createLeapingClock, flushPending } from '../harness/clock.js'
import { openTestNode, type Response } from '../harness/node.js'
import { addTraffic } from '../runtime/traffic/fixture.js'

const leaping = createLeapingClock()
/** Days pass in one leap. */
const clock = {
  ...leaping,
  async advance(ms: number) {
    leaping.advance(ms)
    await flushPending()
  },
}
const node = await openTestNode({
  clock,
  extraModule: { commands: [addTraffic], queries: [], effectHandlers: () => ({}) },
})
t.teardown(() => node.close())
const agents = '/v1/orgs/demo/agents'
const get = (path: string): Promise<Response> => node.mgmt('GET', `${agents}${path}`, { token: node.key })
const ids = ({ json }: Response): string[] => json.data.map(({ messageId }: { messageId: string }) => messageId)

let made = 0
async function agentOf(t: Test, id = `traffic-${++made}`) {
  t.equal((await node.mgmt('POST', agents, { token: node.key, json: { name: 'Harbor Desk', id } })).status, 201)
  let count = 0
  return {
    id,
    /** Leaves a record each, all at one moment. */
    async record(asid: string, ...entries: Partial<TrafficEntry>[]): Promise<void> {
      const about = { origin: 'user', type: 'content', sessionId: `${asid}-1` } as const
      const whole = entries.map((entry) => ({ ...about, messageId: `${asid}-m${++count}`, ...entry }))
      await node.node.engine.execute(asid, addTraffic, { asid, agent: { orgId: 'demo', agentId: id }, entries: whole })
    },
    async logs(asid: string, ...logs: string[]): Promise<void> {
      await node.node.engine.execute(asid, addTraffic, {
        asid,
        agent: { orgId: 'demo', agentId: id },
        entries: [],
        logs,
      })
    },
  }
}

t.test('Messages are listed newest first, filtered by person, type, time and session', async (t) => {
  const agent = await agentOf(t)
  const start = clock.now()
  await agent.record('ann', { text: 'Hi' }, { origin: 'agent', sessionId: 'ann-2' })
  await clock.advance(1_000)
  await agent.record(
    'ben',
    { type: 'action', subtype: 'url' },
    { type: 'status', origin: 'agent', error: 'sendFailed' },
  )
  const listIds = async (query: string) => ids(await get(`/${agent.id}/messages${query}`))
  t.same(await listIds(''), ['ben-m4', 'ben-m3', 'ann-m2', 'ann-m1'])
  t.same(await listIds('?origin=agent'), ['ben-m4', 'ann-m2'])
  t.same(await listIds('?type=action'), ['ben-m3'])
  t.same(await listIds('?userId=ann'), ['ann-m2', 'ann-m1'])
  t.same(await listIds('?userId=nobody'), [])
  t.same(await listIds('?sessionId=ann-2'), ['ann-m2'])
  t.same(await listIds('?sessionId=ann-1&userId=ben'), [])
  t.same(await listIds(`?start=${start + 1}`), ['ben-m4', 'ben-m3'])
  t.same(await listIds(`?end=${new Date(start + 1).toISOString()}`), ['ann-m2', 'ann-m1'])
  t.same(await listIds(`?start=${start}&end=${start}`), [])
  t.same(await listIds('?limit=1&origin=user&includeTest=true'), ['ben-m3'])
  const { json } = await get(`/${agent.id}/messages?userId=ann&origin=user`)
  t.same(json.data, [
    {
      timestamp: new Date(start).toISOString(),
      agentId: agent.id,
      userId: 'ann',
      sessionId: 'ann-1',
      origin: 'user',
      type: 'content',
      channel: 'sms',
      text: 'Hi',
      messageId: 'ann-m1',
      raw: {},
    },
  ])
  t.match((await get(`/${agent.id}/messages?type=status`)).json.data, [{ error: 'sendFailed' }])
})

t.test('Logs are listed newest first, filtered by level, event, person and session', async (t) => {
  const agent = await agentOf(t)
  await agent.logs('cay', 'message.sent')
  await clock.advance(1)
  await agent.logs('dee', 'webhook.parked')
  const events = async (query: string) =>
    (await get(`/${agent.id}/logs${query}`)).json.data.map(({ event }: { event: string }) => event)
  t.same(await events(''), ['webhook.parked', 'message.sent'])
  t.same(await events('?level=error'), ['webhook.parked'])
  t.same(await events('?event=message.sent'), ['message.sent'])
  t.same(await events('?userId=cay'), ['message.sent'])
  t.same(await events('?sessionId=nobody'), [])
  const { data, nextPageToken } = (await get(`/${agent.id}/logs?limit=1`)).json
  t.match(data, [
    { agentId: agent.id, userId: 'dee', level: 'error', channel: 'sms', raw: { event: 'webhook.parked' } },
  ])
  const next = (await get(`/${agent.id}/logs?limit=1&pageToken=${nextPageToken}`)).json
  t.match(next.data, [{ event: 'message.sent', level: 'info' }])
  t.equal(next.nextPageToken, undefined)
})

t.test('A page token continues where its page ended, despite new messages, within its time range', async (t) => {
  const agent = await agentOf(t)
  await agent.record('flo', {}, {})
  await clock.advance(1_000)
  await agent.record('gil', {}, {})
  const list = `/${agent.id}/messages?limit=2`
  const first = await get(list)
  t.same(ids(first), ['gil-m4', 'gil-m3'])
  await clock.advance(1)
  await agent.record('flo', {}, {}, {})
  await clock.advance(limits.windowMs)
  const token = first.json.nextPageToken
  const second = await get(`${list}&pageToken=${token}`)
  t.same(ids(second), ['flo-m2', 'flo-m1'], 'the last 24 hours are those of the first page')
  t.equal(second.json.nextPageToken, undefined)
  t.same(ids(await get(`/${agent.id}/messages?limit=1&pageToken=${token}`)), ['flo-m2'], 'pages may change their size')
})

t.test('A token opens only the list it was issued for, and a changed one nothing', async (t) => {
  const [agent, other] = [await agentOf(t), await agentOf(t)]
  await agent.record('hal', {}, {}, {})
  const token: string = (await get(`/${agent.id}/messages?limit=1`)).json.nextPageToken
  const changed = (token[0] === 'A' ? 'B' : 'A') + token.slice(1)
  const wrong = [
    `/${agent.id}/messages?pageToken=${changed}`,
    `/${agent.id}/messages?pageToken=none`,
    `/${agent.id}/messages?origin=user&pageToken=${token}`,
    `/${agent.id}/messages?start=1&pageToken=${token}`,
    `/${agent.id}/messages?includeTest=true&pageToken=${token}`,
    `/${agent.id}/logs?pageToken=${token}`,
    `/${other.id}/messages?pageToken=${token}`,
  ]
  for (const path of wrong) {
    const { status, json } = await get(path)
    t.equal(status, 422, path)
    t.match(json, { code: 'request.invalid', errors: [{ field: 'pageToken' }] })
  }
})

t.test('A value outside its vocabulary is 422 and named', async (t) => {
  const agent = await agentOf(t)
  const wrong: Record<string, readonly string[]> = {
    messages: ['origin=house', 'type=text', 'includeTest=maybe', 'limit=0', 'limit=1001', 'userId=', 'level=info'],
    conversations: ['start=soon', 'pageToken=abc', 'sessionId=x', 'limit=many'],
    users: ['end=2030-13-01', 'userId=ann', 'start=2&end=1'],
    logs: ['level=fatal', 'event=LLM%20call', 'includeTest=true', 'origin=user'],
  }
  for (const [list, queries] of Object.entries(wrong)) {
    for (const query of queries) {
      const { status, json } = await get(`/${agent.id}/${list}?${query}`)
      t.equal(status, 422, `${list}?${query}`)
      t.equal(json.errors[0].field, query.slice(0, query.indexOf('=')), `${list}?${query}`)
    }
  }
  for (const list of Object.keys(wrong)) {
    t.equal((await get(`/${agent.id}/${list}?limit=${limits.maxRows}`)).status, 200)
    t.match((await get(`/nobody/${list}`)).json, { code: 'resource.not_found' })
  }
})

t.test('Conversations and people are listed with their latest state', async (t) => {
  const agent = await agentOf(t)
  const at = new Date(clock.now()).toISOString()
  await agent.record('ida', { text: 'Good day' }, { origin: 'agent' }, { type: 'status', origin: 'agent' })
  t.same((await get(`/${agent.id}/conversations`)).json, {
    data: [
      {
        sessionId: 'ida-1',
        userId: 'ida',
        channel: 'sms',
        startedAt: at,
        endedAt: at,
        messageCount: 2,
        firstMessagePreview: 'Good day',
      },
    ],
  })
  t.same((await get(`/${agent.id}/users`)).json, {
    data: [{ userId: 'ida', channel: 'sms', lastSeenAt: at, messageCount: 2 }],
  })
  t.same((await get(`/${agent.id}/conversations?userId=nobody`)).json, { data: [] })
})

t.test('Records older than 30 days are never shown, removed or not', async (t) => {
  const agent = await agentOf(t)
  await agent.record('jo', {})
  const last = clock.now() + kept.retentionMs - 1
  await clock.advance(last - clock.now())
  t.equal(ids(await get(`/${agent.id}/messages?start=0`)).length, 1)
  await clock.advance(1)
  for (const list of ['messages', 'conversations', 'users']) {
    t.same((await get(`/${agent.id}/${list}?start=0`)).json.data, [], list)
  }
})

t.test('A new agent with the id of a deleted one does not show its traffic', async (t) => {
  const agent = await agentOf(t)
  await agent.record('kit', {})
  await agent.logs('kit', 'message.sent')
  t.equal((await node.mgmt('DELETE', `${agents}/${agent.id}`, { token: node.key })).status, 204)
  t.equal((await get(`/${agent.id}/messages`)).status, 404)
  await clock.advance(1)
  await agentOf(t, agent.id)
  for (const list of ['messages', 'conversations', 'users', 'logs']) {
    t.same((await get(`/${agent.id}/${list}?start=0`)).json.data, [], list)
  }
})
