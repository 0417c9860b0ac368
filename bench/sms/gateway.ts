/** A whole node with an agent on sms whose provider is a message center: its own data, real sockets, and a line. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { systemClock } from '../../runtime/clock.js'
import { readConfig } from '../../runtime/config.js'
import type { Surroundings } from '../../runtime/node.js'
import { openLog } from '../../runtime/observe/log.js'
import { runNode } from '../../runtime/run.js'
import { account, host } from './setting.js'

/** As fast as a contract may allow: it is not the pace that is measured. */
const ratePerSecond = 10_000

export interface SmsGateway {
  readonly url: string
  /** The agent's. */
  readonly token: string
  stop(): Promise<void>
}

export async function openSmsGateway(port: number, between: Surroundings['between']): Promise<SmsGateway> {
  const read = readConfig({
    PARLEY_DATA_DIR: join(process.env.BENCH_SCRATCH ?? '.', `node-${process.pid}`),
    PARLEY_SECRET_KEY: randomBytes(32).toString('hex'),
    PARLEY_HOST: host,
    PARLEY_MGMT_PORT: '0',
    PARLEY_GATEWAY_PORT: '0',
    PARLEY_ALLOW_PRIVATE_URLS: 'true',
  })
  if ('problems' in read) throw new Error(read.problems.join(' '))
  const { log } = openLog({ level: 'warn', to: process.stderr })
  const { node, urls, stop } = await runNode(read.config, { clock: systemClock, log, between })
  const { orgId, key } = node.bootstrapped
  const agents = `${urls.mgmt}/v1/orgs/${orgId}/agents`
  const { id } = await post(agents, key!, { name: 'Bench Desk' })
  const auth = { ...account, host, port, ratePerSecond }
  await post(`${agents}/${id}/channels`, key!, { channel: 'sms', mode: 'unmanaged', provider: 'smpp', auth })
  const { accessToken: token } = await post(`${agents}/${id}/gateway/_rotateToken`, key!)
  return { url: urls.gateway, token: token!, stop }
}

async function post(url: string, token: string, body?: unknown): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}
