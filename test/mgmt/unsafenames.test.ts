/** Names that every object has, and names with NUL in them, wherever a caller may choose one. */
import t, { type Test } from 'tap'
import type { Route } from '../../runtime/http/route.js'
import { openTestNode, type TestNode } from '../harness/node.js'

const inherited = ['constructor', 'toString', '__proto__', 'hasOwnProperty']
const agents = '/v1/orgs/demo/agents'

/** The route's example, its ids and an added member named so. */
function callsOf({ path, example }: Route, name: string) {
  const { params, query, body } = example?.() ?? {}
  const named = (value: (param: string) => string) =>
    path.replace(/\{(\w+)\}/g, (_all, param) => encodeURIComponent(value(param)))
  const knownParams: Readonly<Record<string, string>> = { ...params, org: 'demo', agent: 'ada' }
  const own = named((param) => knownParams[param] ?? 'x-1')
  const search = query ? `?${new URLSearchParams(query as Record<string, string>)}` : ''
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return [
    { url: named((param) => (param === 'org' ? 'demo' : name)) + search, json: body },
    { url: named((param) => (param === 'org' ? 'demo' : param === 'agent' ? 'ada' : name)) + search, json: body },
    { url: `${own}?${new URLSearchParams({ [name]: 'x' })}`, json: body },
    ...(isObject ? [{ url: own + search, json: Object.fromEntries([...Object.entries(body), [name, 'x']]) }] : []),
  ]
}

async function openWithAgent(t: Test): Promise<TestNode> {
  const node = await openTestNode()
  t.teardown(() => node.close())
  await node.mgmt('POST', agents, { token: node.key, json: { name: 'Ada' } })
  return node
}

t.test('Names of object members are ordinary names in ids, queries and bodies of every route', async (t) => {
  const node = await openWithAgent(t)
  const routes = node.node.planes.mgmt.routes.filter(({ path }) => path.startsWith('/orgs/{org}'))
  for (const name of inherited) {
    for (const route of routes) {
      for (const { url, json } of callsOf(route, name)) {
        const { status, text } = await node.mgmt(route.method, `/v1${url}`, { token: node.key, json })
        if (status >= 500 && status !== 503) t.fail(`${route.method} ${url} ${status} ${text}`)
      }
    }
    t.pass(name)
  }
})

t.test('Inputs of an Outreach may have such names: missing without a value, sent with one', async (t) => {
  const node = await openWithAgent(t)
  const call = (method: string, path: string, json?: unknown) =>
    node.mgmt(method, `${agents}/ada${path}`, { token: node.key, json })
  const channel = { channel: 'rcs', mode: 'unmanaged', provider: 'emulator', auth: {} }
  t.equal((await call('POST', '/channels', channel)).status, 201)
  for (const [nth, name] of ['constructor', 'toString', 'hasOwnProperty'].entries()) {
    const id = `odd-${nth}`
    const body = `Your {person.customFields.${name}}.`
    t.equal((await call('POST', '/message-templates', { id, name: id, body })).status, 201)
    const outreach = { id, name: id, class: 'service', openerTemplateId: id, inputs: [name] }
    const made = await call('POST', '/outreach', outreach)
    t.equal(made.status, 201, made.text)
    const recipient = { channel: 'rcs', address: `+1415555012${nth}` }
    const missing = await call('POST', `/outreach/${id}/sends`, { recipient })
    t.match(missing.json, { code: 'agent.outreach.missing_inputs' }, missing.text)
    const sent = await call('POST', `/outreach/${id}/sends`, { recipient, inputs: { [name]: 'turn' } })
    t.equal(sent.status, 202, sent.text)
    const campaign = { name: id, outreachId: id, audience: { filter: {} } }
    const drafted = await call('POST', '/campaigns', campaign)
    t.equal(drafted.status, 201, drafted.text)
    const staged = await call('POST', `/campaigns/${drafted.json.id}/stage`)
    t.ok(staged.status < 300, staged.text)
  }
})

/** A body for each of its texts, with a NUL in that text, and the path of it. */
function* withNul(value: unknown, at = ''): Generator<readonly [path: string, body: unknown]> {
  if (typeof value === 'string') yield [at, `a\0${value}`]
  else if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      for (const [path, changed] of withNul(each, `${at}[${index}]`)) yield [path, value.with(index, changed)]
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      for (const [path, changed] of withNul(each, at === '' ? name : `${at}.${name}`)) {
        yield [path, { ...value, [name]: changed }]
      }
    }
  }
}

t.test('A NUL in any text of any body is refused by the path of its field', async (t) => {
  const node = await openWithAgent(t)
  let refused = 0
  // Those of the emulator page ask for a ticket first.
  const routes = node.node.planes.mgmt.routes.filter(({ path }) => !path.startsWith('/system/emulator/stage'))
  for (const { method, path, example } of routes) {
    const { params, body } = example?.() ?? {}
    const knownParams: Readonly<Record<string, string>> = { ...params, org: 'demo', agent: 'ada' }
    const url = `/v1${path.replace(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(knownParams[name] ?? 'x-1'))}`
    for (const [field, json] of withNul(body)) {
      const { status, text } = await node.mgmt(method, url, { token: node.key, json })
      const isNamed = text.includes(`${field}: must not hold a NUL character`)
      if ((status !== 422 && status !== 400) || !isNamed) t.fail(`${method} ${url} ${field}: ${status} ${text}`)
      refused++
    }
  }
  t.ok(refused > 150, `${refused} texts`)
})

t.test('A NUL in a file of people or in YAML is refused at its position', async (t) => {
  const node = await openWithAgent(t)
  const send = (path: string, type: string, body: string) =>
    node.mgmt('POST', `${agents}/ada${path}`, { token: node.key, body, headers: { 'content-type': type } })
  const people = await send('/people/import', 'text/csv', 'phone,plan,tags\n+14155550101,a\0b,x\n+14155550102,a,x\0y\n')
  t.match(people.json, {
    created: 0,
    rejected: [{ message: 'plan: must not hold a NUL character' }, { message: 'tags: must not hold a NUL character' }],
  })
  const yaml = await send('/import', 'application/yaml', 'identity:\n  companyName: "a\\0b"\n')
  t.equal(yaml.status, 422)
  t.match(yaml.text, 'identity.companyName: must not hold a NUL character', yaml.text)
})
