/** Routes below an agent, asked for an agent that is not there, or that is another org's. */
import t from 'tap'
import { scopes } from '../../core/access.js'
import type { Route } from '../../runtime/http/route.js'
import { openTestNode } from '../harness/node.js'
import { noisePng } from '../harness/picture.js'

const below = '/orgs/{org}/agents/{agent}'

/** Bodies of routes whose examples show none. */
const bodies: Readonly<Record<string, { readonly body: string | Uint8Array; readonly type: string }>> = {
  'POST /people/import': { body: 'phone\n+14155550101\n', type: 'text/csv' },
  'POST /media': { body: noisePng(2, 2), type: 'image/png' },
}

/** The call of the route's example, to that agent. */
function callOf(route: Route, org: string, agent: string) {
  const { params, query, body } = route.example?.() ?? {}
  const named: Readonly<Record<string, string>> = { ...params, org, agent }
  const path = route.path.replace(/\{(\w+)\}/g, (_all, name: string) => named[name] ?? 'x-1')
  const search = query ? `?${new URLSearchParams(query as Record<string, string>)}` : ''
  const raw = bodies[`${route.method} ${route.path.slice(below.length)}`]
  const sent = raw ? { body: raw.body, headers: { 'content-type': raw.type } } : body !== undefined && { json: body }
  return { path: `/v1${path}${search}`, sent: sent || {} }
}

t.test('Every route below an agent is 404 for a missing agent, and for one of another org', async (t) => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  await node.makeOrg('rival')
  const rival = await node.createKey([...scopes], 'rival')
  const made = await node.mgmt('POST', '/v1/orgs/demo/agents', { token: node.key, json: { name: 'Ada' } })
  t.equal(made.status, 201, made.text)
  const routes = node.node.planes.mgmt.routes.filter(({ path }) => path.startsWith(below))
  t.ok(routes.length > 100, 'the routes were found at all')
  // An org that was made without a first start has no key to seal with, so it only reads.
  const reads = routes.filter(({ method }) => method === 'GET')
  for (const [token, org, agent, requestedRoutes] of [
    [node.key, 'demo', 'not-there', routes],
    [rival, 'demo', 'ada', routes],
    [rival, 'rival', 'ada', reads],
  ] as const) {
    for (const route of requestedRoutes) {
      const { path, sent } = callOf(route, org, agent)
      const answer = await node.mgmt(route.method, path, { token, ...sent })
      const title = `${route.method} ${path}: ${answer.text.slice(0, 120)}`
      t.equal(answer.status, 404, title)
      // Documents name a code of its own for sends, rules and campaigns.
      t.ok(['resource.not_found', 'agent.not_found'].includes(answer.json.code), title)
    }
  }
  const read = await node.mgmt('GET', '/v1/orgs/demo/agents/ada', { token: node.key })
  t.strictSame(read.json, made.json, 'and it was not changed')
})
