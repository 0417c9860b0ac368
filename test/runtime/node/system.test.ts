/**
 * What those who run the installation see and ask of it: where shards are, moving one, and what is measured of them.
 */
import t from 'tap'
import { scopes } from '../../../core/access.js'
import { refuse } from '../../../core/errors.js'
import { settings } from '../../../core/limits/index.js'
import { createMetrics } from '../../../runtime/observe/metrics.js'
import type { Engine } from '../../../runtime/shard/contract.js'
import { createShardMetrics } from '../../../runtime/shard/metrics.js'
import { waitUntil } from '../../harness/clock.js'
import { openTestNode } from '../../harness/node.js'
import { startNode, testKey } from '../../harness/process.js'
import { hang, openReceiver } from '../../harness/receiver.js'
import { shardMap } from '../../harness/shardmap.js'

// A real node starts here, on a machine that may be busy.
t.setTimeout(120_000)

const list = '/v1/system/shards'

/** The value of one series in a scrape; undefined when it is not there. */
function seriesValue(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

/** The values of all series of one metric. */
function metricValues(text: string, metric: string): number[] {
  const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`))
  return lines.map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
}

t.test('A single node owns every shard, and reports its host and its roles', async (t) => {
  const node = await openTestNode({
    env: { PARLEY_SHARDS: '4', PARLEY_ROLES: 'mgmt,shards', PARLEY_PUBLIC_GATEWAY_URL: 'https://gateway.test' },
  })
  t.teardown(() => node.close())
  const { status, json } = await node.mgmt('GET', list, { token: node.key })
  t.equal(status, 200)
  t.match(json.nodes, [{ id: 'embedded', host: /./, roles: ['mgmt', 'shards'], keepsShards: true, leaving: false }])
  t.same(
    json.data.map(({ shard }: { shard: number }) => shard),
    [0, 1, 2, 3],
  )
  const commits = json.data.map(({ last }: { last: number }) => last)
  t.ok(Math.max(...commits) > 0, 'the first start was committed')
  for (const { owner, epoch, last, copies, ...rest } of json.data) {
    t.equal(owner, 'embedded')
    t.equal(epoch, 1)
    t.same(copies, { embedded: last })
    t.same(Object.keys(rest), ['shard'], 'and it is pinned nowhere')
  }
  const refused = await node.mgmt('PUT', `${list}/3/node`, { token: node.key, json: { node: 'n2' } })
  t.equal(refused.status, 422, 'there is nowhere else to go')
  t.equal(refused.json.code, 'request.invalid')
  t.equal(refused.json.errors[0].field, 'node')
})

t.test('Only a system operator may use the system routes, whatever role and scopes other keys have', async (t) => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  const routes = node.node.planes.mgmt.routes.filter(({ access }) => access.who === 'sysop')
  t.ok(routes.length >= 2, 'there are such routes')
  const others = [await node.createKey([...scopes]), await node.createSession('admin')]
  for (const { method, path, body } of routes) {
    for (const token of others) {
      const target = `/v1${path.replace(/\{\w+\}/g, '0')}`
      const { status, json } = await node.mgmt(method, target, { token, json: body && { node: null } })
      t.equal(status, 403, `${method} ${path}`)
      t.equal(json.code, 'auth.forbidden')
    }
  }
})

t.test('The list shows every shard and node as the engine knows them', async (t) => {
  const map = shardMap(2)
  map.status[1] = { shard: 1, epoch: 7, last: 12, copies: { n2: 9 }, pinned: 'n3' }
  map.nodes[1] = { id: 'n2', keepsShards: false, leaving: true, info: {} }
  const node = await openTestNode({ wrapShards: map.between })
  t.teardown(() => node.close())
  const { json } = await node.mgmt('GET', list, { token: node.key })
  t.strictSame(json, {
    data: map.status,
    nodes: [
      {
        id: 'n1',
        host: 'host-1',
        address: 'host-1:8081',
        roles: ['gateway', 'mgmt', 'shards'],
        keepsShards: true,
        leaving: false,
      },
      { id: 'n2', roles: [], keepsShards: false, leaving: true },
      {
        id: 'n3',
        host: 'host-3',
        address: 'host-3:8081',
        roles: ['gateway', 'mgmt', 'shards'],
        keepsShards: true,
        leaving: false,
      },
    ],
  })
})

t.test('A shard is moved or unpinned, the reply shows the result, and the log the actor', async (t) => {
  const map = shardMap(4)
  const node = await openTestNode({ env: { PARLEY_SHARDS: '4' }, wrapShards: map.between })
  t.teardown(() => node.close())
  const put = (shard: string, json: unknown) =>
    node.mgmt('PUT', `${list}/${shard}/node`, { token: node.key, json, headers: { 'x-request-id': 'req-1' } })

  const moved = await put('3', { node: 'n2' })
  t.equal(moved.status, 200)
  t.strictSame(moved.json, { ...map.status[3], pinned: 'n2' }, 'pinned already, owned as before')
  map.status[3] = { ...map.status[3]!, owner: 'n2', pinned: 'n2' }
  const released = await put('3', { node: null })
  t.equal(released.status, 200)
  t.equal(released.json.owner, 'n2')
  t.notOk('pinned' in released.json)
  t.same(map.moves, [
    [3, 'n2'],
    [3, undefined],
  ])
  const logged = node.logged.filter(({ event }) => event === 'system.shard.moved')
  t.match(logged, [
    { shard: 3, node: 'n2', by: /^key_/, requestId: 'req-1' },
    { shard: 3, node: null },
  ])

  for (const shard of ['4', '99999', '03', '1.5', '-1', '1e0', 'x']) {
    const { status, json } = await put(shard, { node: 'n2' })
    t.equal(status, 404, `there is no shard ${shard}`)
    t.equal(json.code, 'resource.not_found')
  }
  for (const body of [{}, { node: 1 }, { node: '' }, { node: 'n2', force: true }]) {
    t.equal((await put('0', body)).status, 422, JSON.stringify(body))
  }
  map.refusal = refuse('service.unavailable', { headers: { 'retry-after': '1' } })
  const away = await put('0', { node: 'n2' })
  t.equal(away.status, 503)
  t.equal(away.headers['retry-after'], '1')
  t.equal(map.moves.length, 2, 'no refused move was made')
})

t.test('Metrics show this node’s state of each shard, from one inspection of the engine', async (t) => {
  const map = shardMap(3)
  const node = await openTestNode({ env: { PARLEY_SHARDS: '4' }, wrapShards: map.between })
  t.teardown(() => node.close())
  const since = node.clock.now()
  map.here[0] = {
    shard: 0,
    role: 'owner',
    epoch: 4,
    number: 9,
    lagEntries: 0,
    waiting: 17,
    oldestPendingAt: since,
    timerDueAt: since + 500,
  }
  map.here[1] = { shard: 1, role: 'copy', epoch: 6, number: 9, lagEntries: 5, waiting: 0, timerDueAt: since + 60_000 }
  map.here[2] = { shard: 2, role: 'none', epoch: 0, number: 0, lagEntries: 0, waiting: 0 }
  await node.clock.advance(2_500)
  map.reads = 0
  const { text } = await node.mgmt('GET', '/metrics')
  t.equal(map.reads, 1)
  const expected: Record<string, number[]> = {
    parley_shard_owner: [1, 0, 0, 0],
    parley_shard_epoch: [4, 6, 0, 0],
    parley_shard_mailbox_commands: [17, 0, 0, 0],
    parley_shard_lag_entries: [0, 5, 0, 0],
    parley_shard_outbox_age_seconds: [2.5, 0, 0, 0],
    parley_shard_timer_late_seconds: [2, 0, 0, 0],
  }
  for (const [metric, values] of Object.entries(expected)) {
    t.same(
      values.map((_, shard) => seriesValue(text, `${metric}{shard="${shard}"}`)),
      values,
      `${metric}, with a last shard that is not open yet`,
    )
    t.match(text, `# TYPE ${metric} gauge`)
  }
  t.equal(seriesValue(text, 'parley_cluster_nodes'), 3)
  t.equal(seriesValue(text, 'parley_shards_owned'), 1)
  t.equal(seriesValue(text, 'parley_shards_copied'), 1)

  map.here[0] = { ...map.here[0]!, role: 'copy', epoch: 5, oldestPendingAt: undefined }
  map.nodes.pop()
  const later = (await node.mgmt('GET', '/metrics')).text
  t.equal(seriesValue(later, 'parley_shard_owner{shard="0"}'), 0, 'the next scrape looks anew')
  t.equal(seriesValue(later, 'parley_shard_epoch{shard="0"}'), 5)
  t.equal(seriesValue(later, 'parley_shard_outbox_age_seconds{shard="0"}'), 0)
  t.equal(seriesValue(later, 'parley_cluster_nodes'), 2)
})

t.test('The maximum number of shards have a series each, still from one inspection', async (t) => {
  const map = shardMap(settings.shardsMax)
  const metrics = createMetrics()
  const engine = map.between({ inspect: undefined } as unknown as Engine)
  createShardMetrics(metrics, { now: () => 0 }).register(engine, settings.shardsMax)
  const { text } = await metrics.render()
  t.equal(map.reads, 1)
  t.same(
    metricValues(text, 'parley_shard_owner'),
    map.here.map(() => 1),
  )
  t.notMatch(text, /shard="other"/, 'no series is merged with others')
  await metrics.render()
  t.equal(map.reads, 2)

  const without = createMetrics()
  createShardMetrics(without, { now: () => 0 }).register(engine, 0)
  t.notMatch((await without.render()).text, /shard="/, 'a process that keeps no shards has no such series')
})

t.test('The figures of a real node change with its work', async (t) => {
  const [node, receiver] = [await startNode({ PARLEY_SHARDS: '4', PARLEY_EMULATOR: 'false' }), await openReceiver(t)]
  t.teardown(() => node.clean())
  receiver.setBehavior('/slow', hang)
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(`${node.mgmt}/v1/orgs/demo${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const scrape = async () => (await fetch(`${node.mgmt}/metrics`)).text()

  const before = await scrape()
  t.equal(seriesValue(before, 'parley_shards_owned'), 4)
  t.equal(seriesValue(before, 'parley_cluster_nodes'), 1)
  t.same(metricValues(before, 'parley_shard_owner'), [1, 1, 1, 1])
  t.same(metricValues(before, 'parley_shard_outbox_age_seconds'), [0, 0, 0, 0])
  t.equal((await post('/webhooks', { url: receiver.url('/slow'), events: ['api_key.created'] })).status, 201)
  const made = await Promise.all(Array.from({ length: 20 }, (_, at) => post('/api-keys', { name: `key ${at}` })))
  t.same(
    made.map(({ status }) => status),
    made.map(() => 201),
  )

  await waitUntil(() => receiver.at('/slow').length > 0)
  await waitUntil(async () => Math.max(...metricValues(await scrape(), 'parley_shard_outbox_age_seconds')) > 0)
  t.pass('an effect that does not end grows old')
  const after = await scrape()
  const grown = (series: string) => seriesValue(after, series)! - seriesValue(before, series)!
  t.ok(grown('parley_shard_commands_total') >= 21, 'every command was counted')
  t.ok(grown('parley_shard_commits_total') >= 2, 'in commits')
  t.ok(grown('parley_shard_commits_total') <= grown('parley_shard_commands_total'), 'which they may share')
  for (const histogram of ['parley_shard_commit_commands', 'parley_shard_commit_duration_seconds']) {
    t.equal(seriesValue(after, `${histogram}_count`), seriesValue(after, 'parley_shard_commits_total'), histogram)
    t.ok(grown(`${histogram}_sum`) > 0)
  }
  t.equal(seriesValue(after, 'parley_shard_commit_commands_sum'), seriesValue(after, 'parley_shard_commands_total'))
})
