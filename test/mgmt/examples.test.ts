/** The OpenAPI document shows every route of the management plane with a call and its answer. */
import t from 'tap'
import { managementExamples } from '../../mgmt/examples.js'
import type { Route } from '../../runtime/http/route.js'
import { compileCheck } from '../../runtime/http/validator.js'
import { nodeExamples } from '../../runtime/node/examples/index.js'
import { openTestNode } from '../harness/node.js'

const examples = { ...managementExamples, ...nodeExamples }
const node = await openTestNode()
t.teardown(() => node.close())
/** Documentation is pages of its own, and the document that examples are for. */
const routes = node.node.planes.mgmt.routes.filter(({ tag }) => tag !== 'Documentation')

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

/** Their calls are shown, and nothing of their answers; there may only be fewer of them. */
const answersUntold = [
  'POST /orgs/{org}/agents/{agent}/playbooks/{playbookId}/flow:generate',
  'GET /orgs/{org}/agents/{agent}/integrations/journey/outreach/{outreachId}/action-definition',
  'POST /orgs/{org}/agents/{agent}/gateway/dead-letters/{id}/_replay',
]

t.test('Every route has an example of its body, if it has one, and of its reply if that is JSON', async (t) => {
  const lacking = routes.filter((route) => !hasExample(route)).map(nameOf)
  t.same(lacking, answersUntold)
})

function hasExample({ body, bodyOptional, reply, example }: Route): boolean {
  const examplesOf = example?.()
  if (!examplesOf) return false
  const answered = reply[examplesOf.status]
  const hasBody = !body || bodyOptional || examplesOf.body !== undefined
  return hasBody && (typeof answered !== 'object' || answered === null || examplesOf.reply !== undefined)
}

t.test('Every example belongs to a route, and its secrets are no real ones', async (t) => {
  const routeNames = new Set(routes.map(nameOf))
  t.same(
    Object.keys(examples).filter((name) => !routeNames.has(name)),
    [],
  )
  const examplesOf = JSON.stringify(examples)
  const secrets = examplesOf.match(/"(?:sk|at|ws)-svc-[^"]{7,}"/g) ?? []
  t.ok(secrets.length > 3)
  t.same(
    secrets.filter((secret) => !secret.includes('0shown0once')),
    [],
  )
})

/** What is made is told whole once, by these. */
const makersOfSecrets = [
  'POST /orgs/{org}/api-keys',
  'POST /orgs/{org}/agents/{agent}/gateway/_rotateToken',
  'POST /orgs/{org}/agents/{agent}/gateway/_rotateSecret',
  'POST /orgs/{org}/webhooks',
  'POST /orgs/{org}/webhooks/{webhookId}/_rotate',
]

t.test('A secret is shown only by the replies of routes that create one, and no request contains it', async (t) => {
  const hasSecret = (value: unknown) => JSON.stringify(value ?? null).includes('0shown0once')
  const all = Object.entries(examples)
  t.same(
    all.filter(([, { params, query, body }]) => hasSecret([params, query, body])).map(([name]) => name),
    [],
  )
  t.same(
    all.filter(([, { reply }]) => hasSecret(reply)).map(([name]) => name),
    makersOfSecrets,
  )
})

t.test('Every example has the shape of its route’s request and reply', async (t) => {
  for (const route of routes) {
    const { body, status, reply } = route.example?.() ?? { status: 0 }
    const answer = route.reply[status]
    if (route.body && body !== undefined)
      t.same(compileCheck(route.body)(structuredClone(body)) ?? [], [], `${nameOf(route)}: body`)
    if (typeof answer !== 'object' || answer === null || reply === undefined) continue
    t.same(compileCheck(answer)(structuredClone(reply)) ?? [], [], `${nameOf(route)}: answer`)
  }
})
