/** ETags of lists and of their items, If-Match against both, and If-None-Match. */
import t from 'tap'
import { type Call, openAgentsFixture } from './fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())

const calendar = '/tool-bindings/%40svc%2Ftool.calendar'

interface Kind {
  readonly list: string
  /** Makes an item of that name; answers its path. */
  make(call: Call, name: string): Promise<string>
  readonly change: (method: 'PATCH' | 'PUT', name: string) => object
  readonly methods: readonly ('PATCH' | 'PUT')[]
}

const posted =
  (list: string, body: (name: string) => object): Kind['make'] =>
  async (call, name) =>
    `${list}/${(await call('POST', list, body(name))).json.id}`

const filter = { status: 'new' }
const kinds: readonly Kind[] = [
  {
    list: '/playbooks',
    make: posted('/playbooks', (name) => ({ name })),
    change: (_method, name) => ({ name, description: 'Changed.' }),
    methods: ['PATCH', 'PUT'],
  },
  {
    list: '/message-templates',
    make: posted('/message-templates', (name) => ({ name, body: 'Hi' })),
    change: (_method, name) => ({ name, body: 'Changed.' }),
    methods: ['PATCH', 'PUT'],
  },
  {
    list: '/knowledge/facts',
    make: posted('/knowledge/facts', (name) => ({ id: name, question: name, answer: 'Yes.' })),
    change: () => ({ answer: 'Changed.' }),
    methods: ['PATCH'],
  },
  {
    list: '/people/segments',
    make: posted('/people/segments', (name) => ({ name, filter })),
    change: () => ({ filter: { status: 'lost' } }),
    methods: ['PATCH'],
  },
  {
    list: '/knowledge/sources',
    make: posted('/knowledge/sources', (name) => ({ name, text: 'Open from nine to five.' })),
    change: (_method, name) => ({ name, text: 'Changed.' }),
    methods: ['PATCH'],
  },
  {
    list: '/integrations',
    async make(call, name) {
      const def = { description: name, endpoint: { url: 'https://a.example/' } }
      await call('PUT', `/integrations/${name}`, def)
      return `/integrations/${name}`
    },
    change: () => ({ description: 'Changed.', endpoint: { url: 'https://a.example/' } }),
    methods: ['PUT'],
  },
]

for (const { list, make, change, methods } of kinds) {
  t.test(`An item of ${list} has its own ETag, which a change of another item does not affect`, async (t) => {
    const { call } = await fixture.agent()
    const p = await make(call, 'p')
    const q = await make(call, 'q')
    for (const method of methods) {
      const read = await call('GET', q)
      const whole = (await call('GET', list)).headers.etag!
      const tag = read.headers.etag!
      t.not(tag, (await call('GET', p)).headers.etag, 'two items have two tags')
      const other = await call(method, p, change(method, `p${method}`), {
        'if-match': (await call('GET', p)).headers.etag!,
      })
      t.equal(other.status, 200)
      t.equal(
        other.headers.etag,
        (await call('GET', p)).headers.etag,
        'a write answers the tag that the next read shows',
      )
      t.not(other.headers.etag, tag)
      t.equal((await call('GET', q)).headers.etag, tag, 'the tag of an item is about the item')
      t.not((await call('GET', list)).headers.etag, whole, 'and that of the list about all of it')
      const stale = await call(method, q, change(method, `q${method}`), { 'if-match': whole })
      t.equal(stale.status, 412, 'an earlier version of a list does not match')
      t.equal(stale.headers.etag, tag)
      const now = (await call('GET', list)).headers.etag!
      t.equal((await call(method, q, change(method, `q${method}`), { 'if-match': now })).status, 200)
      t.equal((await call(method, q, change(method, 'again'), { 'if-match': tag })).status, 412, 'the item was changed')
      await call(method, q, change(method, 'q'))
    }
    const deleted = await call('DELETE', p)
    t.equal(deleted.status, 204)
    t.equal(deleted.headers.etag, (await call('GET', list)).headers.etag)
    const { etag } = (await call('GET', q)).headers
    t.equal((await call('DELETE', q, undefined, { 'if-match': '"1-x"' })).status, 412)
    t.equal((await call('DELETE', q, undefined, { 'if-match': etag! })).status, 204)
  })
}

t.test('A new item is returned with its own ETag', async (t) => {
  const { call } = await fixture.agent()
  const made = await call('POST', '/playbooks', { name: 'Front' })
  t.equal(made.headers.etag, (await call('GET', '/playbooks/front')).headers.etag)
  const imported = await call('POST', '/playbooks/import', { templateId: '@svc/playbook.front-desk' })
  t.equal(imported.headers.etag, (await call('GET', '/playbooks')).headers.etag, 'a list with that of the list')
  await call('POST', '/playbooks/front-desk/_setDefault')
  t.not(
    (await call('GET', '/playbooks/front')).headers.etag,
    made.headers.etag,
    'losing the default is a change of the item',
  )
})

t.test('A changed secret of an item changes its ETag, although it is not shown', async (t) => {
  const { call } = await fixture.agent()
  const crm = { description: 'CRM', endpoint: { url: 'https://a.example/' } }
  const tags = new Set<string>()
  for (const authHeader of ['Bearer one-5555', 'Bearer two-5555', null]) {
    const put = await call('PUT', '/integrations/crm', { ...crm, authHeader })
    t.equal((await call('GET', '/integrations/crm')).headers.etag, put.headers.etag)
    tags.add(put.headers.etag!)
  }
  await call('PUT', calendar, { config: {} })
  for (const password of ['app-password-one-4321', 'app-password-two-4321']) {
    tags.add((await call('PATCH', calendar, { config: { password } })).headers.etag!)
  }
  t.equal(tags.size, 5)
})

t.test('The ETags of an item differ from those of a deleted agent’s item with its id', async (t) => {
  const { id, call } = await fixture.agent()
  const { etag } = (await call('POST', '/playbooks', { name: 'Front' })).headers
  await call('DELETE', '')
  await fixture.node.mgmt('POST', '/v1/orgs/demo/agents', { token: fixture.node.key, json: { name: id, id } })
  t.not((await call('POST', '/playbooks', { name: 'Front' })).headers.etag, etag)
  t.equal((await call('PATCH', '/playbooks/front', { body: 'x' }, { 'if-match': etag! })).status, 412)
})

t.test('If-None-Match answers 304 without a body while the resource is unchanged', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', '/playbooks', { name: 'Front' })
  await call('POST', '/playbooks', { name: 'Back' })
  await call('PUT', '/personality', { text: 'Be brief.' })
  for (const path of [
    '/playbooks',
    '/playbooks/front',
    '/personality',
    '/goals',
    '/identity',
    '/scheduling',
    '/notifications',
    '/knowledge/things',
    '/people/fields',
  ]) {
    const { etag } = (await call('GET', path)).headers
    for (const knownEtag of [etag!, `W/${etag}`, `"x", ${etag}`, '*']) {
      const repeated = await call('GET', path, undefined, { 'if-none-match': knownEtag })
      t.match([repeated.status, repeated.text, repeated.headers.etag], [304, '', etag], `${path} ${knownEtag}`)
    }
    for (const other of ['"x"', 'x', '']) {
      t.equal((await call('GET', path, undefined, { 'if-none-match': other })).status, 200, `${path} ${other}`)
    }
  }
  const knownEtag = (await call('GET', '/playbooks/front')).headers.etag!
  await call('PATCH', '/playbooks/back', { body: 'Changed.' })
  t.equal((await call('GET', '/playbooks/front', undefined, { 'if-none-match': knownEtag })).status, 304)
  await call('PATCH', '/playbooks/front', { body: 'Changed.' })
  t.equal((await call('GET', '/playbooks/front', undefined, { 'if-none-match': knownEtag })).status, 200)
  t.equal((await call('GET', '/playbooks/none', undefined, { 'if-none-match': '*' })).status, 404)
})

t.test('A change that keeps the ETag is never answered 304', async (t) => {
  const { call } = await fixture.agent()
  await call('PUT', calendar, { config: {} })
  await call('POST', '/message-templates', { name: 'Hi', body: 'Hi {person.firstName}' })
  await call('POST', '/knowledge/sources', { name: 'Hours', text: 'Nine to five.' })
  const { id } = (await call('POST', '/people', { firstName: 'Ann' })).json
  for (const path of [
    '',
    '/lint',
    '/updates',
    '/personality/diff',
    '/export',
    '/export?format=json',
    '/tool-bindings',
    calendar,
    '/knowledge/sources',
    '/knowledge/sources/hours',
    '/media',
    `/message-templates/hi/preview?personId=${id}`,
  ]) {
    const { headers, status } = await call('GET', path)
    t.equal(status, 200, path)
    t.ok(headers.etag, path)
    t.equal((await call('GET', path, undefined, { 'if-none-match': headers.etag! })).status, 200, path)
  }
})

t.test('A write with If-None-Match is refused if the resource exists, and made if it does not', async (t) => {
  const { id, call } = await fixture.agent()
  const unless = (tag: string) => ({ 'if-none-match': tag })
  const crm = { description: 'CRM', endpoint: { url: 'https://a.example/' } }
  const made = await call('PUT', '/integrations/crm', crm, unless('*'))
  t.equal(made.status, 201)
  const repeated = await call('PUT', '/integrations/crm', { ...crm, description: 'Another' }, unless('*'))
  t.match(repeated, {
    status: 412,
    json: { code: 'request.precondition_failed' },
    headers: { etag: made.headers.etag },
  })
  t.equal((await call('GET', '/integrations/crm')).json.description, 'CRM', 'and nothing was replaced')
  t.equal((await call('PUT', '/integrations/crm', crm, unless(`"x", W/${made.headers.etag}`))).status, 412)
  t.equal((await call('PUT', '/integrations/crm', crm, unless('"1-x"'))).status, 200)
  t.equal((await call('PUT', calendar, { config: {} }, unless('*'))).status, 200)
  const source = (await call('POST', '/knowledge/sources', { name: 'Note', text: 'Open all day.' })).json.id
  for (const [method, path, body] of [
    ['PUT', calendar, { config: {} }],
    ['PUT', '/knowledge/facts', { facts: [] }],
    ['PATCH', `/knowledge/sources/${source}`, { name: 'Other' }],
    ['DELETE', `/knowledge/sources/${source}`, undefined],
    ['DELETE', '', undefined],
  ] as const) {
    t.equal((await call(method, path, body, unless('*'))).status, 412, `${method} ${path}`)
  }
  t.equal((await call('GET', '')).json.id, id)
})
