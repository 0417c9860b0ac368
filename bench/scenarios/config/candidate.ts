/** A whole node in the config scenario: its own data and key, the large agent imported, one kind of call. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../../runtime/clock.js'
import { readConfig } from '../../../runtime/config/config.js'
import { runNode } from '../../../runtime/node/listen.js'
import { createLog } from '../../../runtime/observe/log.js'
import { serveCandidate } from '../../harness/rpc.js'
import { exportOf } from './agent.js'
import { callNamed } from './calls.js'

const { values } = parseArgs({ options: { call: { type: 'string' } } })
const { method, path, bodies } = callNamed(values.call)

const read = readConfig({
  PARLEY_DATA_DIR: join(process.env.BENCH_SCRATCH ?? '.', `node-${process.pid}`),
  PARLEY_HOST: '127.0.0.1',
  PARLEY_MGMT_PORT: '0',
  PARLEY_GATEWAY_PORT: '0',
})
if ('problems' in read) throw new Error(read.problems.join(' '))
const { log } = createLog({ level: 'warn', destination: process.stderr })
const { node, urls, stop } = await runNode(read.config, { clock: systemClock, log })
const { orgId, key } = node.bootstrapResult
if (!key) throw new Error('a new node made no key')
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function post(below: string, body: unknown): Promise<void> {
  const url = `${urls.mgmt}/v1/orgs/${orgId}/agents${below}`
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`POST ${url} answered ${answer.status}: ${await answer.text()}`)
}
await post('', { name: 'Bench Shop', id: 'shop' })
await post('/shop/import', exportOf())

serveCandidate({
  ready: {
    port: Number(new URL(urls.mgmt).port),
    request: {
      method,
      path: `/v1/orgs/${orgId}/agents/shop${path}`,
      headers,
      body: '',
      ...(bodies && { bodies: bodies.map((body) => JSON.stringify(body)) }),
    },
  },
  close: stop,
})
