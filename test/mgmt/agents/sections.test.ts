/** How the sections of an agent's document are kept: what a change writes, what a read decodes, and data of old. */
import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import t from 'tap'
import { type AgentDocument, emptyDocument, listSections, type Section } from '../../../core/agent/index.js'
import { formatAgentKey } from '../../../core/agentref.js'
import { isRefusal } from '../../../core/errors.js'
import type { OrgEventPayload } from '../../../core/orgevents.js'
import { createDocuments, type EndpointResponse } from '../../../mgmt/agents/documentoperations.js'
import { readItem, readSection, removeSections, writeSection } from '../../../mgmt/agents/sections.js'
import { agentTable } from '../../../mgmt/agents/store.js'
import { readsVoice } from '../../../mgmt/agents/voice.js'
import type { Command, Tx } from '../../../runtime/shard/contract.js'
import { decide } from '../../../runtime/shard/decision.js'
import { createOverlay, type Overlay } from '../../../runtime/shard/overlay.js'
import { type Key, type Reader, type Table, table, type Write } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { encodeWrites } from '../../../runtime/store/space.js'
import { sample, sampleExport } from '../../core/agent/sample.js'
import { openAgentsFixture } from './fixture.js'

const agentRef = { orgId: 'demo', agentId: 'ada' }
const orgEvent: Command<OrgEventPayload, true> = { name: 'test.orgEvent', decide: () => true }
const storedTables = ['agents.sections', 'agents.orders', 'agents.items']

function emptyShard(): Overlay {
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  root.put(agentTable, ['demo', 'ada'], {
    id: 'ada',
    orgId: 'demo',
    incarnation: 1,
    name: 'Ada',
    createdAt: 1,
    updatedAt: 1,
  })
  root.commit()
  return root
}

let commands = 0

/** Decides a write and tells which rows of the sections it wrote, a removed one with a dash before it. */
function write(root: Overlay, endpointName: string, body?: unknown, params: Record<string, string> = {}) {
  const over = createOverlay(Object.assign(root, { encode: encodeWrites }))
  const { commands: own } = createDocuments({ orgEvent })
  const input = { ...agentRef, ifMatch: '', endpointName, request: { params, query: {}, body } }
  const commandId = `c${++commands}`
  const command = own.write as Command<unknown, unknown>
  const moment = { at: 1_000 + commands, monotonicAt: 0, commit: commands, pending: [], outboundCommands: [] }
  const answer = decide(
    over,
    { owner: formatAgentKey(agentRef), command, input, commandId },
    moment,
  ) as EndpointResponse
  if (isRefusal(answer)) throw new Error(`${endpointName}: ${answer.refused} ${JSON.stringify(answer)}`)
  const rows: string[] = []
  for (const name of storedTables) {
    for (const { key, value } of over.writesOf(name)) {
      rows.push(`${value === undefined ? '-' : ''}${name.slice('agents.'.length)} ${key.slice(2).join('/')}`)
    }
  }
  for (const { table, key, value } of [...storedTables, 'agents.head', 'agents'].flatMap((name) => [
    ...over.writesOf(name),
  ])) {
    if (value === undefined) root.remove(table, key)
    else root.put(table, key, value)
  }
  root.commit()
  return rows
}

function view(reader: Reader, endpointName: string, params: Record<string, string> = {}): unknown {
  const answer = createDocuments({ orgEvent }).queries.view.read(reader, {
    ...agentRef,
    endpointName,
    request: { params, query: {} },
  })
  return isRefusal(answer) ? answer.refused : answer.json
}

const fact = (id: string, answer = 'Yes.') => ({ id, question: `Is it ${id}?`, answer })
const idsOf = (listed: unknown) => (listed as { data: { id: string }[] }).data.map(({ id }) => id)

t.test('A change of one item writes only that item', async (t) => {
  const root = emptyShard()
  const rows = write(root, 'PUT /knowledge/facts', { facts: ['a', 'b', 'c'].map((id) => fact(id)) })
  t.strictSame(rows, ['orders facts', 'items facts/a', 'items facts/b', 'items facts/c'])
  const one = { factId: 'b' }
  t.strictSame(write(root, 'PATCH /knowledge/facts/{factId}', { answer: 'No.' }, one), ['items facts/b'])
  t.strictSame(
    write(root, 'PATCH /knowledge/facts/{factId}', { answer: 'No.' }, one),
    [],
    'a write without a change writes no row',
  )
  t.strictSame(write(root, 'POST /knowledge/facts', fact('d')), ['orders facts', 'items facts/d'])
  t.strictSame(write(root, 'DELETE /knowledge/facts/{factId}', undefined, one), ['orders facts', '-items facts/b'])
  t.same(idsOf(view(root, 'GET /knowledge/facts')), ['a', 'c', 'd'])
})

t.test('A list that is sent whole writes its changed items; a new order writes the order only', async (t) => {
  const root = emptyShard()
  write(root, 'PUT /knowledge/facts', { facts: [fact('a'), fact('b'), fact('c')] })
  const put = (...facts: object[]) => write(root, 'PUT /knowledge/facts', { facts })
  t.strictSame(put(fact('c'), fact('b'), fact('a')), ['orders facts'])
  t.same(idsOf(view(root, 'GET /knowledge/facts')), ['c', 'b', 'a'])
  t.strictSame(put(fact('c'), fact('b', 'No.'), fact('a')), ['items facts/b'])
  t.strictSame(put(fact('x'), fact('c'), fact('b', 'No.')), ['orders facts', 'items facts/x', '-items facts/a'])
  t.strictSame(
    put(),
    ['-orders facts', '-items facts/x', '-items facts/c', '-items facts/b'],
    'an empty section has no row',
  )
})

/** A reader that tells which rows were decoded. */
function watchReader(reader: Reader): { reader: Reader; decoded: string[] } {
  const decoded: string[] = []
  const note = (table: Table<never, unknown>, key: readonly unknown[]) =>
    storedTables.includes(table.name) && decoded.push(`${table.name.slice('agents.'.length)} ${key.slice(2).join('/')}`)
  return {
    decoded,
    reader: {
      get(table, key) {
        const value = reader.get(table, key)
        if (value !== undefined) note(table as never, key)
        return value
      },
      *range(table, options) {
        for (const row of reader.range(table, options)) {
          note(table as never, row.key)
          yield row
        }
      },
    },
  }
}

t.test('A read of one item decodes only that item, and a read of a list only that list', async (t) => {
  const root = emptyShard()
  write(root, 'PUT /knowledge/facts', { facts: [fact('a'), fact('b'), fact('c')] })
  write(root, 'POST /playbooks', { name: 'Desk' })
  const one = watchReader(root)
  t.match(view(one.reader, 'GET /knowledge/facts/{factId}', { factId: 'b' }), fact('b'))
  t.strictSame(one.decoded, ['items facts/b'])
  const none = watchReader(root)
  t.equal(view(none.reader, 'GET /knowledge/facts/{factId}', { factId: 'x' }), 'resource.not_found')
  t.strictSame(none.decoded, [])
  const list = watchReader(root)
  t.same(idsOf(view(list.reader, 'GET /knowledge/facts')), ['a', 'b', 'c'])
  t.strictSame(list.decoded, ['orders facts', 'items facts/a', 'items facts/b', 'items facts/c'])
})

const oldTable = table<[string, string, string], unknown>('agents.sections')
const orderTable = table<[string, string, string], readonly string[]>('agents.orders')
const itemTable = table<[string, string, string, string], object>('agents.items')
const listed = Object.keys(listSections) as (keyof typeof listSections)[]

/** As data directories have it that were written when a list was one record. */
function oldShard(): Overlay {
  const root = emptyShard()
  for (const [section, value] of Object.entries(sample)) {
    if (section !== 'identity' && section !== 'draftCampaigns') root.put(oldTable, ['demo', 'ada', section], value)
  }
  root.commit()
  return root
}

t.test('Lists stored as one record are read unchanged, and converted at their next change', async (t) => {
  const root = oldShard()
  const exported = view(oldShard(), 'GET /export')
  t.match(exported, { playbooks: [{ id: 'front-desk' }, { id: 'booking' }, { id: 'invite' }] })
  t.match(view(root, 'GET /playbooks/{playbookId}', { playbookId: 'booking' }), { id: 'booking', name: 'Booking' })
  t.equal(view(root, 'GET /playbooks/{playbookId}', { playbookId: 'none' }), 'resource.not_found')
  const rows = write(root, 'PATCH /playbooks/{playbookId}', { name: 'Visits' }, { playbookId: 'booking' })
  t.strictSame(rows, [
    '-sections playbooks',
    'orders playbooks',
    'items playbooks/front-desk',
    'items playbooks/booking',
    'items playbooks/invite',
  ])
  t.same(root.get(oldTable, ['demo', 'ada', 'playbooks']), undefined)
  t.ok(root.get(oldTable, ['demo', 'ada', 'messageTemplates']), 'unchanged items stay in place')
  const after = view(root, 'GET /export') as { playbooks: { name: string }[] }
  t.same(
    after.playbooks.map(({ name }) => name),
    ['Front desk', 'Visits', 'Invite'],
  )
  const repeated = write(root, 'PATCH /playbooks/{playbookId}', { name: 'Booking' }, { playbookId: 'booking' })
  t.strictSame(repeated, ['items playbooks/booking'])
  t.strictSame(view(root, 'GET /export'), exported, 'and no other row changed')
  t.strictSame(write(oldShard(), 'PUT /rules', { rules: [] }), ['-sections rules'], 'one that is emptied goes')
})

t.test('Whether an agent has a voice is known from the first item that answers', async (t) => {
  const root = emptyShard()
  t.notOk(readsVoice(root, agentRef))
  t.ok(readsVoice(oldShard(), agentRef))
  for (let nth = 0; nth < 20; nth++)
    root.put(itemTable, ['demo', 'ada', 'facts', `f${nth}`], { ...fact(`f${nth}`), enabled: false })
  t.notOk(readsVoice(root, agentRef), 'none of its facts is enabled')
  root.put(itemTable, ['demo', 'other', 'playbooks', 'p'], { id: 'p' })
  t.notOk(readsVoice(root, agentRef), 'another agent answers')
  root.put(itemTable, ['demo', 'ada', 'facts', 'f0'], fact('f0'))
  let decoded = 0
  const counting: Reader = {
    get: (...args) => root.get(...args),
    *range(...args) {
      for (const row of root.range(...args)) {
        decoded++
        yield row
      }
    },
  }
  t.ok(readsVoice(counting, agentRef))
  t.equal(decoded, 1)
})

/** Makes of the lists of every agent in a closed folder the single records that they once were. */
async function ageLists(dir: string): Promise<number> {
  const shards = 16
  const store = await openStore({ dir, shards })
  let aged = 0
  for (let shard = 0; shard < shards; shard++) {
    const space = store.space(shard)
    const writes: Write[] = []
    for (const { key: section, value: order } of space.range(orderTable)) {
      const rows = [...space.range(itemTable, { prefix: section })]
      const items = order.map((id) => rows.find(({ key }) => key[3] === id)?.value)
      writes.push({ table: oldTable as Table<Key, unknown>, key: section, value: items })
      writes.push({ table: orderTable as Table<Key, unknown>, key: section })
      for (const { key } of rows) writes.push({ table: itemTable as Table<Key, unknown>, key })
      aged++
    }
    if (writes.length > 0) await space.commit(space.encode(writes))
  }
  await store.close()
  return aged
}

t.test('A node that starts on old data shows the same agent, and its changes survive a restart', async (t) => {
  const first = await openAgentsFixture()
  t.teardown(() => rm(first.node.dir, { recursive: true, force: true }))
  const { id, call } = await first.agent()
  t.equal((await call('POST', '/import', sampleExport)).status, 200)
  const before = (await call('GET', '/export?format=json')).json
  await first.node.node.close()
  t.ok((await ageLists(first.node.dir)) >= 10, 'there were lists to make old')

  const second = await openAgentsFixture({ dir: first.node.dir })
  const request = second.callAs(first.node.key, id)
  t.strictSame((await request('GET', '/export?format=json')).json, before)
  t.match((await request('GET', '/playbooks/booking')).json, { id: 'booking', name: 'Booking' })
  t.equal((await request('DELETE', '/integrations/crm')).status, 409, 'references hold')
  t.equal((await request('PATCH', '/playbooks/booking', { name: 'Visits' })).status, 200)
  t.equal((await request('POST', '/knowledge/facts', { id: 'new', question: 'New?', answer: 'Yes.' })).status, 201)
  const changed = (await request('GET', '/export?format=json')).json
  await second.node.close()

  const third = await openAgentsFixture({ dir: first.node.dir })
  t.teardown(() => third.node.close())
  const after = (await third.callAs(first.node.key, id)('GET', '/export?format=json')).json
  t.strictSame(after, changed)
  t.strictSame(
    after.playbooks.map(({ name }: { name: string }) => name),
    ['Front desk', 'Visits', 'Invite'],
  )
  t.match(after.capabilities.knowledge.facts, [{ id: 'parking' }, { id: 'new' }])
})

const anyFacts = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'é/', 'd2'), fc.constantFrom('Yes.', 'No.')), {
    selector: ([id]) => id,
  })
  .map((pairs) => pairs.map(([id, answer]) => fact(id, answer)))

t.test('Any list is read as it was written, with exactly one row per item', async () => {
  fc.assert(
    fc.property(fc.array(anyFacts, { minLength: 1, maxLength: 8 }), fc.boolean(), (states, isOld) => {
      const root = emptyShard()
      const tx = root as unknown as Tx
      let was: AgentDocument['facts'] = emptyDocument.facts
      if (isOld) {
        was = [fact('a'), fact('old')]
        root.put(oldTable, ['demo', 'ada', 'facts'], was)
      }
      for (const nextFacts of states) {
        // What says the same is the same, as in every document that is kept.
        const is = nextFacts.map(
          (item) => was.find(({ id, answer }) => id === item.id && answer === item.answer) ?? item,
        )
        writeSection(tx, agentRef, 'facts', was, is)
        const read = readSection(root, agentRef, 'facts') ?? []
        if (JSON.stringify(read) !== JSON.stringify(is)) return false
        for (const id of ['a', 'b', 'old']) {
          const stored = readItem(root, agentRef, 'facts', id)
          if (JSON.stringify(stored) !== JSON.stringify(is.find((item) => item.id === id))) return false
        }
        const rows = [...root.range(itemTable)]
        if (rows.length !== is.length) return false
        was = is
      }
      return true
    }),
  )
})

t.test('A deleted agent leaves no row of any section, old or new', async (t) => {
  const root = oldShard()
  write(root, 'PATCH /playbooks/{playbookId}', { name: 'Visits' }, { playbookId: 'booking' })
  removeSections(root as unknown as Tx, agentRef)
  for (const section of [...listed, 'guardrails', 'personality'] as Section[]) {
    t.equal(readSection(root, agentRef, section), undefined, section)
  }
  for (const name of storedTables) t.same([...root.range(table(name))], [])
})
