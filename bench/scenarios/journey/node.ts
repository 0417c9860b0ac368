/** A whole node with an agent and an outreach for journeys: real data and sockets, rcs on the emulated provider. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { systemClock } from '../../../runtime/clock.js'
import { readConfig } from '../../../runtime/config/config.js'
import type { NodeContext } from '../../../runtime/node/compose.js'
import { runNode } from '../../../runtime/node/listen.js'
import { createLog } from '../../../runtime/observe/log.js'
import { call } from '../../harness/api.js'
import type { Calls } from './calls.js'
import { agentName, outreach, outreachId, peopleFields, template } from './fixtures.js'

export interface JourneyNode {
  /** Port of the management API. */
  readonly url: string
  /** The bootstrap key, with every scope. */
  readonly key: string
  readonly agent: { readonly orgId: string; readonly agentId: string }
  readonly dir: string
  readonly rootKey: Buffer
  stop(): Promise<void>
}

export interface NodeSetup {
  readonly dir: string
  readonly rootKey: Buffer
  /** The first API key, where the caller restarts a node and already has it. */
  readonly key: string
}

export function newNodeSetup(name = `node-${process.pid}`): NodeSetup {
  const dir = join(process.env.BENCH_SCRATCH ?? '.', name)
  return { dir, rootKey: randomBytes(32), key: `sk-svc-${randomBytes(24).toString('hex')}` }
}

export interface NodeOptions {
  readonly timeScale: number
  readonly wrapShards?: NodeContext['wrapShards']
  readonly env?: Readonly<Record<string, string>>
}

const orgId = 'demo'

export async function startJourneyNode({ dir, rootKey, key }: NodeSetup, options: NodeOptions): Promise<JourneyNode> {
  const { timeScale, wrapShards, env } = options
  const read = readConfig({
    PARLEY_DATA_DIR: dir,
    PARLEY_SECRET_KEY: rootKey.toString('hex'),
    PARLEY_BOOTSTRAP_ORG: orgId,
    PARLEY_BOOTSTRAP_KEY: key,
    PARLEY_HOST: '127.0.0.1',
    PARLEY_MGMT_PORT: '0',
    PARLEY_GATEWAY_PORT: '0',
    PARLEY_ALLOW_PRIVATE_URLS: 'true',
    PARLEY_TIME_SCALE: String(timeScale),
    ...env,
  })
  if ('problems' in read) throw new Error(read.problems.join(' '))
  const { log } = createLog({ level: 'error', destination: process.stderr })
  const { urls, stop } = await runNode(read.config, { clock: systemClock, log, wrapShards })
  return { url: urls.mgmt, key, agent: { orgId, agentId: '' }, dir, rootKey, stop }
}

/** A provider of rcs with its credentials. */
export interface RcsBinding {
  readonly provider: string
  readonly auth: unknown
}

/** Creates the agent, its outreach and its binding. */
export async function setUpAgent(
  node: JourneyNode,
  binding: RcsBinding = { provider: 'emulator', auth: {} },
): Promise<JourneyNode> {
  const agents = `${node.url}/v1/orgs/${orgId}/agents`
  const { id: agentId } = await call('POST', agents, node.key, { name: agentName })
  const at = `${agents}/${agentId}`
  await call('PUT', `${at}/people/fields`, node.key, { fields: peopleFields })
  await call('POST', `${at}/message-templates`, node.key, template)
  await call('POST', `${at}/outreach`, node.key, outreach)
  await call('POST', `${at}/channels`, node.key, { channel: 'rcs', mode: 'unmanaged', ...binding })
  return { ...node, agent: { orgId, agentId } }
}

export function sendsPath({ agent }: Pick<JourneyNode, 'agent'>): string {
  return `/v1/orgs/${agent.orgId}/agents/${agent.agentId}/integrations/journey/outreach/${outreachId}/sends`
}

/** The path without the id of a send. */
export function statusPath({ agent }: Pick<JourneyNode, 'agent'>): string {
  return `/v1/orgs/${agent.orgId}/agents/${agent.agentId}/integrations/journey/sends`
}

/** The limit holds for each key, so many keys in turn load the node without switching anything off. */
export async function callsOf(node: JourneyNode, keys: number): Promise<Calls> {
  const createdKeys: string[] = []
  for (let each = 0; each < keys; each++) createdKeys.push(await newKey(node, `journey ${each}`))
  return { path: sendsPath(node), keys: createdKeys }
}

export async function newKey(node: JourneyNode, name: string): Promise<string> {
  const body = { name, scopes: ['integrations:journey'] }
  return (await call('POST', `${node.url}/v1/orgs/${orgId}/api-keys`, node.key, body)).key
}
