/** The sample agent with a webhook, which is a loopback server in the node. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AgentRouting } from '../../core/agent/routing.js'
import { formatAgentKey } from '../../core/agentref.js'
import { parseUrl } from '../config/url.js'
import { type Sample, type SampleDeps, type SampleProfile, unwrap } from './samples.js'

const person = '+15550100'
const profile: SampleProfile = {
  id: 'sample',
  name: 'Sample Harbor Hotel',
  description: 'Answers with every kind of part. Its webhook is a server of this node; point it at yours to try that.',
  phones: [
    { channel: 'rcs', wire: 'rbm', account: 'sample-rcs', address: person },
    { channel: 'sms', wire: 'twilio', account: 'sample-sms', address: person },
    { channel: 'messengerA', wire: 'whatsapp', account: 'sample-messenger', address: person },
    { channel: 'vendorMessages', wire: 'apple', account: 'sample-vendor', address: 'urn:mbid:AQAAY0000001' },
  ],
  chat: {},
  suggestions: ['Hello', 'Menu'],
}
/** The path that marks a webhook as ours; a webhook that an operator pointed elsewhere stays there. */
const webhookPath = '/parley-sample'
const agentFile = new URL('../../../ops/sample-agent/agent.mjs', import.meta.url)

/** Gets each event of the agent, with the body of its answer, if any. */
type OnEvent = (envelope: unknown, answer?: string) => void

interface AgentFile {
  serve(options: { port?: number; secret: string; onEvent: OnEvent }): Promise<Server>
}

export interface WebhookSample extends Sample {
  /** Origins on loopback that the node may call. */
  origins(): ReadonlySet<string>
  stop(): void
}

export function openWebhookSample(onEvent: OnEvent): WebhookSample {
  let server: Server | undefined
  let origin: string | undefined

  function stop(): void {
    server?.closeAllConnections()
    server?.close()
    origin = undefined
  }

  return {
    profile,
    async prepare(deps, agent, { isFirst, port }) {
      stop()
      const { kind, id, sealed } = agent.signingSecret
      const secret = unwrap(await deps.sealer.open(agent.orgId, kind, id, sealed))
      const { serve } = (await import(agentFile.href)) as AgentFile
      server = await serve({ secret, onEvent, ...(port !== undefined && { port }) })
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await setWebhook(deps, agent, origin, isFirst)
    },
    origins: () => new Set(origin ? [origin] : []),
    stop,
  }
}

async function setWebhook({ shards, management }: SampleDeps, agent: AgentRouting, origin: string, isFirst: boolean) {
  const isOurs = isFirst || (agent.webhook && parseUrl(agent.webhook.webhookUrl)?.pathname === webhookPath)
  if (!isOurs) return
  const { orgId, agentId } = agent
  const input = { orgId, agentId, webhookUrl: origin + webhookPath }
  unwrap(await shards.execute(formatAgentKey(agent), management.gatewayAccess.setWebhook, input))
}
