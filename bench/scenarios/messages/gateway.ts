/** A whole node with agents that people can write to: real data and sockets, emulated phones on sms. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { systemClock } from '../../../runtime/clock.js'
import { readConfig } from '../../../runtime/config/config.js'
import type { NodeContext } from '../../../runtime/node/compose.js'
import { runNode } from '../../../runtime/node/listen.js'
import { createLog } from '../../../runtime/observe/log.js'
import { deriveKey } from '../../../runtime/secrets/seal.js'
import type { Store } from '../../../runtime/store/contract.js'
import { dataFileName } from '../../../runtime/store/directory.js'
import { call } from '../../harness/api.js'
import type { Ready } from '../../harness/rpc.js'
import { type Phones, sleep } from './phones.js'

export interface BenchAgent {
  readonly token: string
  readonly phones: Phones
}

/** With its first agent. */
export interface Gateway extends BenchAgent {
  /** The port for agents and providers. */
  readonly url: string
  readonly dataFile: string
  /** The node's own store. */
  readonly store: Pick<Store, 'space'>
  addAgent(options: AgentOptions): Promise<BenchAgent>
  stop(): Promise<void>
}

export interface AgentOptions {
  readonly webhookUrl?: string
  /** What the agent is made of, in the form of an import. An agent that can answer and has no webhook is managed. */
  readonly document?: object
  /** The agent's binding on sms; the emulator's unless the option names another. */
  readonly binding?: object
}

export interface GatewayOptions extends AgentOptions {
  readonly wrapShards?: NodeContext['wrapShards']
  /** Trusts loopback connections as proxies. */
  readonly isBehindProxy?: boolean
}

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { wrapShards, isBehindProxy, ...agentOptions } = options
  const rootKey = randomBytes(32)
  const dir = join(process.env.BENCH_SCRATCH ?? '.', `node-${process.pid}`)
  const read = readConfig({
    PARLEY_DATA_DIR: dir,
    PARLEY_SECRET_KEY: rootKey.toString('hex'),
    PARLEY_HOST: '127.0.0.1',
    PARLEY_MGMT_PORT: '0',
    PARLEY_GATEWAY_PORT: '0',
    PARLEY_ALLOW_PRIVATE_URLS: 'true',
    ...(isBehindProxy && { PARLEY_TRUSTED_PROXIES: '127.0.0.1' }),
  })
  if ('problems' in read) throw new Error(read.problems.join(' '))
  const { log } = createLog({ level: 'warn', destination: process.stderr })
  const { node, urls, stop } = await runNode(read.config, { clock: systemClock, log, wrapShards })
  const { orgId, key } = node.bootstrapResult
  if (!key) throw new Error('a new node made no key')

  const manage = (method: string, path: string, body?: unknown) =>
    call(method, `${urls.mgmt}/v1/orgs/${orgId}/agents${path}`, key, body)
  const keyHex = deriveKey(rootKey, 'emulated phones').toString('hex')

  async function addAgent({ webhookUrl, document, binding: bindingInput = managed }: AgentOptions) {
    const { id } = await manage('POST', '', { name: 'Bench Shop' })
    if (document) await manage('POST', `/${id}/import`, document)
    const binding = await manage('POST', `/${id}/channels`, { channel: 'sms', ...bindingInput })
    while ((await manage('GET', `/${id}/channels/${binding.id}`)).status !== 'Active') await sleep(20)
    // A bench writes to a person as often as a loop does, so the loop guard has its highest setting.
    for (const each of (await manage('GET', `/${id}/channels`)).data) {
      await manage('PATCH', `/${id}/channels/${each.id}`, { delivery: { loopGuard: { messages: 1_000, seconds: 1 } } })
    }
    const { accessToken: token } = await manage('POST', `/${id}/gateway/_rotateToken`)
    if (webhookUrl) await call('POST', `${urls.gateway}/v4/webhook`, token, { webhookUrl, instanceId: 'bench' })
    return { token, phones: { url: `${urls.gateway}/v4/ingress/${binding.id}`, bindingId: binding.id, keyHex } }
  }

  const agent = await addAgent(agentOptions)
  const { store } = node
  if (!store) throw new Error('a node by itself has a store')
  return { url: urls.gateway, ...agent, dataFile: join(dir, dataFileName), store, addAgent, stop }
}

const managed = { mode: 'managed', inputs: {} }

/** The load of one text to each of these people in turn. */
export function createSendLoad({ url, token }: Gateway, people: readonly string[], text: string): Ready {
  const bodies = people.map((userId) =>
    JSON.stringify({ userId, messages: [{ spec: 'amf/1', parts: [{ type: 'text', text }] }] }),
  )
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const request = { method: 'POST', path: '/v4/messages', headers, body: bodies[0]!, bodies }
  return { port: Number(new URL(url).port), request }
}
