/** The examples of the OpenAPI document: every route of an agent has one, and a node answers what each of them says. */
import t from 'tap'
import type { TSchema } from 'typebox'
import { agentExamples } from '../../../mgmt/agents/computedexamples.js'
import { exampleAgent, exampleSteps, type Step, teardownSteps } from '../../../mgmt/agents/examplesteps.js'
import type { RouteExample } from '../../../runtime/http/route.js'
import { compileCheck } from '../../../runtime/http/validator.js'
import { openAgentsFixture } from './fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())
const { routes } = fixture.node.node.planes.mgmt

const agentPath = '/orgs/{org}/agents/{agent}'
const examples = agentExamples()
const described = new Set(['Agents', 'Playbooks', 'Knowledge', 'Agent capabilities'])
const asSent = (value: unknown) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

t.test('Every route of an agent and its document has an example', async (t) => {
  const own = routes.filter(({ example, tag }) => example && described.has(tag))
  t.ok(own.length > 60)
  const without = own.filter(({ example }) => !example?.())
  t.same(
    without.map(({ method, path }) => `${method} ${path}`),
    [],
  )
})

t.test('Every example has the shape that its route declares', async (t) => {
  for (const route of routes) {
    const example = route.example?.()
    if (!example) continue
    const name = `${route.method} ${route.path}`
    const { body, status, reply } = asSent(example) as RouteExample
    t.ok(status in route.reply, `${name} answers ${status}`)
    if (route.body && !route.bodyOptional) t.not(body, undefined, `${name} is sent a body`)
    if (body !== undefined) t.same(compileCheck(route.body!)(body), undefined, `${name} accepts its body`)
    const schema = route.reply[status]
    if (schema === null) t.equal(reply, undefined, name)
    else if (reply !== undefined)
      t.same(compileCheck(schema as TSchema, 'reply')(reply), undefined, `${name} answers so`)
    for (const [, param] of route.path.matchAll(/\{(\w+)\}/g))
      t.ok(example.params?.[param!], `${name} names its ${param}`)
  }
})

t.test('The document shows the examples', async (t) => {
  const { paths } = (await fixture.node.mgmt('GET', '/v1/openapi.json')).json
  const { patch } = paths[`${agentPath}/playbooks/{playbookId}`]
  const example = examples.get(`PATCH ${agentPath}/playbooks/{playbookId}`)!
  t.strictSame(patch.requestBody.content['application/json'].example, asSent(example.body))
  t.strictSame(patch.responses['200'].content['application/json'].example, asSent(example.reply))
  const parameterExamples = patch.parameters.map(({ name, example }: { name: string; example?: string }) => [
    name,
    example,
  ])
  t.strictSame(Object.fromEntries(parameterExamples).playbookId, 'booking')
})

/** Times are those of the call. */
const timeless = (value: unknown) =>
  JSON.parse(JSON.stringify(value).replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"a time"'))

t.test('A node that gets the examples one after another answers as they say', async (t) => {
  const { key } = fixture.node
  const made = await fixture.node.mgmt('POST', '/v1/orgs/demo/agents', { token: key, json: exampleAgent })
  t.strictSame(timeless(made.json), timeless(examples.get('POST /orgs/{org}/agents')!.reply))
  const call = fixture.callAs(key, exampleAgent.id)
  const compared = new Set<string>()

  async function send(name: string, { params = {}, query = {}, body }: Omit<Step, 'endpoint'>): Promise<void> {
    const [method, path] = name.split(' ') as [string, string]
    const filled = path.replace(/\{(\w+)\}/g, (_, param) => encodeURIComponent(params[param]!))
    const search = new URLSearchParams(query as Record<string, string>).toString()
    const answer = await call(method, `${filled === '/' ? '' : filled}${search && `?${search}`}`, body)
    const example = examples.get(`${method} ${agentPath}${path === '/' ? '' : path}`)!
    if (compared.has(name)) return void t.ok(answer.status < 300, `${name} again: ${answer.status} ${answer.text}`)
    compared.add(name)
    t.equal(answer.status, example.status, `${name}: ${answer.text.slice(0, 300)}`)
    if (example.reply === undefined) return
    const json = name === 'GET /export' ? (await call('GET', '/export?format=json')).json : answer.json
    t.strictSame(timeless(json), timeless(asSent(example.reply)), name)
  }

  for (const { endpoint: row, ...step } of exampleSteps) await send(row, step)
  for (const [name, { params, query }] of examples) {
    const below = name.replace(` ${agentPath}`, ' ')
    const isRead = name.startsWith(`GET ${agentPath}`) && !name.endsWith('/preview') && !name.endsWith('/activity')
    const row = below.endsWith(' ') ? `${below}/` : below
    const isOthers = routes.some((each) => `${each.method} ${each.path}` === name && !described.has(each.tag))
    if (isRead && !isOthers) await send(row, { params, query })
  }
  for (const { endpoint: row, ...step } of teardownSteps) await send(row, step)
  const { data } = (await call('GET', '/activity?limit=200')).json
  const auditLog = (
    examples.get(`GET ${agentPath}/activity`)!.reply as { data: { action: string; changed: string[] }[] }
  ).data
  for (const { action, changed } of auditLog) {
    t.ok(
      data.some(
        (entry: { action: string; changed: string[] }) =>
          entry.action === action && `${entry.changed}` === `${changed}`,
      ),
      `${action} is on record`,
    )
  }
})
