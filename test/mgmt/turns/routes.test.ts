/** The routes of turn records: their parameters, their tokens, who may read them, and whose turns they are. */
import t, { type Test } from 'tap'
import { turn as kept, turnLists as limits, traffic } from '../../../core/limits/index.js'
import type { TurnRecord } from '../../../core/turn/record.js'
import { turnIdOf } from '../../../core/turn/turnid.js'
import { callOf, turnOf } from '../../core/turn/records.js'
import { createLeapingClock, flushPending } from '../../harness/clock.js'
import { openTestNode, type Response } from '../../harness/node.js'
import { addTurns, turnModule } from '../../runtime/turn/fixture.js'

const leaping = createLeapingClock()
const clock = {
  ...leaping,
  async advance(ms: number) {
    leaping.advance(ms)
    await flushPending()
  },
}
const node = await openTestNode({ clock, extraModule: turnModule, env: { PARLEY_SHARDS: '4' } })
t.teardown(() => node.close())
const agents = '/v1/orgs/demo/agents'
const get = (path: string, token = node.key): Promise<Response> => node.mgmt('GET', `${agents}${path}`, { token })
const ids = ({ json }: Response): string[] => json.data.map(({ id }: { id: string }) => id)

let agentCount = 0
async function agentOf(t: Test, id = `turns-${++agentCount}`) {
  t.equal((await node.mgmt('POST', agents, { token: node.key, json: { name: 'Harbor Desk', id } })).status, 201)
  let count = 0
  return {
    id,
    /** Leaves a turn of this moment, and returns its id. */
    async add(asid: string, more: Partial<TurnRecord> = {}): Promise<string> {
      const turn = turnOf(asid, { startedAt: clock.now(), endedAt: clock.now() + 12, ...more }, ++count)
      const sandbox = more.test && { sandbox: true as const }
      const agent = { orgId: 'demo', agentId: id }
      await node.node.engine.execute(asid, addTurns, { asid, agent, turns: [turn], ...sandbox })
      return turn.id
    },
  }
}

t.test('R58: turns are listed newest first, filtered by person, session, playbook, warning, state, time', async (t) => {
  const agent = await agentOf(t)
  const start = clock.now()
  const first = await agent.add('ann', { playbook: { before: 'welcome', after: 'booking', why: 'match' } })
  await clock.advance(1_000)
  const second = await agent.add('ann', {
    sessionId: 'ann-2',
    state: 'failed',
    playbook: { after: 'welcome', why: 'x' },
  })
  const third = await agent.add('ben', { warnings: [{ code: 'tool.unknown', message: 'It may have been sent.' }] })
  const eve = await agent.add('eve', { test: true })
  const listed = async (query: string) => ids(await get(`/${agent.id}/turns${query}`))
  const sameMoment = [second, third].sort().reverse()
  t.same(await listed(''), [...sameMoment, first])
  t.same((await listed('?includeTest=true')).sort(), [first, second, third, eve].sort())
  t.same(await listed('?userId=ann'), [second, first])
  t.same(await listed('?userId=eve'), [], 'the emulator is left out')
  t.same(await listed('?userId=eve&includeTest=true'), [eve])
  t.same(await listed('?sessionId=ann-2'), [second])
  t.same(await listed('?sessionId=ann-2&userId=ben'), [])
  t.same(await listed('?playbookId=booking'), [first])
  t.same(await listed('?userId=ann&playbookId=welcome'), [second, first], 'before or after the turn')
  t.same(await listed('?warning=tool.unknown'), [third])
  t.same(await listed('?state=failed'), [second])
  t.same(await listed('?state=open'), [])
  t.same(await listed(`?end=${new Date(start + 1).toISOString()}`), [first])
  t.same((await listed(`?start=${start + 1}`)).length, 2)
})

t.test('R58, R60: one turn shows all of its record, a list leaves out what may be long', async (t) => {
  const agent = await agentOf(t)
  const at = new Date(clock.now()).toISOString()
  const call = callOf('integration:crm', { arguments: { plan: 'gold' }, result: { ok: true }, state: 'captured' })
  const effects = [{ kind: 'integration', summary: 'Call crm', payload: { plan: 'gold' }, at: clock.now() }]
  const id = await agent.add('ivy', {
    test: true,
    personId: 'per_1',
    trigger: { kind: 'result', eventIds: ['ev_1'], text: 'Gold', directive: { chip: 'Gold' }, opening: 'outreach' },
    flow: { from: 'booking:0', to: 'booking:1', outcome: 'booked', slots: { plan: 'gold', email: '***' } },
    goal: { id: 'booked', from: 'playbook', reached: true },
    toolCalls: [call],
    found: [{ kind: 'fact', id: 'check-in', score: 1.5 }],
    rules: [{ ruleId: 'no-prices', action: 'flag' }],
    effects,
    outcomes: ['booked'],
    warnings: [{ code: 'rule.flagged', message: 'The rule no-prices matched.' }],
    usage: { inputTokens: 3, outputTokens: 2, cacheReadTokens: 1 },
    trace: ['match booking 6.1'],
    modelCalls: [
      {
        ...{ purpose: 'turn', model: 'm', attempts: 1, ms: 5, firstMs: 2, promptHash: 'abc', promptChars: 9 },
        ...{ inputTokens: 3, outputTokens: 2, cacheReadTokens: 1 },
      },
    ],
  })
  const { status, json } = await get(`/${agent.id}/turns/${id}`)
  t.equal(status, 200)
  t.match(json, {
    ...{ id, agentId: agent.id, userId: 'ivy', channel: 'webchat', test: true, emulatedChannel: 'sms' },
    ...{ startedAt: at, took: { total: 12 }, toolCalls: [call], effects: [{ ...effects[0], at }], trace: [String] },
    trigger: { kind: 'result', directive: { chip: 'Gold' } },
    flow: { slots: { plan: 'gold', email: '***' } },
    usage: { inputTokens: 3, outputTokens: 2, cacheReadTokens: 1 },
  })
  const [row] = (await get(`/${agent.id}/turns?includeTest=true`)).json.data
  const { trace: _trace, ...rest } = json
  const { payload: _payload, ...effect } = json.effects[0]
  const { arguments: _arguments, result: _result, ...callRow } = call
  t.same(row, { ...rest, toolCalls: [callRow], effects: [effect] })
})

t.test('R58: a turn that is unknown, malformed, of another agent, of another org or too old is 404', async (t) => {
  const [agent, other] = [await agentOf(t), await agentOf(t)]
  const id = await agent.add('fay')
  t.equal((await get(`/${agent.id}/turns/${id}`)).status, 200)
  const unknown = [
    ...[`/${other.id}/turns/${id}`, `/nobody/turns/${id}`, `/${agent.id}/turns/none`, `/${agent.id}/turns/fay.1-1`],
    ...[`/${agent.id}/turns/${turnIdOf('fay', clock.now(), 99)}`, `/${agent.id}/turns/${id}0`],
    ...[`/${agent.id}/turns/${turnIdOf('gus', clock.now(), 1)}`, `/${agent.id}/turns/${'x'.repeat(150)}.1-1`],
  ]
  for (const path of unknown) t.match(await get(path), { status: 404, json: { code: 'resource.not_found' } }, path)
  await node.makeOrg('rival')
  const rival = await node.createKey(['messages:read'], 'rival')
  const ofRival = (path: string) => node.mgmt('GET', path, { token: rival })
  t.equal((await ofRival(`${agents}/${agent.id}/turns/${id}`)).status, 404)
  t.equal((await ofRival(`/v1/orgs/rival/agents/${agent.id}/turns/${id}`)).status, 404)
  await clock.advance(kept.retentionMs - 1)
  t.equal(ids(await get(`/${agent.id}/turns?start=0`)).length, 1)
  await clock.advance(1)
  t.same(ids(await get(`/${agent.id}/turns?start=0`)), [])
  t.equal((await get(`/${agent.id}/turns/${id}`)).status, 404, 'removed or not')
})

t.test('R58: a new agent with the id of a deleted one does not show its turns', async (t) => {
  const agent = await agentOf(t)
  const id = await agent.add('kit')
  t.equal((await node.mgmt('DELETE', `${agents}/${agent.id}`, { token: node.key })).status, 204)
  t.equal((await get(`/${agent.id}/turns`)).status, 404)
  await clock.advance(1)
  await agentOf(t, agent.id)
  t.same(ids(await get(`/${agent.id}/turns?start=0`)), [])
  t.equal((await get(`/${agent.id}/turns/${id}`)).status, 404)
})

t.test('R58: turns need messages:read, and a viewer is enough', async (t) => {
  const agent = await agentOf(t)
  const id = await agent.add('jo')
  for (const path of [`/${agent.id}/turns`, `/${agent.id}/turns/${id}`]) {
    t.equal((await get(path, await node.createKey(['messages:read']))).status, 200)
    t.equal((await get(path, await node.createKey(['agents:read', 'people:read']))).status, 403)
    t.equal((await get(path, await node.createSession('viewer'))).status, 200)
    t.equal((await get(path, 'none')).status, 401)
  }
})

t.test('R58: a page token goes on where its page ended, opens only its list, and a changed one nothing', async (t) => {
  const [agent, other] = [await agentOf(t), await agentOf(t)]
  const turnIds: string[] = []
  for (let nth = 0; nth < 5; nth++) {
    turnIds.unshift(await agent.add('flo'))
    await clock.advance(1)
  }
  const first = await get(`/${agent.id}/turns?limit=2`)
  t.same(ids(first), turnIds.slice(0, 2))
  await agent.add('flo')
  await clock.advance(traffic.windowMs)
  const token: string = first.json.nextPageToken
  const second = await get(`/${agent.id}/turns?limit=3&pageToken=${token}`)
  t.same(ids(second), turnIds.slice(2), 'the last 24 hours are those of the first page')
  t.equal(second.json.nextPageToken, undefined)
  const changed = (token[0] === 'A' ? 'B' : 'A') + token.slice(1)
  const wrong = [`pageToken=${changed}`, 'pageToken=none', `state=cut&pageToken=${token}`, `start=1&pageToken=${token}`]
  for (const query of [...wrong, `includeTest=true&pageToken=${token}`]) {
    const { status, json } = await get(`/${agent.id}/turns?${query}`)
    t.equal(status, 422, query)
    t.match(json, { code: 'request.invalid', errors: [{ field: 'pageToken' }] })
  }
  for (const path of [`/${other.id}/turns`, `/${agent.id}/messages`])
    t.equal((await get(`${path}?pageToken=${token}`)).status, 422, path)
})

t.test('R58: a value outside its vocabulary is 422 and named', async (t) => {
  const agent = await agentOf(t)
  const wrong = [
    ...['state=done', 'warning=loud', 'includeTest=maybe', 'limit=0', `limit=${limits.maxRows + 1}`, 'userId='],
    ...['playbookId=', 'sessionId=', 'start=soon', 'end=2030-13-01', 'type=content', 'pageToken='],
  ]
  for (const query of wrong) {
    const { status, json } = await get(`/${agent.id}/turns?${query}`)
    t.equal(status, 422, query)
    t.equal(json.errors[0].field, query.slice(0, query.indexOf('=')), query)
  }
  t.equal((await get(`/${agent.id}/turns?limit=${limits.maxRows}`)).status, 200)
  t.equal((await get('/nobody/turns')).status, 404)
})
