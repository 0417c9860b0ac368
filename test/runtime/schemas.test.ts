/** Schemas of routes are compiled when they are first needed, so here all of them are. */
import t from 'tap'
import { mustCompile } from '../../runtime/http/validate.js'
import { openTestNode } from '../harness/node.js'

const node = await openTestNode()
t.teardown(() => node.close())

for (const [name, { routes }] of Object.entries(node.node.planes)) {
  t.test(`Every schema of every route of the plane ${name} compiles`, async (t) => {
    for (const { method, path, params, query, body, reply } of routes) {
      const replies = Object.values(reply).filter((each) => each !== null && typeof each !== 'string')
      t.doesNotThrow(() => {
        for (const schema of [params, query, body, ...replies]) if (schema) mustCompile(schema as never)
      }, `${method} ${path}`)
    }
    t.ok(routes.length > 0)
  })
}
