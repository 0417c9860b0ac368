/** The routes of things, collections and facts. */
import t from 'tap'
import { agentLimits as limits } from '../../../core/limits/index.js'
import { type Call, fieldsOf, openAgentsFixture } from './fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())
const long = (chars: number) => 'x'.repeat(chars)

const put = (call: Call, things: unknown) => call('PUT', '/knowledge/things', { things })

t.test('Things are replaced as a whole and read back unchanged', async (t) => {
  const { call } = await fixture.agent()
  t.strictSame((await call('GET', '/knowledge/things')).json, { data: [] })
  await call('PUT', '/knowledge/collections', { collections: [{ id: 'cuts', name: 'Cuts' }] })
  const haircut = {
    id: 'haircut',
    name: 'Haircut',
    media: 'image:logo',
    collections: ['cuts'],
    actions: [
      { label: 'Call', kind: 'dial', phone: '(415) 555-2671', url: 'dropped', value: 7 },
      { label: 'Book', kind: 'reply', value: 'book' },
      { label: 'More', url: 'https://acme.example' },
      { label: 'Where', kind: 'viewLocation' },
    ],
    location: { address: '48.8584, 2.2945' },
    metadata: { price: '30' },
  }
  const stored = await put(call, [haircut])
  t.equal(stored.status, 200)
  const [thing] = stored.json.data
  t.equal(thing.media, 'logo')
  t.equal(thing.collection, 'cuts', 'the first collection under its old name')
  t.strictSame(thing.actions[0], { label: 'Call', kind: 'dial', phone: '+14155552671' })
  t.match(thing.location, { latitude: 48.8584, longitude: 2.2945 })
  t.strictSame((await put(call, stored.json.data)).json, stored.json, 'a PUT of a GET')
  t.strictSame((await call('GET', '/knowledge/things')).json, stored.json)
})

t.test(
  'A thing sent without a location keeps it, null clears it, and a plain address has no coordinates',
  async (t) => {
    const { call } = await fixture.agent()
    await put(call, [{ id: 'a', name: 'A', location: { address: 'Main St 1', latitude: 1, longitude: 2 } }])
    t.match((await put(call, [{ id: 'a', name: 'B' }])).json.data, [{ location: { latitude: 1, longitude: 2 } }])
    t.notOk('location' in (await put(call, [{ id: 'a', name: 'B', location: null }])).json.data[0])
    const plain = await put(call, [{ id: 'a', name: 'B', location: { address: 'Main St 1' } }])
    t.strictSame(plain.json.data[0].location, { address: 'Main St 1' })
  },
)

t.test('The old single collection moves a thing, or keeps its others when it equals what a read shows', async (t) => {
  const { call } = await fixture.agent()
  const collections = ['a', 'b', 'c'].map((id) => ({ id, name: id }))
  await call('PUT', '/knowledge/collections', { collections })
  const of = async (sent: object) => (await put(call, [{ id: 'x', name: 'X', ...sent }])).json.data[0].collections
  t.same(await of({ collections: ['a', 'b'] }), ['a', 'b'])
  t.same(await of({ collection: 'a' }), ['a', 'b'])
  t.same(await of({ collection: 'c' }), ['c'])
  t.same(await of({ collection: 'a', collections: ['b'] }), ['b'])
  t.same(await of({}), undefined)
})

t.test('Every rule of a thing names its field, at the limit and one past it', async (t) => {
  const { call } = await fixture.agent()
  const thing = (more: object) => ({ id: 'a', name: 'A', ...more })
  const action = (more: object) => thing({ actions: [{ label: 'Go', ...more }] })
  const full = thing({
    id: long(200),
    name: long(200),
    description: long(4_000),
    imageUrl: `https://a.example/${long(482)}`,
    media: `image:${long(80)}`,
    actions: Array.from({ length: 4 }, () => ({ label: long(25), kind: 'reply', value: long(200) })),
    location: { latitude: -90, longitude: 180, label: long(200) },
  })
  t.equal((await put(call, [full])).status, 200)
  const wrong: [things: unknown, field: string][] = [
    [[{ name: 'A' }], 'things[0].id'],
    [[{ id: 'a' }], 'things[0].name'],
    [[thing({}), thing({})], 'things[1].id'],
    [[thing({ id: long(201) })], 'things[0].id'],
    [[thing({ name: long(201) })], 'things[0].name'],
    [[thing({ description: long(4_001) })], 'things[0].description'],
    [[thing({ imageUrl: `https://a.example/${long(483)}` })], 'things[0].imageUrl'],
    [[thing({ media: long(81) })], 'things[0].media'],
    [[thing({ metadata: { size: 9 } })], 'things[0].metadata.size'],
    [[thing({ actions: Array.from({ length: 5 }, () => ({ label: 'x', kind: 'reply' })) })], 'things[0].actions[4]'],
    [[action({ label: long(26), kind: 'reply' })], 'things[0].actions[0].label'],
    [[action({ kind: 'fly' })], 'things[0].actions[0].kind'],
    [[action({})], 'things[0].actions[0].url'],
    [[action({ url: 'ftp://x' })], 'things[0].actions[0].url'],
    [[action({ kind: 'dial' })], 'things[0].actions[0].phone'],
    [[action({ kind: 'dial', phone: 'call me' })], 'things[0].actions[0].phone'],
    [[action({ kind: 'reply', value: long(201) })], 'things[0].actions[0].value'],
    [[action({ kind: 'viewLocation' })], 'things[0].actions[0].kind'],
    [[thing({ location: { latitude: 91, longitude: 0 } })], 'things[0].location.latitude'],
    [[thing({ location: { latitude: 9 } })], 'things[0].location.longitude'],
    [[thing({}), thing({ id: 'b', collections: ['none'] })], 'things[1].collections[0]'],
    [undefined, 'things'],
    ['x', 'things'],
  ]
  for (const [things, field] of wrong) {
    const refused = await put(call, things)
    t.equal(refused.status, 422, field)
    t.equal(refused.json.code, 'request.invalid')
    t.same(fieldsOf(refused), [field])
  }
  t.equal((await call('GET', '/knowledge/things')).json.data.length, 1, 'and nothing was stored')
})

t.test('A collection with things is deleted only by force, and one that a text shows never', async (t) => {
  const { call } = await fixture.agent()
  const collections = (...ids: string[]) => ({ collections: ids.map((id) => ({ id, name: id })) })
  t.strictSame(
    (await call('PUT', '/knowledge/collections', collections('a', 'b'))).json.data,
    collections('a', 'b').collections,
  )
  await put(call, [{ id: 'x', name: 'X', collections: ['a', 'b'] }])
  const conflict = await call('PUT', '/knowledge/collections', collections('b'))
  t.equal(conflict.status, 422)
  t.same(fieldsOf(conflict), ['things[0].collections[0]'])
  t.equal((await call('PUT', '/knowledge/collections?force=false', collections('b'))).status, 422)
  t.equal((await call('PUT', '/knowledge/collections?force=true', collections('b'))).status, 200)
  t.same((await call('GET', '/knowledge/things')).json.data[0].collections, ['b'])
  await call('POST', '/message-templates', { name: 'Shown', body: 'Look: [[collection: b]] [[things: x]]' })
  const forced = await call('PUT', '/knowledge/collections?force=true', collections())
  t.equal(forced.status, 409)
  t.same(fieldsOf(forced), ['messageTemplates[0].body'])
  t.same(fieldsOf(await put(call, [])), ['messageTemplates[0].body'], 'a thing that a text shows stays too')
  t.equal((await call('PUT', '/knowledge/collections?force=maybe', collections())).status, 422)
  const { purposeChars, actionChars } = limits.collections
  for (const [more, field] of [
    [{ purpose: long(purposeChars + 1) }, 'collections[0].purpose'],
    [{ presentation: { actions: [long(actionChars + 1)] } }, 'collections[0].presentation.actions[0]'],
    [{ presentation: { fields: ['smell'] } }, 'collections[0].presentation.fields[0]'],
  ] as const) {
    t.same(fieldsOf(await call('PUT', '/knowledge/collections', { collections: [{ id: 'b', name: 'B', ...more }] })), [
      field,
    ])
  }
})

t.test('Facts are put as a list or one by one, with omitted fields filled in', async (t) => {
  const { call } = await fixture.agent()
  const made = await call('POST', '/knowledge/facts', { question: 'Where to park?', answer: 'Behind.' })
  t.equal(made.status, 201)
  const unsaid = { exact: false, enabled: true, source: 'operator', confirmed: true, alwaysOn: false }
  const at = new Date(fixture.node.clock.now()).toISOString()
  t.strictSame(made.json, {
    id: 'where-to-park',
    question: 'Where to park?',
    answer: 'Behind.',
    ...unsaid,
    updatedAt: at,
  })
  t.strictSame((await call('GET', '/knowledge/facts/where-to-park')).json, made.json)
  await fixture.node.clock.advance(1_000)
  const later = new Date(fixture.node.clock.now()).toISOString()
  const patched = await call('PATCH', '/knowledge/facts/where-to-park', { verbatim: true })
  t.match(patched.json, { exact: true, updatedAt: later })
  t.strictSame((await call('PATCH', '/knowledge/facts/where-to-park', {})).json, patched.json)
  const list = await call('PUT', '/knowledge/facts', {
    facts: [patched.json, { id: 'odd id/1', question: 'Q', answer: 'A' }],
  })
  t.equal(list.json.data.length, 2)
  t.strictSame(list.json.data[0], patched.json, 'an unchanged fact keeps its time')
  t.strictSame((await call('PUT', '/knowledge/facts', { facts: list.json.data })).json, list.json, 'a PUT of a GET')
  t.equal((await call('GET', '/knowledge/facts/odd%20id%2F1')).json.question, 'Q', 'an id that callers brought along')
  t.equal((await call('DELETE', '/knowledge/facts/odd%20id%2F1')).status, 204)
  for (const method of ['GET', 'DELETE']) t.equal((await call(method, '/knowledge/facts/none')).status, 404)
  t.equal((await call('PATCH', '/knowledge/facts/none', {})).status, 404)
  t.equal((await call('GET', '/knowledge/facts')).json.data.length, 1)
})

t.test('Every rule of a fact names its field, and a playbook in its scope must exist', async (t) => {
  const { call } = await fixture.agent()
  const fact = (more: object) => ({ question: 'Q', answer: 'A', ...more })
  const full = fact({
    question: long(300),
    answer: long(1_000),
    alternates: Array.from({ length: 10 }, () => long(200)),
  })
  t.equal((await call('POST', '/knowledge/facts', full)).status, 201)
  for (const [body, field] of [
    [{ answer: 'A' }, 'question'],
    [{ question: 'Q' }, 'answer'],
    [fact({ question: long(301) }), 'question'],
    [fact({ answer: long(1_001) }), 'answer'],
    [fact({ alternates: Array.from({ length: 11 }, () => 'x') }), 'alternates[10]'],
    [fact({ alternates: [long(201)] }), 'alternates[0]'],
    [fact({ source: 'rumour' }), 'source'],
    [fact({ scope: { playbooks: ['none'] } }), 'scope.playbooks[0]'],
  ] as const) {
    const refused = await call('POST', '/knowledge/facts', body)
    t.equal(refused.status, 422, field)
    t.same(fieldsOf(refused), [field])
  }
  t.same(fieldsOf(await call('PUT', '/knowledge/facts', { facts: [fact({}), { question: 'x' }] })), ['facts[1].answer'])
  const repeated = { facts: [fact({ id: 'a' }), fact({ id: 'a' })] }
  t.same(fieldsOf(await call('PUT', '/knowledge/facts', repeated)), ['facts[1].id'])
  await call('POST', '/playbooks', { name: 'P' })
  t.equal((await call('POST', '/knowledge/facts', fact({ id: 'scoped', scope: { playbooks: ['p'] } }))).status, 201)
  t.equal((await call('DELETE', '/playbooks/p')).status, 409)
  t.notOk('scope' in (await call('PATCH', '/knowledge/facts/scoped', { scope: null })).json)
  const path = '/knowledge/facts/scoped'
  t.same((await call('PATCH', path, { alternates: ['So?'] })).json.alternates, ['So?'])
  const cleared = await call('PATCH', path, { alternates: null })
  t.equal(cleared.status, 200)
  t.notOk('alternates' in cleared.json, 'null removes these, too')
  t.equal((await call('DELETE', '/playbooks/p')).status, 204)
})
