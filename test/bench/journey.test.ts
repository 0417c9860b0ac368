/** The journey scenarios stand on what a node really does: what it writes, what it finds again, and who is called. */
import t from 'tap'
import { call } from '../../bench/harness/api.js'
import { withMemory } from '../../bench/harness/load/timeline.js'
import { readOptions } from '../../bench/harness/options.js'
import { scenarios } from '../../bench/harness/scenarios.js'
import { fill } from '../../bench/scenarios/journey/fill.js'
import { agentId, bodyOf, filledPhoneOf, step } from '../../bench/scenarios/journey/fixtures.js'
import {
  callsOf,
  type NodeSetup,
  newNodeSetup,
  setUpAgent,
  startJourneyNode,
} from '../../bench/scenarios/journey/node.js'
import { example, recordsOf } from '../../bench/scenarios/journey/records.js'
import { shards } from '../../bench/scenarios/store/settings.js'
import type { Change, Table } from '../../runtime/store/contract.js'
import { table } from '../../runtime/store/contract.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { encodeWrites } from '../../runtime/store/space.js'

const timeScale = 0.001

/** Everything on the disk, by where it lies. */
async function rowsOf(dir: string): Promise<Map<string, Change>> {
  const store = await openStore({ dir, shards, durability: 'synced' })
  const rows = new Map<string, Change>()
  for (let shard = 0; shard < shards; shard++) {
    for (const row of store.space(shard).rows(undefined, 100_000)) {
      // What a range gives may be memory of the store, which goes when it closes.
      const [key, value] = [Buffer.from(row.key), Buffer.from(row.value!)]
      rows.set(`${shard} ${key.toString('hex')}`, { key, value })
    }
  }
  await store.close()
  return rows
}

/** The table of a row, and how many bytes its key and its record have. */
function shapeOf({ key, value }: Change): [name: string, keyBytes: number, valueBytes: number] {
  const name = key.toString('latin1', 1, key.indexOf(0))
  return [name, key.length, value!.length]
}

async function withNode<T>(setup: NodeSetup, use: (node: Awaited<ReturnType<typeof startJourneyNode>>) => Promise<T>) {
  const node = await startJourneyNode(setup, { timeScale })
  try {
    return await use(node)
  } finally {
    await node.stop()
  }
}

t.test('The limit writes as many records of the same sizes as a node does for an acceptance', async (t) => {
  process.env.BENCH_SCRATCH = t.testdir()
  const setup = newNodeSetup()
  const { path, keys } = await withNode(setup, async (node) => callsOf(await setUpAgent(node), 1))
  const post = (profile: number) =>
    withNode(setup, ({ url }) => call('POST', `${url}${path}`, keys[0]!, JSON.parse(bodyOf(profile))))
  // The first of an agent also sets its timers, which the others find set.
  t.match(await post(1), { outcome: 'queued' })
  const before = await rowsOf(setup.dir)
  t.match(await post(2), { outcome: 'queued' })
  const wrote = [...(await rowsOf(setup.dir))]
    .filter(([where, { value }]) => !before.get(where)?.value?.equals(value!))
    .filter(([, { key }]) => key.includes(agentId))
    .map(([, row]) => shapeOf(row))
  t.match(JSON.parse(bodyOf(2)), example, 'it is about the same call')
  const expected = recordsOf(example, 0, Date.now()).map(([[name, ...key], value]) => {
    const of = table(String(name)) as unknown as Table<never, unknown>
    return shapeOf(encodeWrites([{ table: of, key, value } as never])[0]!)
  })
  t.same(wrote.sort(), expected.sort())
})

t.test('People and sends that prefill a disk are found as if the node had accepted them', async (t) => {
  process.env.BENCH_SCRATCH = t.testdir()
  const setup = newNodeSetup()
  const calls = await withNode(setup, async (node) => {
    const furnished = await setUpAgent(node)
    return { agent: furnished.agent, ...(await callsOf(furnished, 1)) }
  })
  await fill(setup, calls.agent, 30)
  await withNode(setup, async ({ url, key }) => {
    const at = `${url}/v1/orgs/demo/agents/${calls.agent.agentId}`
    const { data: people } = await call('GET', `${at}/people?limit=100`, key)
    t.equal(people.length, 30)
    const body = { profile: { phone: filledPhoneOf(7) }, journey: { ...step, instanceId: 'past-0000000007' } }
    const repeated = await call('POST', `${url}${calls.path}`, calls.keys[0]!, body)
    t.equal(repeated.outcome, 'duplicate')
    const status = await call('GET', `${at}/integrations/journey/sends/${repeated.sendId}`, key)
    t.match(status, { state: 'sent', final: true, delivered: true })
    const next = { ...body, journey: { ...step, instanceId: 'now' }, inputs: { plan: 'x', renewsOn: 'y' } }
    const changed = await call('POST', `${url}${calls.path}`, calls.keys[0]!, next)
    t.match(changed, { outcome: 'queued', personId: repeated.personId }, 'and the person is the same')
    const { data: sends } = await call('GET', `${at}/outreach/sends?personId=${repeated.personId}`, key)
    t.same(
      sends.map(({ sendId }: { sendId: string }) => sendId),
      [changed.sendId, repeated.sendId],
    )
  })
})

t.test('A name selects all scenarios that begin with it', async (t) => {
  const scenariosNamed = (...line: string[]) => readOptions(line, scenarios).scenarios.map(({ name }) => name)
  t.same(scenariosNamed('journey'), ['journey', 'journey-budget', 'journey-cluster'])
  t.same(scenariosNamed('journey-budget'), ['journey-budget'])
})

t.test('A slice of a window has the memory measured in it, or the last measured before', async (t) => {
  const slices = [1, 2, 3].map((atSeconds) => ({ atSeconds, rate: 1 }))
  t.same(
    withMemory(slices, [10, 20]).map(({ residentBytes }) => residentBytes),
    [10, 20, 20],
  )
  t.same(withMemory(slices, []), slices)
})
