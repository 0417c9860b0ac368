/** The OpenAPI document shows every route of the management plane with a call and its answer. */
import t from 'tap'
import { examples } from '../../mgmt/examples/index.js'
import { openTestNode } from '../harness/node.js'

const node = await openTestNode()
t.teardown(() => node.close())
const { routes } = node.node.planes.mgmt

/** What the house shows to those who run it, and campaigns, have none yet. */
const without = new Set(['Campaigns', 'System', 'Emulator', 'Documentation'])
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

t.test('Every route of orgs and agents has an example', async (t) => {
  const lacking = routes.filter(({ tag, example }) => !without.has(tag) && !example?.())
  t.same(lacking.map(nameOf), [])
})

t.test('Every example is that of a route, and no secret in one was ever anybody’s', async (t) => {
  const known = new Set(routes.map(nameOf))
  t.same(
    Object.keys(examples).filter((name) => !known.has(name)),
    [],
  )
  const shown = JSON.stringify(examples)
  const secrets = shown.match(/"(?:sk|at|ws)-svc-[^"]{7,}"/g) ?? []
  t.ok(secrets.length > 3)
  t.same(
    secrets.filter((secret) => !secret.includes('0shown0once')),
    [],
  )
})
