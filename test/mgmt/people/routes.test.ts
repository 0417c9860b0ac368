/** People over HTTP: what may be said of them, what is shown to whom, pages, fields and segments. */
import t from 'tap'
import type { DraftCampaign } from '../../../core/agent/index.js'
import { formatAgentKey } from '../../../core/agentref.js'
import { person as limits } from '../../../core/limits/index.js'
import { personIdPattern } from '../../../core/people/ids.js'
import { textFields } from '../../../core/people/person.js'
import { createDocuments } from '../../../mgmt/agents/documentoperations.js'
import { agentTable } from '../../../mgmt/agents/store.js'
import { createPeopleCommands } from '../../../mgmt/people/commands.js'
import { createPeopleRecords } from '../../../mgmt/people/people.js'
import { personTable } from '../../../mgmt/people/store.js'
import { webhookCommands } from '../../../mgmt/webhooks/commands.js'
import { createOverlay } from '../../../runtime/shard/overlay.js'
import { encodeWrites } from '../../../runtime/store/space.js'
import { waitUntil } from '../../harness/clock.js'
import { fieldsOf, openAgentsFixture } from '../agents/fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())
const { node } = fixture
const orgEvent = webhookCommands({ timeScale: 1 }).enqueue
const { identityEvent } = createPeopleCommands(createPeopleRecords([]), orgEvent)
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`)
const keyed = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))
const agentRefOf = (agentId: string) => ({ orgId: 'demo', agentId })

async function receiveEvent(agentId: string, fields: object): Promise<void> {
  const event = {
    asid: 'usr_1',
    channel: 'sms',
    address: '+14155550100',
    at: node.clock.now(),
    kind: 'seen',
    ...fields,
  }
  const agentRef = agentRefOf(agentId)
  await node.node.engine.execute(formatAgentKey(agentRef), identityEvent, { ...agentRef, ...event } as never)
}

t.test('A person is entered, read, changed and deleted', async (t) => {
  const { call } = await fixture.agent()
  const personBody = {
    firstName: 'Ann',
    phone: '+1 (415) 555-0100',
    status: 'qualified',
    source: 'fair',
    tags: ['vip', 'vip '],
    customFields: { age: 41 },
    consent: { status: 'granted' },
    timezone: 'Europe/Berlin',
    scheduledCallAt: '2026-05-01T10:00:00+02:00',
  }
  const made = await call('POST', '/people', personBody)
  t.equal(made.status, 201)
  const now = new Date(node.clock.now()).toISOString()
  t.match(made.json.id, new RegExp(personIdPattern))
  const { id } = made.json
  t.strictSame(made.json, {
    id,
    firstName: 'Ann',
    phone: '+1 (415) 555-0100',
    timezone: 'Europe/Berlin',
    status: 'qualified',
    source: 'fair',
    tags: ['vip'],
    customFields: { age: '41' },
    lockedFields: [],
    consent: { status: 'granted', updatedAt: now },
    identities: [{ asid: made.json.identities[0].asid, channel: 'rcs', address: '+14155550100', optedOut: false }],
    scheduledCallAt: '2026-05-01T08:00:00.000Z',
    createdAt: now,
    updatedAt: now,
  })
  t.strictSame((await call('GET', `/people/${id}`)).json, { ...made.json, journal: [] })
  const change = { firstName: null, lastName: 'Smith', lockedFields: ['lastName'], scheduledCallAt: null }
  const changed = (await call('PATCH', `/people/${id}`, change)).json
  t.match(changed, { lastName: 'Smith', lockedFields: ['lastName'], source: 'fair' })
  t.notOk('firstName' in changed || 'scheduledCallAt' in changed)
  t.equal(
    (await call('PATCH', `/people/${id}`, { lastName: 'Lee' })).json.lastName,
    'Lee',
    'operators write locked fields',
  )
  t.equal((await call('DELETE', `/people/${id}`)).status, 204)
  for (const method of ['GET', 'PATCH', 'DELETE']) t.equal((await call(method, `/people/${id}`, {})).status, 404)
  t.match((await call('POST', '/people', { notes: 'x' })).json, {
    status: 'new',
    source: 'operator',
    consent: { status: 'unknown' },
  })
})

t.test('Channel identity and outreach state are runtime-owned and cannot be set', async (t) => {
  const { call } = await fixture.agent()
  for (const [field, value] of Object.entries({
    identities: [],
    outreach: {},
    id: 'pr_1',
    journal: [],
    lastCallAt: '2026-05-01T10:00:00Z',
    sandbox: true,
    importBatchId: 'x',
  })) {
    t.same(fieldsOf(await call('POST', '/people', { [field]: value })), [field])
  }
})

t.test('Every field is accepted at its limit and refused past it', async (t) => {
  const { call } = await fixture.agent()
  const { id } = (await call('POST', '/people', { notes: 'x' })).json
  const patch = (body: object) => call('PATCH', `/people/${id}`, body)
  const most: [field: string, at: unknown, past: unknown, named?: string][] = [
    ['source', 'x'.repeat(limits.sourceChars), 'x'.repeat(limits.sourceChars + 1)],
    ['tags', ['x'.repeat(limits.tagChars)], ['x'.repeat(limits.tagChars + 1)], 'tags[0]'],
    ['tags', numbered(limits.tags), numbered(limits.tags + 1)],
    ['lockedFields', numbered(limits.lockedFields), numbered(limits.lockedFields + 1)],
    ['customFields', keyed(limits.customFields), keyed(limits.customFields + 1)],
    [
      'customFields',
      { k0: 'x'.repeat(limits.customValueChars) },
      { k0: 'x'.repeat(limits.customValueChars + 1) },
      'customFields.k0',
    ],
    ['status', 'lost', 'gone'],
    ['consent', { status: 'denied' }, { status: 'maybe' }, 'consent.status'],
    ['scheduledCallAt', '2026-05-01T10:00:00Z', 'tomorrow'],
    ['timezone', 'America/Sao_Paulo', 'America/Nowhere'],
  ]
  for (const field of textFields.filter((name) => !['timezone', 'phone', 'email'].includes(name))) {
    most.push([field, 'x'.repeat(limits.textChars[field]), 'x'.repeat(limits.textChars[field] + 1)])
  }
  const mail = (chars: number) => `${'x'.repeat(chars - 5)}@x.yz`
  most.push(['email', mail(limits.textChars.email), mail(limits.textChars.email + 1)])
  most.push(['phone', `+14155550100${' '.repeat(limits.textChars.phone - 12)}`, ' '.repeat(limits.textChars.phone + 1)])
  for (const [field, at, past, named = field] of most) {
    t.equal((await patch({ [field]: at })).status, 200, `${field} at its limit`)
    const refused = await patch({ [field]: past })
    t.equal(refused.status, 422, `${field} past it`)
    t.same(fieldsOf(refused), [named])
  }
  t.same(fieldsOf(await call('POST', '/people', { firstName: null })), ['firstName'])
})

t.test('A person needs at least a phone or an email address, and both are validated', async (t) => {
  const { call } = await fixture.agent()
  const { id } = (await call('POST', '/people', { notes: 'x' })).json
  for (const [body, field] of [
    [{ phone: 'hello' }, 'phone'],
    [{ phone: '5550100' }, 'phone'],
    [{ email: 'not-an-email' }, 'email'],
    [{ firstName: 'a\u0000b' }, 'firstName'],
    [{ tags: ['a\u0000b'] }, 'tags[0]'],
    [{ customFields: { level: 'a\u0000b' } }, 'customFields.level'],
  ] as const) {
    t.same(fieldsOf(await call('POST', '/people', body)), [field])
    t.same(fieldsOf(await call('PATCH', `/people/${id}`, body)), [field])
  }
  for (const body of [{}, { firstName: ' ' }]) t.same(fieldsOf(await call('POST', '/people', body)), ['body'])
  t.equal((await call('GET', '/people')).json.data.length, 1, 'and nothing was stored')
})

t.test('A custom field holds a value of its declared type, however it is written', async (t) => {
  const { call } = await fixture.agent()
  const fields = [
    { key: 'age', label: 'Age', type: 'number' },
    { key: 'member', label: 'Member', type: 'boolean' },
    { key: 'since', label: 'Since', type: 'date' },
  ]
  await call('PUT', '/people/fields', { fields })
  const customFields = { age: 41, member: true, since: '2026-02-28' }
  const made = await call('POST', '/people', { customFields })
  t.match(made.json.customFields, { age: '41', member: 'true', since: '2026-02-28' })
  for (const [key, value] of [
    ['age', 'abc'],
    ['member', 'maybe'],
    ['since', '2026-13-45'],
  ] as const) {
    const wrong = { customFields: { [key]: value } }
    t.same(fieldsOf(await call('POST', '/people', wrong)), [`customFields.${key}`])
    t.same(fieldsOf(await call('PATCH', `/people/${made.json.id}`, wrong)), [`customFields.${key}`])
  }
  t.match((await call('PATCH', `/people/${made.json.id}`, { customFields: { age: null } })).json.customFields, {
    member: 'true',
  })
})

t.test('A number is found by its digits, and an identity’s only for callers who may see addresses', async (t) => {
  const { id, call } = await fixture.agent()
  await receiveEvent(id, { address: '+14155550177' })
  const reader = fixture.callAs(await node.createKey(['people:read']), id)
  for (const q of ['%2B14155550177', '5550177']) {
    t.equal((await call('GET', `/people?q=${q}`)).json.data.length, 1, q)
    t.equal((await reader('GET', `/people?q=${q}`)).json.data.length, 0, `${q} without people:export`)
  }
})

t.test('Addresses are shown only to callers that hold people:export', async (t) => {
  const { id, call } = await fixture.agent()
  await receiveEvent(id, {})
  const [full] = (await call('GET', '/people')).json.data
  t.match(full.identities, [{ asid: 'usr_1', channel: 'sms', address: '+14155550100', optedOut: false }])
  const reader = fixture.callAs(await node.createKey(['people:read']), id)
  for (const path of ['/people', `/people/${full.id}`]) {
    const { status, text } = await reader('GET', path)
    t.equal(status, 200)
    t.match(text, 'usr_1')
    t.notMatch(text, '4155550100')
  }
  const exporter = fixture.callAs(await node.createKey(['people:read', 'people:export']), id)
  t.match((await exporter('GET', `/people/${full.id}`)).text, '+14155550100')
  t.equal((await reader('GET', '/people/export')).status, 403)
  t.match((await reader('GET', '/people?q=%2B14155550100')).json.data, [], 'nor are they found by one')
})

t.test('Pages are stable while people are added and removed', async (t) => {
  const { call } = await fixture.agent()
  const made: string[] = []
  const enter = async () => {
    await node.clock.advance(1)
    made.unshift((await call('POST', '/people', { tags: ['x'] })).json.id)
  }
  for (let n = 0; n < 5; n++) await enter()
  const expectedIds = [...made]
  for (const filter of ['', '&tag=x', '&source=operator']) {
    const seen: string[] = []
    let token = ''
    do {
      const { json } = await call('GET', `/people?limit=2${filter}${token}`)
      seen.push(...json.data.map((person: { id: string }) => person.id))
      await enter()
      token = json.nextPageToken && `&pageToken=${json.nextPageToken}`
    } while (token)
    t.same(seen.slice(-expectedIds.length), expectedIds, filter)
    t.equal(new Set(seen).size, seen.length, 'no person is listed twice')
  }
  const { nextPageToken } = (await call('GET', '/people?limit=1&tag=x')).json
  t.same(fieldsOf(await call('GET', `/people?limit=1&tag=y&pageToken=${nextPageToken}`)), ['pageToken'])
  t.same(fieldsOf(await call('GET', '/people?limit=201')), ['limit'])
})

t.test('The filters of the list are those of the contract', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', '/people', { firstName: 'José', company: 'Acme', customFields: { level: 'gold' } })
  const count = async (query: string) => (await call('GET', `/people?${query}`)).json.data.length
  for (const query of ['q=jose', 'status=new', 'consent=unknown', 'source=operator', 'customFields.level=gold']) {
    t.equal(await count(query), 1, query)
  }
  for (const query of ['q=ann', 'status=lost', 'customFields.level=blue', 'tag=x', 'createdBefore=2020-01-01']) {
    t.equal(await count(query), 0, query)
  }
  t.same(fieldsOf(await call('GET', '/people?status=gone')), ['status'])
  t.same(fieldsOf(await call('GET', '/people?name=x')), ['name'])
})

t.test('People of another org, or of a missing agent, are not found', async (t) => {
  const { id, call } = await fixture.agent()
  const { id: personId } = (await call('POST', '/people', { notes: 'x' })).json
  await node.makeOrg('other')
  const token = await node.createKey(['people:write'], 'other')
  for (const path of ['/people', `/people/${personId}`, '/people/export', `/people/${personId}/appointments`]) {
    t.equal((await fixture.callAs(token, id)('GET', path)).status, 404)
    t.equal((await fixture.callAs(node.key, 'nobody')('GET', path)).status, 404)
  }
  const { call: another } = await fixture.agent()
  t.equal((await another('GET', `/people/${personId}`)).status, 404)
  t.equal((await fixture.callAs(node.key, 'nobody')('POST', '/people', { notes: 'x' })).status, 404)
})

t.test('Two people are merged, and the merged id resolves to the other', async (t) => {
  const { id, call } = await fixture.agent()
  await receiveEvent(id, {})
  const [reported] = (await call('GET', '/people')).json.data
  const { id: survivorId } = (await call('POST', '/people', { fullName: 'Ann' })).json
  const merged = await call('POST', `/people/${survivorId}/_merge`, { from: reported.id })
  t.match(merged.json, { id: survivorId, fullName: 'Ann', identities: [{ asid: 'usr_1' }] })
  t.equal((await call('GET', `/people/${reported.id}`)).json.id, survivorId)
  t.equal((await call('PATCH', `/people/${reported.id}`, { company: 'Acme' })).json.id, survivorId, 'writes too')
  t.same(fieldsOf(await call('POST', `/people/${survivorId}/_merge`, { from: reported.id })), ['from'])
  t.same((await call('GET', `/people/${survivorId}/appointments`)).json, { data: [] })
})

t.test('Fields of people are declared in the agent’s document', async (t) => {
  const { call } = await fixture.agent()
  t.strictSame((await call('GET', '/people/fields')).json, { fields: [] })
  const fields = [{ key: 'level', label: 'Level', type: 'string', locked: true }]
  t.strictSame((await call('PUT', '/people/fields', { fields })).json, { fields })
  t.same(fieldsOf(await call('PUT', '/people/fields', { fields: [...fields, ...fields] })), ['fields[1].key'])
  for (const key of ['firstName', 'first_name', 'phone', 'consent', 'customFields']) {
    const reserved = [...fields, { key, label: 'Mine', type: 'string' }]
    t.same(fieldsOf(await call('PUT', '/people/fields', { fields: reserved })), ['fields[1].key'], key)
    const sent = { capabilities: { people: { fields: reserved } } }
    t.same(fieldsOf(await call('POST', '/import', sent)), ['capabilities.people.fields[1].key'], key)
  }
  await call('POST', '/message-templates', { name: 'Hi', body: 'Your level is {person.customFields.level}.' })
  t.match((await call('PUT', '/people/fields', { fields: [] })).json, { code: 'agent.integrity_conflict' })
})

t.test('The API documents say that previews show data of people', async (t) => {
  const { info } = (await node.mgmt('GET', '/v1/openapi.json')).json
  t.match(info.description, /`agents:read` opens template and campaign previews/)
})

t.test('A segment is a named filter of the same terms', async (t) => {
  const { call } = await fixture.agent()
  const made = await call('POST', '/people/segments', { name: 'Very important', filter: { tag: 'vip' } })
  t.equal(made.status, 201)
  t.strictSame(made.json, { id: 'very-important', name: 'Very important', filter: { tag: 'vip' } })
  const filter = { status: 'new', 'customFields.level': 'gold' }
  t.match((await call('PATCH', '/people/segments/very-important', { filter })).json, { name: 'Very important', filter })
  t.strictSame((await call('GET', '/people/segments')).json.data, [{ ...made.json, filter }])
  t.same(fieldsOf(await call('POST', '/people/segments', { name: 'x', filter: { stat: 'new' } })), ['filter.stat'])
  t.same(fieldsOf(await call('POST', '/people/segments', { id: 'very-important', name: 'x', filter: {} })), ['id'])
  const sent = { capabilities: { people: { segments: [{ id: 'x', name: 'X', filter: { stat: 'new' } }] } } }
  t.same(fieldsOf(await call('POST', '/import', sent)), ['capabilities.people.segments[0].filter.stat'])
  t.equal((await call('DELETE', '/people/segments/very-important')).status, 204)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    t.equal((await call(method, '/people/segments/very-important', {})).status, 404)
  }
})

t.test('A segment cannot be deleted while a campaign draft uses it', async (t) => {
  const drafts: DraftCampaign[] = [{ id: 'ca_1', name: 'Spring', segmentId: 'vip' }]
  const documents = createDocuments({ orgEvent })
  documents.provide({ draftCampaigns: () => drafts })
  const { commands } = documents
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  const agentRef = agentRefOf('ada')
  root.put(agentTable, ['demo', 'ada'], {
    id: 'ada',
    orgId: 'demo',
    incarnation: 1,
    name: 'Ada',
    createdAt: 1,
    updatedAt: 1,
  })
  const write = (resource: string, request: object) => {
    const input = { ...agentRef, endpointName: resource, request: { params: {}, query: {}, ...request }, ifMatch: '' }
    const meta = { commandId: resource, at: 1, mint: () => 'x' }
    return commands.write.decide(Object.assign(root, { send: () => undefined }) as never, input, meta)
  }
  write('POST /people/segments', { body: { name: 'Vip', filter: { tag: 'vip' } } })
  const remove = () => write('DELETE /people/segments/{segmentId}', { params: { segmentId: 'vip' } })
  t.match(remove(), { refused: 'agent.integrity_conflict' })
  drafts.length = 0
  t.match(remove(), { status: 204 })
})

t.test('A preview shows the message that a real person would get', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', '/message-templates', { name: 'Hi', body: 'Hi {person.firstName}.' })
  const { id } = (await call('POST', '/people', { firstName: 'Ann' })).json
  t.equal((await call('GET', `/message-templates/hi/preview?personId=${id}`)).json.renderedText, 'Hi Ann.')
  t.equal((await call('GET', '/message-templates/hi/preview?personId=pr_none')).status, 404)
})

t.test('The people of an agent are deleted with it', async (t) => {
  const { id, call } = await fixture.agent()
  await call('POST', '/people', { phone: '+14155550100' })
  await receiveEvent(id, { asid: 'usr_7', address: '+14155550101' })
  let deletedCount = 0
  node.node.engine.watch(personTable, ([, agentId], value) => {
    if (agentId === id && value === undefined) deletedCount++
  })
  t.equal((await call('DELETE', '')).status, 204)
  t.equal((await call('GET', '/people')).status, 404)
  const recreated = await node.mgmt('POST', '/v1/orgs/demo/agents', { token: node.key, json: { name: id, id } })
  t.equal(recreated.status, 201)
  t.same((await call('GET', '/people')).json.data, [])
  await waitUntil(() => deletedCount === 2, node.clock)
})
