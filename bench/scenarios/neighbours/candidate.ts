/**
 * A whole node in the neighbours scenario: an agent, a Twilio binding with invented credentials, and its route tables.
 */
import { join } from 'node:path'
import { formatAgentKey } from '../../../core/agentref.js'
import { systemClock } from '../../../runtime/clock.js'
import { readConfig } from '../../../runtime/config/config.js'
import { runNode } from '../../../runtime/node/listen.js'
import { createLog } from '../../../runtime/observe/log.js'
import { loadOrCreateSecretKey } from '../../../runtime/secrets/rootkey.js'
import { deriveKey } from '../../../runtime/secrets/seal.js'
import { serveCandidate } from '../../harness/rpc.js'
import { account } from '../ingress/fixtures.js'
import { greeting, sendTexts } from '../messages/phones.js'
import { corpusOf } from './corpus.js'
import type { CallerSetup, Talker } from './fixtures.js'

const dataDir = join(process.env.BENCH_SCRATCH ?? '.', `node-${process.pid}`)
const read = readConfig({
  PARLEY_DATA_DIR: dataDir,
  PARLEY_HOST: '127.0.0.1',
  PARLEY_MGMT_PORT: '0',
  PARLEY_GATEWAY_PORT: '0',
})
if ('problems' in read) throw new Error(read.problems.join(' '))
const { log } = createLog({ level: 'error', destination: process.stderr })
const { node, urls, stop } = await runNode(read.config, { clock: systemClock, log })
const { orgId, key } = node.bootstrapResult
if (!key) throw new Error('a new node made no key')

async function post(path: string, body: unknown): Promise<Readonly<Record<string, string>>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${urls.mgmt}/v1/orgs/${orgId}/agents${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Readonly<Record<string, string>>
}
await post('', { name: 'Harbor Shop', id: 'shop' })
const binding = { channel: 'sms', mode: 'unmanaged', provider: 'twilio', auth: account }
const { id: bindingId = '' } = await post('/shop/channels', binding)

/** Creates an agent with a known person: rules are applied only to messages for a known person. */
async function createTalker(agentId: string, person: string): Promise<Talker> {
  await post('', { name: 'Harbor Talk', id: agentId })
  const { id: phone = '' } = await post(`/${agentId}/channels`, {
    channel: 'sms',
    mode: 'unmanaged',
    provider: 'emulator',
  })
  const keyHex = deriveKey(loadOrCreateSecretKey(dataDir).key, 'emulated phones').toString('hex')
  const phones = { url: `${urls.gateway}/v4/ingress/${phone}`, bindingId: phone, keyHex }
  await sendTexts(phones, [{ id: 'first', from: person, text: greeting }])
  const { accessToken: token = '' } = await post(`/${agentId}/gateway/_rotateToken`, undefined)
  return { agentId, token, userId: node.asidOf(formatAgentKey({ orgId, agentId }), 'sms', person) }
}
const talker = await createTalker('talk', '+15550100001')

const corpus = corpusOf(Object.values(node.planes).flatMap(({ routes }) => routes))
const of: CallerSetup = { urls, key, talker, corpus, params: { org: orgId, agent: 'shop', bindingId } }

serveCandidate({
  ready: {
    port: Number(new URL(urls.mgmt).port),
    request: { method: 'GET', path: '/healthz', headers: {}, body: '', made: { by: 'neighbours/caller', of } },
    notes: [`${corpus.length} bodies from the route tables of both planes, and some that are taken.`],
  },
  close: stop,
})
