/**
 * A whole node in the http scenario: its own composition, data and API key, and one more route that answers an order.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { shutdown } from '../../../core/limits/index.js'
import { systemClock } from '../../../runtime/clock.js'
import { readConfig } from '../../../runtime/config/config.js'
import { json, type Route, route } from '../../../runtime/http/route.js'
import { listen } from '../../../runtime/http/server.js'
import { openNode } from '../../../runtime/node/compose.js'
import { createLog } from '../../../runtime/observe/log.js'
import { serveCandidate } from '../../harness/rpc.js'
import { Order, orderRequest } from './order.js'

const { values } = parseArgs({ options: { 'more-routes': { type: 'string', default: '0' } } })

function orderRoute(collection: string): Route {
  return route({
    plane: 'mgmt',
    method: 'POST',
    path: `/orgs/{org}/${collection}`,
    summary: 'Answers the order it was sent',
    tag: 'Bench',
    access: { who: 'member', role: 'editor', scopes: ['agents:write'] },
    body: Order,
    reply: { 200: Order },
    handler: ({ body }) => json(200, body),
  })
}

const read = readConfig({ PARLEY_DATA_DIR: join(process.env.BENCH_SCRATCH ?? '.', `node-${process.pid}`) })
if ('problems' in read) throw new Error(read.problems.join(' '))
const { log } = createLog({ level: 'warn', destination: process.stderr })
const more = Array.from({ length: Number(values['more-routes']) }, (_, at) => orderRoute(`orders-${at}/{id}/lines`))
const node = await openNode(read.config, {
  clock: systemClock,
  log,
  extraRoutes: [...more, orderRoute('orders')],
})
const { orgId, key } = node.bootstrapResult
if (!key) throw new Error('a new node made no key')
const listening = await listen({ host: '127.0.0.1', port: 0, serve: node.planes.mgmt.serve, log })

serveCandidate({
  ready: {
    port: listening.port,
    request: orderRequest(`/v1/orgs/${orgId}/orders`, key),
    notes: [`${node.planes.mgmt.routes.length} routes of the product, ${more.length + 1} of the bench.`],
  },
  async close() {
    await listening.close(shutdown.requestsMs)
    await node.close()
  },
})
