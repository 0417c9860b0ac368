/** A whole node in the neighbours scenario: an agent, a Twilio binding of invented credentials, and its route tables. */
import { join } from 'node:path'
import { systemClock } from '../../runtime/clock.js'
import { readConfig } from '../../runtime/config.js'
import { openLog } from '../../runtime/observe/log.js'
import { runNode } from '../../runtime/run.js'
import { present } from '../control.js'
import { account } from '../ingress/setting.js'
import { corpusOf } from './corpus.js'
import type { Setting } from './setting.js'

const read = readConfig({
  PARLEY_DATA_DIR: join(process.env.BENCH_SCRATCH ?? '.', `node-${process.pid}`),
  PARLEY_HOST: '127.0.0.1',
  PARLEY_MGMT_PORT: '0',
  PARLEY_GATEWAY_PORT: '0',
})
if ('problems' in read) throw new Error(read.problems.join(' '))
const { log } = openLog({ level: 'error', to: process.stderr })
const { node, urls, stop } = await runNode(read.config, { clock: systemClock, log })
const { orgId, key } = node.bootstrapped
if (!key) throw new Error('a new node made no key')

async function post(path: string, body: unknown): Promise<{ readonly id: string }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${urls.mgmt}/v1/orgs/${orgId}/agents${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { readonly id: string }
}
await post('', { name: 'Harbor Desk', id: 'desk' })
const binding = { channel: 'sms', mode: 'unmanaged', provider: 'twilio', auth: account }
const { id: bindingId } = await post('/desk/channels', binding)

const corpus = corpusOf(Object.values(node.planes).flatMap(({ routes }) => routes))
const of: Setting = { urls, key, corpus, params: { org: orgId, agent: 'desk', bindingId } }

present({
  ready: {
    port: Number(new URL(urls.mgmt).port),
    request: { method: 'GET', path: '/healthz', headers: {}, body: '', made: { by: 'neighbours/caller', of } },
    notes: [`${corpus.length} bodies from the route tables of both planes, and some that are taken.`],
  },
  close: stop,
})
