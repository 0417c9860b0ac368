/** The agent as a whole: lint, templates and their updates, export and import. */
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import { agentDocument as limits } from '../../../core/limits/index.js'
import { sampleExport } from '../../core/agent/sample.js'
import { countTurns } from '../../harness/eventloop.js'
import { fieldsOf, openAgentsFixture } from './fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())

t.test('Lint reports each finding with its code, path, message and fix', async (t) => {
  const { call } = await fixture.agent()
  const fresh = await call('GET', '/lint')
  t.equal(fresh.status, 200)
  t.same(fresh.json.errors, [])
  await call('POST', '/playbooks', { name: 'P', body: 'Say [[template: none]]' })
  const { errors, warnings, advice } = (await call('GET', '/lint')).json
  const all = [...errors, ...warnings, ...advice]
  t.ok(all.some(({ path }) => path.startsWith('playbooks[0].body')))
  for (const { code, message, fix } of all) t.ok(code && message && fix, code)
})

t.test('A template replaces the sections it contains and leaves the others unchanged', async (t) => {
  const { id, call } = await fixture.agent({ identity: { brandColor: '#abc' } })
  await call('PUT', '/standing-instructions', { standingInstructions: ['Mine.'] })
  await call('POST', '/knowledge/facts', { question: 'Q', answer: 'A' })
  const applied = await call('POST', '/apply-template', { templateId: '@svc/agent.salon' })
  t.equal(applied.status, 200)
  t.match(applied.json, { agent: { id }, appliedFrom: { templateId: '@svc/agent.salon', templateName: String } })
  t.ok(applied.json.applied.includes('playbooks'))
  t.equal(applied.json.agent.identity.brandColor, '#abc')
  const playbooks = (await call('GET', '/playbooks')).json.data as { isDefault: boolean; derivedFrom: object }[]
  t.equal(playbooks.filter(({ isDefault }) => isDefault).length, 1)
  t.ok(playbooks.every(({ derivedFrom }) => derivedFrom))
  t.same((await call('GET', '/standing-instructions')).json.data, ['Mine.'])
  t.equal((await call('GET', '/knowledge/facts')).json.data.length, 1)
  t.equal((await call('POST', '/apply-template', { templateId: '@svc/agent.none' })).status, 404)
  t.same(fieldsOf(await call('POST', '/apply-template', {})), ['templateId'])
})

t.test('Objectives come with a template, are exported, change by import, and are linted', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', '/apply-template', { templateId: '@svc/agent.salon' })
  const readAdvice = async () =>
    (await call('GET', '/lint')).json.advice.filter(({ code }: { code: string }) => code === 'objective.unread')
  const { objectives } = (await call('GET', '/export?format=json')).json
  t.equal(objectives.length, 2)
  t.match(await readAdvice(), [
    { path: 'objectives[0]', message: /export/, fix: /Goal/ },
    { path: 'objectives[1]', message: /export/, fix: /Goal/ },
  ])
  const edited = [{ ...objectives[0], body: 'Ask for a visit.' }]
  const imported = await call('POST', '/import', { objectives: edited })
  t.equal(imported.status, 200)
  t.same((await call('GET', '/export?format=json')).json.objectives, edited)
  t.same(fieldsOf(await call('POST', '/import', { objectives: [{ ...edited[0], body: '' }] })), ['objectives[0].body'])
  const other = await fixture.agent()
  t.equal((await other.call('POST', '/import', { objectives: edited })).status, 200, 'and travel to another agent')
  t.same((await other.call('GET', '/export?format=json')).json.objectives, edited)
  await call('POST', '/import', { objectives: [] })
  t.same(await readAdvice(), [])
})

t.test('A template that would remove referenced items is refused as a whole', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', '/playbooks', { name: 'Own' })
  await call('POST', '/knowledge/facts', { question: 'Q', answer: 'A', scope: { playbooks: ['own'] } })
  const before = (await call('GET', '/export?format=json')).text
  const refused = await call('POST', '/apply-template', { templateId: '@svc/agent.salon' })
  t.equal(refused.status, 409)
  t.same(fieldsOf(refused), ['facts[0].scope.playbooks[0]'])
  t.equal((await call('GET', '/export?format=json')).text, before)
})

t.test('Items copied from the catalog are listed with their versions, and updated one by one', async (t) => {
  const { call } = await fixture.agent()
  t.strictSame((await call('GET', '/updates')).json, { data: [], updateCount: 0 })
  await call('POST', '/personality/import', { templateId: '@svc/personality.warm-receptionist' })
  const { current } = (await call('GET', '/personality/diff')).json
  const old = { ...current, text: 'Older.', derivedFrom: { ...current.derivedFrom, version: '0.0.1' } }
  t.equal((await call('POST', '/import', { personality: old })).status, 200)
  const listed = (await call('GET', '/updates')).json
  t.equal(listed.updateCount, 1)
  t.match(listed.data, [
    { kind: 'personality', currentVersion: '0.0.1', updateAvailable: true, templateMissing: false },
  ])
  const applied = await call('POST', '/updates/apply', { kind: 'personality' })
  t.equal(applied.status, 200)
  t.equal(applied.json.updateCount, 0)
  t.strictSame((await call('GET', '/personality')).json, current)
  t.same(fieldsOf(await call('POST', '/updates/apply', { kind: 'mood' })), ['kind'])
  t.same(fieldsOf(await call('POST', '/updates/apply', { kind: 'playbook' })), ['id'])
  t.equal((await call('POST', '/updates/apply', { kind: 'playbook', id: 'none' })).status, 404)
})

t.test('An export imported into an empty agent gives the same export', async (t) => {
  const one = await fixture.agent()
  const other = await fixture.agent()
  const imported = await one.call('POST', '/import', sampleExport)
  t.equal(imported.status, 200)
  const exported = await one.call('GET', '/export?format=json')
  t.strictSame(imported.json, exported.json, 'an import returns the resulting agent')
  t.equal((await other.call('POST', '/import', exported.json)).status, 200)
  t.equal((await other.call('GET', '/export?format=json')).text, exported.text)
  const { etag } = exported.headers
  t.equal(
    (await one.call('POST', '/import', exported.json)).headers.etag,
    etag,
    'imported onto itself it changes nothing',
  )
  t.equal((await one.call('GET', '')).json.identity.contactEmail, 'desk@example.com', 'the agent shows its identity')
})

t.test('Only the sections that are present are applied, under their current or legacy names', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', '/import', sampleExport)
  const before = (await call('GET', '/export?format=json')).json
  const after = (await call('POST', '/import', { standingInstructions: ['New.'] })).json
  t.strictSame(after, { ...before, standingInstructions: ['New.'] })
  const legacy = { products: [{ id: 'haircut', name: 'Cut' }], faqs: [{ id: 'f', question: 'Q', answer: 'A' }] }
  const { knowledge } = (await call('POST', '/import', legacy)).json.capabilities
  t.match(knowledge, { things: [{ id: 'haircut', name: 'Cut' }], facts: [{ id: 'f' }] })
  t.same(fieldsOf(await call('POST', '/import', { surprise: 1 })), ['surprise'])
  t.same(fieldsOf(await call('POST', '/import', { products: [{ id: 'x' }] })), ['products[0].name'])
  t.same(
    fieldsOf(await call('POST', '/import', { playbooks: [] })).length > 0,
    true,
    'a referenced item cannot be removed',
  )
})

t.test('Fields and segments of people are exported for people:read, and imported with people:write', async (t) => {
  const { id, call } = await fixture.agent()
  const people = {
    fields: [{ key: 'level', label: 'Level', type: 'string' }],
    segments: [{ id: 'gold', name: 'Gold', filter: { tag: 'gold' } }],
  }
  t.equal((await call('POST', '/import', { capabilities: { people } })).status, 200)
  const without = fixture.callAs(await fixture.node.createKey(['agents:write']), id)
  const reader = fixture.callAs(await fixture.node.createKey(['agents:write', 'people:read']), id)
  t.same((await reader('GET', '/export?format=json')).json.capabilities.people, people)
  const seen = (await without('GET', '/export?format=json')).json
  t.notOk('people' in seen.capabilities)
  t.notMatch((await without('GET', '/export')).text, /gold/)
  for (const lesser of [without, reader]) {
    const refused = await lesser('POST', '/import', { capabilities: { people: { segments: [] } } })
    t.match(refused.json, { status: 403, code: 'auth.scope_missing', detail: 'This needs people:write.' })
  }
  const repeated = await without('POST', '/import', seen)
  t.equal(repeated.status, 200, 'a key can import its own export')
  t.notOk('people' in repeated.json.capabilities)
  t.same((await call('GET', '/export?format=json')).json.capabilities.people, people, 'and people stay unchanged')
})

t.test('An import with a fault in any part is not applied at all', async (t) => {
  const { call } = await fixture.agent()
  await call('POST', '/import', sampleExport)
  const before = (await call('GET', '/export?format=json')).text
  const paths = pathsIn(sampleExport)
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.constantFrom<unknown>(7, null, 'none at all', {}),
      async (path, value) => {
        const changed = { ...sampleExport, standingInstructions: ['Changed.'] }
        const answer = await call('POST', '/import', replaceAt(changed, path, value))
        if (answer.status === 200) {
          await call('POST', '/import', JSON.parse(before))
          return true
        }
        refused++
        return [409, 422].includes(answer.status) && (await call('GET', '/export?format=json')).text === before
      },
    ),
    { numRuns: 150 },
  )
  t.ok(refused > 50, 'most of them were wrong')
})

type Path = readonly (string | number)[]

function pathsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [...(at.length > 0 ? [at] : []), ...members.flatMap(([name, each]) => pathsIn(each, [...at, name]))]
}

function replaceAt(value: unknown, [first, ...rest]: Path, by: unknown): unknown {
  if (first === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>
  copy[first] = replaceAt(copy[first], rest, by)
  return copy
}

t.test('An export is YAML by default, and is imported as YAML or JSON', async (t) => {
  const one = await fixture.agent()
  const other = await fixture.agent()
  await one.call('POST', '/import', sampleExport)
  const asJson = await one.call('GET', '/export?format=json')
  for (const [path, headers] of [
    ['/export', {}],
    ['/export?format=yaml', { accept: 'application/json' }],
  ] as const) {
    const asYaml = await one.call('GET', path, undefined, headers)
    t.match(asYaml.headers['content-type'], /^application\/yaml/)
    t.equal(asYaml.headers.etag, asJson.headers.etag)
    t.strictSame(parse(asYaml.text), asJson.json, 'as another reader reads it')
  }
  t.strictSame((await one.call('GET', '/export', undefined, { accept: 'application/json' })).json, asJson.json)
  t.equal((await one.call('GET', '/export?format=toml')).status, 422)
  const { text } = await one.call('GET', '/export')
  const imported = await yaml(other.id, text)
  t.equal(imported.status, 200)
  t.strictSame(imported.json, asJson.json)
})

t.test('YAML beyond JSON, or broken, duplicated or huge YAML, is refused and changes nothing', async (t) => {
  const { id, call } = await fixture.agent()
  await call('POST', '/import', sampleExport)
  const before = (await call('GET', '/export')).text
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefghi'.split('').map((name, at) => {
      const last = 'abcdefgh'[at]
      return `${name}: &${name} [${Array(9).fill(`*${last}`).join(', ')}]`
    }),
  ].join('\n')
  const wrongs = [
    bomb,
    'standingInstructions: &x [Be kind.]\nrules: *x',
    'standingInstructions: [A]\nstandingInstructions: [B]',
    'standingInstructions: [A',
    'standingInstructions: !!js/function "x"',
    '--- \na: 1\n---\nb: 2',
    '? [a, b]\n: 1',
    `standingInstructions: ${'['.repeat(20_000)}`,
    '\ud800',
    '- a list',
    'surprise: 1',
    `integrations:\n  custom:\n    - id: a\n      parameters: ${'{a: '.repeat(120)}1${'}'.repeat(120)}`,
    'things:\n  - {id: a, name: b, metadata: {price: .nan}}',
    '',
  ]
  for (const text of wrongs) {
    const { status, json } = await yaml(id, text)
    t.equal(status, 422, text.slice(0, 40))
    t.ok(json.errors.length > 0)
    for (const { field } of json.errors) t.not(field, '', 'every fault has a place')
    t.notMatch(json.detail, /^:|YAML\.parse|call stack/, 'and a sentence of its own')
  }
  t.equal((await yaml(id, `# ${'x'.repeat(limits.yamlBytes)}`)).status, 413)
  t.equal((await call('GET', '/export')).text, before)
})

t.test('Other calls are answered while YAML of any length is parsed', async (t) => {
  const { id } = await fixture.agent()
  const names = Array.from({ length: 60_000 }, (_, at) => `      k${at}: v`).join('\n')
  let isRead = false
  const reading = yaml(id, `things:\n  - id: a\n    name: b\n    metadata:\n${names}`).then((answer) => {
    isRead = true
    return answer
  })
  for (let healthChecks = 0; healthChecks < 5; healthChecks++)
    t.equal((await fixture.node.mgmt('GET', '/healthz')).status, 200)
  t.notOk(isRead)
  const { status, json } = await reading
  t.equal(status, 422)
  t.match(json.detail, /^things\[0\]\.metadata/)
})

t.test('Lists parsed in a thread are stored, shown and refused like short ones', async (t) => {
  const { call } = await fixture.agent()
  const facts = Array.from({ length: 400 }, (_, at) => ({ id: `f${at}`, question: `Q ${at}`, answer: 'A'.repeat(900) }))
  const things = Array.from({ length: 400 }, (_, at) => {
    const actions = [{ label: 'Call', kind: 'dial', phone: '+14155550100', url: 7 }]
    return { id: `t${at}`, name: `T ${at}`, description: 'D'.repeat(900), actions }
  })
  t.ok(JSON.stringify({ facts }).length > limits.inlineBytes)
  let isAnswered = false
  const writing = call('PUT', '/knowledge/facts', { facts }).then((answer) => {
    isAnswered = true
    return answer
  })
  t.equal((await fixture.node.mgmt('GET', '/healthz')).status, 200)
  t.notOk(isAnswered, 'other calls are answered in between')
  const written = await writing
  t.equal(written.status, 200)
  t.equal(written.json.data.length, 400)
  t.match(written.json.data[399], { ...facts[399], enabled: true })
  t.strictSame((await call('GET', '/knowledge/facts')).json, written.json)
  const stored = await call('PUT', '/knowledge/things', { things })
  t.equal(stored.status, 200, 'fields of another action are dropped')
  t.strictSame(stored.json.data[0].actions, [{ label: 'Call', kind: 'dial', phone: '+14155550100' }])
  const before = (await call('GET', '/export?format=json')).text
  for (const [path, body, field] of [
    ['/knowledge/facts', { facts: [...facts, { id: 'x', question: 7, answer: 'A' }] }, 'facts[400].question'],
    ['/knowledge/things', { things: [...things, { id: 'x', name: '', surprise: 1 }] }, 'things[400].name'],
    ['/knowledge/things', { things: [...things, things[0]] }, 'things[400].id'],
  ] as const) {
    const refused = await call('PUT', path, body)
    t.equal(refused.status, 422, path)
    t.equal(fieldsOf(refused)[0], field)
  }
  const wrong = { capabilities: { knowledge: { facts: [...facts, { question: 7 }] } } }
  t.match(fieldsOf(await call('POST', '/import', wrong))[0], /^capabilities\.knowledge\.facts\[400\]/)
  t.equal((await call('GET', '/export?format=json')).text, before)
  t.equal((await call('POST', '/import', JSON.parse(before))).status, 200)
})

t.test('No change makes an agent longer than an import accepts, however it was filled', async (t) => {
  const { call } = await fixture.agent()
  const some = (count: number, chars: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `i${at}`, name: `N ${at}`, description: 'é'.repeat(chars / 2) }))
  const facts = Array.from({ length: 4_000 }, (_, at) => ({ id: `f${at}`, question: 'Q', answer: 'A'.repeat(1_000) }))
  t.equal((await call('PUT', '/knowledge/things', { things: some(3_000, 3_900) })).status, 200)
  t.equal((await call('PUT', '/knowledge/facts', { facts })).status, 200)
  const longer = await call('PUT', '/knowledge/things', { things: some(4_000, 3_900) })
  t.equal(longer.status, 422)
  t.same(fieldsOf(longer), ['things'])
  const last = { question: 'Q', answer: 'é'.repeat(1_000) }
  let added = 0
  while (added < 1_000 && (await call('POST', '/knowledge/facts', { ...last, id: `x${added}` })).status === 201) added++
  const refused = await call('POST', '/knowledge/facts', { ...last, id: 'one-more' })
  t.equal(refused.status, 422, `${added} more were accepted one by one`)
  t.same(fieldsOf(refused), ['facts'])
  const exported = await call('GET', '/export?format=json')
  t.ok(Buffer.byteLength(exported.text) > limits.documentBytes - 4_096, 'it is as long as an agent can be')
  const other = await fixture.agent()
  t.equal((await other.call('POST', '/import', JSON.parse(exported.text))).status, 200)
  t.equal((await other.call('GET', '/export?format=json')).text, exported.text)
  t.equal((await call('DELETE', '/knowledge/facts/f0')).status, 204, 'a change that shortens it is accepted')
})

t.test('An export of any size can be imported, in either format', async (t) => {
  const one = await fixture.agent()
  const other = await fixture.agent()
  const things = Array.from({ length: 3_000 }, (_, at) => ({
    id: `t${at}`,
    name: `T ${at}`,
    description: `${at} line\n`.repeat(300).slice(0, 3_000),
  }))
  t.equal((await one.call('PUT', '/knowledge/things', { things })).status, 200)
  const asJson = await one.call('GET', '/export?format=json')
  const asYaml = await one.call('GET', '/export')
  t.ok(asYaml.text.length > 8 * 1024 ** 2)
  t.equal((await yaml(other.id, asYaml.text)).status, 200)
  t.equal((await other.call('GET', '/export?format=json')).text, asJson.text)
  t.equal((await other.call('PUT', '/knowledge/things', { things: [] })).status, 200)
  t.equal((await other.call('POST', '/import', asJson.json)).status, 200)
  t.equal((await other.call('GET', '/export')).text, asYaml.text)
})

t.test('A document for a missing agent is not read', async (t) => {
  t.equal((await yaml('nobody-here', 'a: [')).status, 404)
})

const yaml = (id: string, text: string) =>
  fixture.node.mgmt('POST', `/v1/orgs/demo/agents/${id}/import`, {
    token: fixture.node.key,
    body: Buffer.from(text),
    headers: { 'content-type': 'application/yaml' },
  })

t.test('Scans of a large agent let other work run in between', async (t) => {
  const { call } = await fixture.agent()
  const length = 60
  const messageTemplates = Array.from({ length }, (_, nth) => ({ id: `t${nth}`, name: 't', body: 'Hi' }))
  const playbooks = Array.from({ length }, (_, nth) => ({
    id: `p${nth}`,
    name: 'p',
    body: `[[template:t${nth}]]`.repeat(2_500),
    uses: [],
    isDefault: nth === 0,
  }))
  t.equal((await call('POST', '/import', { messageTemplates, playbooks })).status, 200)
  async function turnsOf(method: string, path: string, json?: object): Promise<[status: number, turns: number]> {
    const count = countTurns()
    const { status } = await call(method, path, json)
    return [status, count.end()]
  }
  const large: readonly (readonly [status: number, method: string, path: string, json?: object])[] = [
    [409, 'DELETE', '/message-templates/t3'],
    [200, 'GET', '/lint'],
    [409, 'POST', '/import', { messageTemplates: [] }],
  ]
  for (const [status, method, path, json] of large) {
    const [actualStatus, turns] = await turnsOf(method, path, json)
    t.equal(actualStatus, status, path)
    t.ok(turns >= length / 2, `${method} ${path}: ${turns} turns`)
  }
})

t.test('The deepest value of each free object is exported and imported again, as JSON and as YAML', async (t) => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })
  const endpoint = { url: 'https://a.example/' }
  const flowWith = (levels: number) => ({
    steps: [{ action: 'knowledge.search', with: nested(levels) }, { end: { outcome: 'x' } }],
  })
  const ways: readonly (readonly [method: string, path: string, body: (levels: number) => object])[] = [
    ['PUT', '/integrations/deep', (levels) => ({ description: 'd', endpoint, parameters: nested(levels) })],
    ['PUT', '/playbooks/deep', (levels) => ({ name: 'Deep', body: 'x', flow: flowWith(levels) })],
    [
      'POST',
      '/import',
      (levels) => ({
        integrations: { custom: [{ id: 'd', description: 'd', endpoint, parameters: nested(levels) }] },
      }),
    ],
    [
      'POST',
      '/import',
      (levels) => ({ playbooks: [{ name: 'P', body: 'x', isDefault: true, flow: flowWith(levels) }] }),
    ],
  ]
  for (const [method, path, body] of ways) {
    const { call, id } = await fixture.agent()
    if (path.startsWith('/playbooks')) await call('POST', '/playbooks', { name: 'Deep', id: 'deep', body: 'x' })
    let levels = 1
    while ((await call(method, path, body(levels + 1))).status < 300) levels++
    t.ok(levels > 25 && levels < limits.importDepth, `${path}: ${levels} levels`)
    const whole = (await call('GET', '/export?format=json')).json
    t.match(await call('POST', '/import', whole), { status: 200 }, `${path} as JSON`)
    const text = (await call('GET', '/export?format=yaml')).text
    t.match(await yaml(id, text), { status: 200 }, `${path} as YAML`)
    t.strictSame((await call('GET', '/export?format=json')).json, whole)
  }
})
