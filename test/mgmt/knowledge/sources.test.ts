/** The routes of sources: adding, reading, searching, refreshing and removing them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { formatAgentKey } from '../../../core/agentref.js'
import { agentLimits, knowledge as limits } from '../../../core/limits/index.js'
import { createPassageSearch } from '../../../mgmt/knowledge/passagesearch.js'
import { sourceCommands } from '../../../mgmt/knowledge/sources.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { type ManualClock, waitUntil } from '../../harness/clock.js'
import { openReceiver } from '../../harness/receiver.js'
import { type Call, fieldsOf, openAgentsFixture } from '../agents/fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())
const site = await openReceiver(t)
const sources = '/knowledge/sources'
const noDocuments = undefined as never

const upload = (id: string, query: string, body: string | Uint8Array, type: string, token = fixture.node.key) =>
  fixture.node.mgmt('POST', `/v1/orgs/demo/agents/${id}${sources}${query}`, {
    token,
    body,
    headers: { 'content-type': type },
  })

async function waitForSource(call: Call, id: string) {
  await waitUntil(async () => (await call('GET', `${sources}/${id}`)).json.status !== 'pending')
  return (await call('GET', `${sources}/${id}`)).json
}

const texts = ({ json }: { json: { passages: { text: string }[] } }) => json.passages.map(({ text }) => text)
const search = (call: Call, words: string, more = '') => call('GET', `${sources}?q=${encodeURIComponent(words)}${more}`)

t.test('A text source is ready at once, and its passages are found', async (t) => {
  const { call } = await fixture.agent()
  t.strictSame((await call('GET', sources)).json, { data: [] })
  const made = await call('POST', sources, {
    name: 'Parking & more',
    text: 'Park behind the house.\n\nDogs are welcome.',
  })
  t.equal(made.status, 201)
  const at = new Date(fixture.node.clock.now()).toISOString()
  t.strictSame(made.json, {
    id: 'parking-more',
    name: 'Parking & more',
    kind: 'text',
    createdAt: at,
    updatedAt: at,
    status: 'ready',
    characters: 41,
    passages: 1,
    readAt: at,
  })
  t.strictSame((await call('GET', `${sources}/parking-more`)).json, made.json)
  await call('POST', sources, { id: 'hours', name: 'Hours', text: 'We open at nine.' })
  const results = await search(call, 'where may DOGS go?')
  t.strictSame(results.json.data, [made.json], 'with the sources that they are from')
  t.match(results.json.passages, [{ sourceId: 'parking-more', place: 0, text: /Dogs are welcome/, score: Number }])
  t.same((await search(call, 'zeppelin')).json, { data: [], facts: [], things: [], passages: [] })
  t.equal((await call('GET', '/activity')).json.data[0].action, 'POST /knowledge/sources', 'and it is on record')
})

t.test('A file is uploaded as its content, with its name in the query', async (t) => {
  const { id, call } = await fixture.agent()
  const html = await upload(
    id,
    '?name=page.html',
    '<nav>Menu</nav><h1>Prices</h1><p>Cuts from 30&euro;</p>',
    'text/html; charset=utf-8',
  )
  t.equal(html.status, 201)
  t.match(html.json, { id: 'page-html', kind: 'file', status: 'ready', passages: 1 })
  t.same(texts(await search(call, 'cuts')), ['# Prices\n\nCuts from 30€'])
  t.equal((await upload(id, '?name=p.csv&id=prices', 'what,price\ncolour,80\n', 'text/csv')).json.id, 'prices')
  t.same(texts(await search(call, 'colour')), ['what,price\ncolour,80'])
  t.same(fieldsOf(await upload(id, '', 'x', 'text/plain')), ['name'])
  t.same(fieldsOf(await upload(id, '?name=x', Buffer.from([0xff, 0xfe, 0xfd]), 'text/plain')), ['body'])
  t.equal((await upload(id, '?name=x', '%PDF-1.7', 'application/pdf')).status, 415)
  t.equal((await upload(id, '?name=x', 'x'.repeat(limits.bytes + 1), 'text/plain')).status, 413)
})

t.test('Facts that the agent may use rank before passages; disabled and unconfirmed ones are not found', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', sources, { name: 'House', text: 'The opening hours are nine to five.' })
  const facts = [
    { id: 'hours', question: 'What are the opening hours?', answer: 'Ten to six.' },
    { id: 'parking', question: 'Where can I park?', alternates: ['garage'], answer: 'Behind the house.', exact: true },
    { id: 'old', question: 'What were the opening hours?', answer: 'Eight to four.', enabled: false },
    { id: 'guess', question: 'Opening hours on Sunday?', answer: 'Closed.', confirmed: false },
  ]
  t.equal((await call('PUT', '/knowledge/facts', { facts })).status, 200)
  const { json } = await search(call, 'opening hours')
  t.match(json.facts, [
    { factId: 'hours', question: 'What are the opening hours?', answer: 'Ten to six.', exact: false },
  ])
  t.equal(json.facts.length, 1)
  t.match(json.passages, [{ text: 'The opening hours are nine to five.' }])
  t.match((await search(call, 'is there a garage')).json.facts, [{ factId: 'parking', exact: true }])
  t.same((await search(call, 'breakfast')).json.facts, [])
})

t.test('R41: Facts, things and passages are one search, each ranked by itself and in this order', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', sources, { name: 'House', text: 'Bikes are kept in the cellar. Helmets hang beside them.' })
  const facts = [
    { id: 'bikes', question: 'Do you rent bikes?', answer: 'Yes, with helmets.', scope: { playbooks: [] } },
  ]
  t.equal((await call('PUT', '/knowledge/facts', { facts })).status, 200)
  const things = [
    { id: 'lock', name: 'Lock', description: 'For a bike.' },
    { id: 'city', name: 'City bike', description: 'A helmet comes with it.', metadata: { color: 'teal' } },
    { id: 'tent', name: 'Tent' },
  ]
  t.equal((await call('PUT', '/knowledge/things', { things })).status, 200)
  const { json } = await search(call, 'is there a bike')
  t.same(Object.keys(json), ['data', 'facts', 'things', 'passages'])
  t.match(json.facts, [{ factId: 'bikes', score: Number }], 'a fact is found whatever its scope')
  t.strictSame(
    json.things.map(({ thingId, name }: { thingId: string; name: string }) => [thingId, name]),
    [
      ['city', 'City bike'],
      ['lock', 'Lock'],
    ],
    'the name tells more than the description',
  )
  t.ok(json.things[0].score > json.things[1].score)
  t.match(json.passages, [{ text: /^Bikes are kept/ }], 'other forms of a word are found too')
  t.same((await search(call, 'teal')).json.things[0].thingId, 'city', 'by its metadata')
  t.equal((await search(call, 'bike', '&limit=1')).json.things.length, 1)
})

t.test('R41: A search sees every change of facts and things that was answered before it', async (t) => {
  const { id, call } = await fixture.agent()
  const fact = { id: 'a', question: 'Where is the heron?', answer: 'At the lake.' }
  const idsOf = async (words: string) => {
    const { json } = await search(call, words)
    return [...json.facts, ...json.things].map(({ factId, thingId }) => factId ?? thingId)
  }
  t.equal((await call('PUT', '/knowledge/facts', { facts: [fact] })).status, 200)
  t.same([await idsOf('heron'), await idsOf('heron')], [['a'], ['a']])
  t.equal((await call('PATCH', '/knowledge/facts/a', { question: 'Where is the otter?' })).status, 200)
  t.same([await idsOf('heron'), await idsOf('otter')], [[], ['a']])
  t.equal((await call('PUT', '/knowledge/things', { things: [{ id: 'b', name: 'Otter' }] })).status, 200)
  t.same(await idsOf('otter'), ['a', 'b'])
  t.equal((await call('DELETE', '')).status, 204)
  t.equal((await call('GET', `${sources}?q=otter`)).status, 404)
  await fixture.node.mgmt('POST', '/v1/orgs/demo/agents', { token: fixture.node.key, json: { name: 'Again', id } })
  t.same(await idsOf('otter'), [], 'and a later agent of the same id has none of them')
})

t.test('R43: Passages are searched for other parts of a node as for the route', async (t) => {
  const { id, call } = await fixture.agent()
  await call('POST', sources, { id: 'a', name: 'A', text: 'Dogs sleep for free.' })
  await call('POST', sources, { id: 'b', name: 'B', text: 'A dog or two.\n\nCats.' })
  // The query is found by its name.
  const { queries } = sourceCommands(noDocuments)
  const searchPassages = createPassageSearch({ queries })(fixture.node.node.engine)
  const agent = { orgId: 'demo', agentId: id }
  const found = await searchPassages(agent, 'may my dog come?', 1)
  t.same(found, (await search(call, 'may my dog come?', '&limit=1')).json.passages)
  t.match(found, [{ sourceId: String, place: 0, text: /dog/i, score: Number }])
  t.match(await searchPassages({ ...agent, agentId: 'nobody' }, 'dog', 1), { refused: 'resource.not_found' })
})

t.test('Every rule of a source names its field', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', sources, { id: 'taken', name: 'Taken', text: 'x' })
  const long = 'x'.repeat(agentLimits.sources.nameChars)
  t.equal((await call('POST', sources, { name: long, text: 'x' })).status, 201)
  for (const [body, field] of [
    [{ text: 'x' }, 'name'],
    [{ name: 'A' }, 'text'],
    [{ name: 'A', text: 'x', url: 'https://a.example/' }, 'text'],
    [{ name: 'A', text: ' \n ' }, 'text'],
    [{ name: 'A', text: 'a\0b' }, 'text'],
    [{ name: `${long}x`, text: 'x' }, 'name'],
    [{ name: 'A', text: 'x', id: 'Not a slug' }, 'id'],
    [{ name: 'A', text: 'x', id: 'taken' }, 'id'],
    [{ name: 'A', url: 'ftp://a.example' }, 'url'],
    [{ name: 'A', url: 'https://user:pass@a.example/' }, 'url'],
    [{ name: 'A', text: 'x', kind: 'text' }, 'kind'],
    [{ name: 'A', text: 'y'.repeat(limits.textChars + 1) }, 'text'],
  ] as const) {
    const refused = await call('POST', sources, body)
    t.equal(refused.status, 422, field)
    t.same(fieldsOf(refused), [field])
  }
  for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', {}]] as const) {
    t.equal((await call(method, `${sources}/none`, body)).status, 404)
  }
  t.same(fieldsOf(await call('PATCH', `${sources}/taken`, { url: 'https://a.example/' })), ['url'])
  t.same(fieldsOf(await call('PATCH', `${sources}/taken`, { refresh: true })), ['refresh'])
  t.same(fieldsOf(await call('GET', `${sources}?q=`)), ['q'])
})

t.test('A replacement text is found, and the replaced one is not', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', sources, { id: 'a', name: 'A', text: 'The heron opens at nine.' })
  await call('POST', sources, { id: 'b', name: 'B', text: 'The otter never opens.' })
  await fixture.node.clock.advance(1_000)
  const changed = await call('PATCH', `${sources}/a`, { name: 'Again', text: 'The bittern opens at ten.' })
  t.match(changed.json, { name: 'Again', status: 'ready', characters: 25 })
  t.not(changed.json.updatedAt, changed.json.createdAt)
  t.same(texts(await search(call, 'heron')), [])
  t.same(texts(await search(call, 'bittern')), ['The bittern opens at ten.'])
  t.same(texts(await search(call, 'otter')), ['The otter never opens.'])
  t.equal((await search(call, 'opens', '&limit=1')).json.passages.length, 1)
})

t.test('A url is fetched after it was added, and a new fetch replaces the content', async (t) => {
  const { call } = await fixture.agent()
  let body = '<p>The kingfisher is blue.</p>'
  site.setBehavior('/page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(body))
  site.setBehavior('/moved', (response) => response.writeHead(302, { location: '/page' }).end())
  const made = await call('POST', sources, { id: 'page', name: 'Page', url: site.url('/moved') })
  t.equal(made.status, 201)
  t.match(made.json, { status: 'pending', kind: 'url', url: site.url('/moved'), passages: 0 })
  t.match(await waitForSource(call, 'page'), { status: 'ready', passages: 1 })
  t.same(texts(await search(call, 'kingfisher')), ['The kingfisher is blue.'])
  body = '<p>The kingfisher has gone green.</p>'
  t.match((await call('PATCH', `${sources}/page`, { refresh: true })).json, { status: 'pending', passages: 1 })
  await waitForSource(call, 'page')
  t.same(texts(await search(call, 'kingfisher')), ['The kingfisher has gone green.'])
  t.same(texts(await search(call, 'blue')), [])
  t.same(fieldsOf(await call('PATCH', `${sources}/page`, { text: 'x' })), ['text'])
})

t.test('An unchanged page is not sent again, and another url is fetched anew', async (t) => {
  const { call } = await fixture.agent()
  site.setBehavior('/v', (response, nth) => {
    if (nth > 1) return void response.writeHead(304).end()
    const headers = { 'content-type': 'text/plain', etag: '"one"', 'last-modified': 'Mon, 01 Jan 2029 00:00:00 GMT' }
    response.writeHead(200, headers).end('The egret.')
  })
  site.setBehavior('/w', (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('The ibis.'))
  await call('POST', sources, { id: 'v', name: 'V', url: site.url('/v') })
  await waitForSource(call, 'v')
  await fixture.node.clock.advance(60_000)
  await call('PATCH', `${sources}/v`, { refresh: true })
  const repeated = await waitForSource(call, 'v')
  t.match(repeated, { status: 'ready', passages: 1, readAt: new Date(fixture.node.clock.now()).toISOString() })
  const [first, second] = site.at('/v')
  t.notOk(first!.headers['if-none-match'])
  t.match(second!.headers, { 'if-none-match': '"one"', 'if-modified-since': 'Mon, 01 Jan 2029 00:00:00 GMT' })
  t.same(texts(await search(call, 'egret')), ['The egret.'])
  t.match((await call('PATCH', `${sources}/v`, { url: site.url('/w') })).json, { status: 'pending' })
  await waitForSource(call, 'v')
  t.notOk(site.at('/w')[0]!.headers['if-none-match'])
  t.same(texts(await search(call, 'egret ibis')), ['The ibis.'])
})

t.test('A page that cannot be read reports the reason, and its earlier content stays', async (t) => {
  const { call } = await fixture.agent()
  let mode: 'good' | 'gone' | 'picture' | 'long' = 'good'
  site.setBehavior('/f', (response) => {
    if (mode === 'gone') return void response.writeHead(410).end('secret words')
    const type = mode === 'picture' ? 'image/png' : 'text/plain'
    response.writeHead(200, { 'content-type': type }).end(mode === 'long' ? 'x '.repeat(limits.bytes) : 'The grebe.')
  })
  await call('POST', sources, { id: 'f', name: 'F', url: site.url('/f') })
  await waitForSource(call, 'f')
  for (const [next, reason] of [
    ['gone', 'The page answered with status 410.'],
    ['picture', /^The page is of a type that is not read/],
    ['long', 'The answer is larger than is read.'],
  ] as const) {
    mode = next
    await call('PATCH', `${sources}/f`, { refresh: true })
    t.match(await waitForSource(call, 'f'), { status: 'failed', reason, passages: 1 })
    t.same(texts(await search(call, 'grebe')), ['The grebe.'])
  }
  mode = 'good'
  await call('PATCH', `${sources}/f`, { refresh: true })
  const good = await waitForSource(call, 'f')
  t.equal(good.status, 'ready')
  t.notOk('reason' in good)
  await call('POST', sources, { id: 'no', name: 'No', url: 'http://nowhere.invalid/' })
  t.match(await waitForSource(call, 'no'), {
    status: 'failed',
    reason: 'The host name could not be resolved.',
    passages: 0,
  })
})

t.test('The result of an outdated fetch, or of a deleted source, is dropped', async (t) => {
  const { call } = await fixture.agent()
  const pendingResponses: (() => void)[] = []
  site.setBehavior('/slow', (response, nth) => {
    pendingResponses.push(() => response.writeHead(200, { 'content-type': 'text/plain' }).end(`Answer number ${nth}.`))
  })
  await call('POST', sources, { id: 's', name: 'S', url: site.url('/slow') })
  await waitUntil(() => pendingResponses.length === 1)
  await call('PATCH', `${sources}/s`, { refresh: true })
  await waitUntil(() => pendingResponses.length === 2)
  pendingResponses[1]!()
  await waitForSource(call, 's')
  pendingResponses[0]!()
  await call('POST', sources, { id: 'later', name: 'Later', url: site.url('/page') })
  await waitForSource(call, 'later')
  t.same(texts(await search(call, 'number')), ['Answer number 2.'])
  await call('PATCH', `${sources}/s`, { refresh: true })
  await waitUntil(() => pendingResponses.length === 3)
  t.equal((await call('DELETE', `${sources}/s`)).status, 204)
  t.equal((await call('POST', sources, { id: 's', name: 'S again', url: site.url('/slow') })).status, 201)
  await waitUntil(() => pendingResponses.length === 4)
  pendingResponses[2]!()
  await call('PATCH', `${sources}/later`, { refresh: true })
  await waitForSource(call, 'later')
  t.same(texts(await search(call, 'number')), [], 'also where there is another source of its id')
  pendingResponses[3]!()
  await waitForSource(call, 's')
  t.same(texts(await search(call, 'number')), ['Answer number 4.'])
})

t.test('The number of passages of an agent’s sources is bounded', async (t) => {
  const { id, call } = await fixture.agent()
  const agentRef = { orgId: 'demo', agentId: id }
  const lengths = new Array<number>(limits.passagesPerAgent - 1).fill(1)
  const content = { passages: [], words: [], characters: 1, lengths }
  const full = { ...agentRef, id: 'full', name: 'Full', kind: 'text', content, ifMatch: '' }
  // Asked by its name: a text of that many passages would take long to write.
  const add: Command<typeof full, unknown> = { name: 'knowledge.add', decide: () => t.fail('it is found by its name') }
  t.match(await fixture.node.node.engine.execute(formatAgentKey(agentRef), add, full), { json: { status: 'ready' } })
  const two = `${'x '.repeat(450)}\n\n${'y '.repeat(450)}`
  const refused = await call('POST', sources, { name: 'More', text: two })
  t.equal(refused.status, 422)
  t.same(fieldsOf(refused), ['text'])
  t.equal((await call('GET', sources)).json.data.length, 1, 'and nothing was stored')
  site.setBehavior('/two', (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(two))
  await call('POST', sources, { id: 'two', name: 'Two', url: site.url('/two') })
  t.match(await waitForSource(call, 'two'), {
    status: 'failed',
    reason: /^The page would give the agent more than 20000 passages/,
  })
  t.equal((await call('POST', sources, { name: 'One', text: 'x' })).status, 201)
  t.equal((await call('DELETE', `${sources}/full`)).status, 204)
  t.equal((await call('POST', sources, { name: 'More', text: two })).status, 201)
})

t.test('Lists are paged, and an outdated If-Match writes nothing', async (t) => {
  const { call } = await fixture.agent()
  for (const nth of [1, 2, 3, 4, 5]) await call('POST', sources, { id: `s${nth}`, name: 'S', text: 'x' })
  const first = await call('GET', `${sources}?limit=2`)
  t.same(
    first.json.data.map(({ id }: { id: string }) => id),
    ['s1', 's2'],
  )
  await call('DELETE', `${sources}/s2`)
  const second = await call('GET', `${sources}?limit=2&pageToken=${first.json.nextPageToken}`)
  t.same(
    second.json.data.map(({ id }: { id: string }) => id),
    ['s3', 's4'],
    'even if its last item was deleted',
  )
  const third = await call('GET', `${sources}?limit=2&pageToken=${second.json.nextPageToken}`)
  t.same(
    third.json.data.map(({ id }: { id: string }) => id),
    ['s5'],
  )
  t.notOk('nextPageToken' in third.json)
  t.same(fieldsOf(await call('GET', `${sources}?pageToken=forged`)), ['pageToken'])
  const stale = { 'if-match': first.headers.etag! }
  t.equal((await call('PATCH', `${sources}/s1`, { text: 'y' }, stale)).status, 412)
  t.equal((await call('DELETE', `${sources}/s1`, undefined, stale)).status, 412)
  t.equal((await call('GET', `${sources}/s1`)).json.characters, 1)
})

t.test('Sources need the scopes of knowledge, and those of another agent are not found', async (t) => {
  const { id } = await fixture.agent()
  const other = await fixture.agent()
  const reader = fixture.callAs(await fixture.node.createKey(['knowledge:read']), id)
  const writer = fixture.callAs(await fixture.node.createKey(['knowledge:write']), id)
  const agents = fixture.callAs(await fixture.node.createKey(['agents:write']), id)
  t.equal((await reader('GET', sources)).status, 200)
  t.equal((await reader('POST', sources, { name: 'A', text: 'x' })).json.code, 'auth.scope_missing')
  t.equal((await agents('GET', sources)).json.code, 'auth.scope_missing')
  t.equal((await writer('POST', sources, { id: 'a', name: 'A', text: 'The shrike.' })).status, 201)
  t.equal((await writer('GET', `${sources}/a`)).status, 200, 'the write scope implies the read scope')
  t.equal((await other.call('GET', `${sources}/a`)).status, 404)
  t.same((await search(other.call, 'shrike')).json.passages, [])
  t.equal((await fixture.callAs(fixture.node.key, 'nobody')('GET', sources)).status, 404)
})

t.test('A deleted source leaves no row, and neither does a deleted agent', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-sources-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const env = { PARLEY_DATA_DIR: dir, PARLEY_BOOTSTRAP_KEY: 'sk-svc-a-key-that-only-tests-ever-use' }

  async function rows(): Promise<string[]> {
    const store = await openStore({ dir, shards: 16 })
    const results: string[] = []
    for (let shard = 0; shard < 16; shard++) {
      for (const { key } of store.space(shard).rows(undefined, 100_000)) results.push(key.toString('latin1'))
    }
    await store.close()
    return results.filter((key) => key.includes('knowledge.')).sort()
  }

  async function within(run: (call: Call, clock: ManualClock) => Promise<unknown>): Promise<string[]> {
    const other = await openAgentsFixture({ dir, env })
    const key = env.PARLEY_BOOTSTRAP_KEY
    const call = other.callAs(key, 'keeper')
    await other.node.mgmt('POST', '/v1/orgs/demo/agents', { token: key, json: { name: 'Keeper' } })
    await run(call, other.node.clock)
    await other.node.close()
    return rows()
  }

  const text = (words: string) => `${words} `.repeat(400)
  const before = await within((call) => call('POST', sources, { id: 'stays', name: 'S', text: text('heron otter') }))
  t.ok(before.length > 4, 'the rows of a source were found at all')
  const large = Array.from({ length: limits.rowsPerSweep * 2 + 1 }, (_, nth) => `q${nth.toString(36)}`).join(' ')
  const swept = await within(async (call, clock) => {
    await call('POST', sources, { id: 'large', name: 'L', text: `${large} heron` })
    t.same((await search(call, 'q1')).json.passages.length, 1)
    t.equal((await call('DELETE', `${sources}/large`)).status, 204)
    t.same(
      (await search(call, 'q1 heron')).json.data.map(({ id }: { id: string }) => id),
      ['stays'],
      'at once',
    )
    await call('POST', sources, { id: 'large', name: 'L', text: 'qzz' })
    for (let portion = 0; portion < 3; portion++) await clock.advance(1)
    t.same(texts(await search(call, 'qzz q1')), ['qzz'], 'another one of its id is not touched')
    await call('DELETE', `${sources}/large`)
  })
  t.same(swept, before, 'one of many words goes a portion at a time')
  const more = await within(async (call) => {
    await call('POST', sources, { id: 'goes', name: 'G', text: text('heron bittern 営業時間') })
    await call('PATCH', `${sources}/goes`, { text: text('egret') })
  })
  t.ok(more.length > before.length)
  t.same(await within((call) => call('DELETE', `${sources}/goes`)), before)
  t.same(await within((call) => call('DELETE', '')), [])
})
