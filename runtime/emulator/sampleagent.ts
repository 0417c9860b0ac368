/**
 * The sample agent of a first start. It is an agent like any other, with bindings at the emulated providers, and
 * answers by webhook from a loopback server in the node. Later starts update addresses that changed, such as a port,
 * and create nothing again that an operator deleted.
 */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Account, ProviderName } from '../../adapters/emulator/contract.js'
import type { ProviderEmulator } from '../../adapters/emulator/provideremulator.js'
import type { AgentRouting, ChannelRoute } from '../../core/agent/routing.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import type { AgentCommands } from '../../mgmt/agents/commands.js'
import { generateCredentials } from '../../mgmt/agents/credentials.js'
import { bindingIndex, ownerOfBinding } from '../../mgmt/channels/bindingindex.js'
import type { ChannelCommands } from '../../mgmt/channels/commands.js'
import { authKind } from '../../mgmt/channels/store.js'
import type { GatewayCommands } from '../../mgmt/gatewayaccess/commands.js'
import { parseUrl } from '../config/url.js'
import type { Directory } from '../conversation/context.js'
import type { Providers } from '../delivery/providers.js'
import type { Sealer } from '../secrets/sealer.js'
import type { Shards } from '../shard/contract.js'

export interface SampleDeps {
  readonly shards: Shards
  readonly directory: Directory
  readonly providers: Pick<Providers, 'authOf' | 'contextFor'>
  readonly sealer: Sealer
  readonly management: {
    readonly agents: AgentCommands
    readonly channels: ChannelCommands
    readonly gatewayAccess: GatewayCommands
  }
  readonly randomBytes: (count: number) => Uint8Array
}

export interface SampleStart {
  readonly orgId: string
  /** The data folder was empty. */
  readonly isFirst: boolean
  readonly port?: number
  readonly mgmtUrl: string
  readonly gatewayUrl: string
}

export interface SamplePhone {
  readonly channel: ChannelName
  readonly wire: ProviderName
  readonly account: string
  readonly address: string
}

const person = '+15550100'
/** The phones of one person, one for each channel. */
export const samplePhones: readonly SamplePhone[] = [
  { channel: 'rcs', wire: 'rbm', account: 'sample-rcs', address: person },
  { channel: 'sms', wire: 'twilio', account: 'sample-sms', address: person },
  { channel: 'messengerA', wire: 'whatsapp', account: 'sample-messenger', address: person },
  { channel: 'vendorMessages', wire: 'apple', account: 'sample-vendor', address: 'urn:mbid:AQAAY0000001' },
]

const profile = {
  id: 'sample',
  name: 'Sample Harbor Hotel',
  description: 'Answers with every kind of part. Its webhook is a server of this node; point it at yours to try that.',
} as const
/** The path that marks a webhook as ours; a webhook that an operator pointed elsewhere stays there. */
const webhookPath = '/parley-sample'
const agentFile = new URL('../../../ops/sample-agent/agent.mjs', import.meta.url)

/** Gets each event of the agent, with the body of its answer, if any. */
type OnEvent = (envelope: unknown, answer?: string) => void

interface AgentFile {
  serve(options: { port?: number; secret: string; onEvent: OnEvent }): Promise<Server>
}

export interface SampleAgent {
  /** Undefined if there is no sample agent, or an operator deleted it. */
  start(deps: SampleDeps, providers: ProviderEmulator, startOptions: SampleStart): Promise<AgentRef | undefined>
  /** Origins on loopback that the node may call. */
  origins(): ReadonlySet<string>
  stop(): void
}

export function openSampleAgent(onEvent: OnEvent): SampleAgent {
  let server: Server | undefined
  let origin: string | undefined

  return {
    async start(deps, providers, startOptions) {
      const agentRef = { orgId: startOptions.orgId, agentId: profile.id }
      if (startOptions.isFirst) unwrap(await createAgent(deps, agentRef))
      const agent = await deps.directory.get(formatAgentKey(agentRef))
      if (isRefusal(agent)) return undefined
      const { kind, id, sealed } = agent.signingSecret
      const secret = unwrap(await deps.sealer.open(agentRef.orgId, kind, id, sealed))
      const { serve } = (await import(agentFile.href)) as AgentFile
      server = await serve({
        secret,
        onEvent,
        ...(startOptions.port !== undefined && { port: startOptions.port }),
      })
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await setWebhook(deps, agent, origin, startOptions.isFirst)
      for (const phone of samplePhones) await bindChannel(deps, providers, agent, phone, startOptions)
      await allowFraming(deps, agent, startOptions)
      return agentRef
    },
    origins: () => new Set(origin ? [origin] : []),
    stop() {
      server?.closeAllConnections()
      server?.close()
      origin = undefined
    },
  }
}

async function createAgent(
  { shards, sealer, management: { agents }, randomBytes }: SampleDeps,
  { orgId, agentId }: AgentRef,
) {
  const credentials = await generateCredentials(orgId, { sealer, randomBytes })
  if (isRefusal(credentials)) return credentials
  const { id: _id, ...described } = profile
  const input = { ...described, orgId, credentials }
  const reserved = await shards.execute(orgId, agents.reserveId, { ...input, id: agentId })
  if (isRefusal(reserved)) return reserved
  return shards.execute(formatAgentKey({ orgId, agentId }), agents.create, { ...input, ...reserved })
}

async function setWebhook({ shards, management }: SampleDeps, agent: AgentRouting, origin: string, isFirst: boolean) {
  const isOurs = isFirst || (agent.webhook && parseUrl(agent.webhook.webhookUrl)?.pathname === webhookPath)
  if (!isOurs) return
  const { orgId, agentId } = agent
  const input = { orgId, agentId, webhookUrl: origin + webhookPath }
  unwrap(await shards.execute(formatAgentKey(agent), management.gatewayAccess.setWebhook, input))
}

/** Opens a phone's account with the same credentials each time, and binds the channel to its current address. */
async function bindChannel(
  deps: SampleDeps,
  providers: ProviderEmulator,
  agent: AgentRouting,
  { channel, wire, account: id }: SamplePhone,
  { isFirst, gatewayUrl }: SampleStart,
) {
  const { shards, providers: providerAccess } = deps
  const binding = agent.channels.find((each) => each.channel === channel)
  if (!isFirst && binding?.provider !== providerOf[wire]) return
  const account = providers.accounts.register({ wire, id })!
  const { orgId, agentId } = agent
  let bindingId = binding?.bindingId
  if (binding) {
    const stored = await providerAccess.authOf(orgId, binding)
    if (!isRefusal(stored) && JSON.stringify(stored.auth) !== JSON.stringify(account.auth)) {
      const auth = unwrap(await sealedAuth(deps, agent, binding.bindingId, account))
      const input = { orgId, agentId, bindingId: binding.bindingId, change: { auth } }
      unwrap(await shards.execute(formatAgentKey(agent), deps.management.channels.change, input))
    }
  } else {
    bindingId = idFromBytes('cb', deps.randomBytes(17))
    const auth = unwrap(await sealedAuth(deps, agent, bindingId, account))
    await createBinding(deps, agent, { id: bindingId, channel, mode: 'unmanaged', provider: providerOf[wire], auth })
  }
  providers.accounts.change(id, { ingressUrl: `${gatewayUrl}/v4/ingress/${bindingId}` })
}

/** The provider of each payload format. */
const providerOf = { rbm: 'rbm', twilio: 'twilio', whatsapp: 'whatsapp', apple: 'apple' } as Record<
  ProviderName,
  string
>

function sealedAuth({ sealer }: SampleDeps, { orgId }: AgentRef, bindingId: string, { auth }: Account) {
  return sealer.seal(orgId, authKind, bindingId, JSON.stringify(auth))
}

type NewBinding = Parameters<ChannelCommands['create']['decide']>[1]

async function createBinding(
  { shards, management: { channels } }: SampleDeps,
  { orgId, agentId }: AgentRef,
  binding: Omit<NewBinding, 'orgId' | 'agentId'>,
) {
  const agentRef = { orgId, agentId }
  unwrap(await shards.execute(ownerOfBinding(binding.id), bindingIndex.put, { ...agentRef, bindingId: binding.id }))
  unwrap(await shards.execute(formatAgentKey(agentRef), channels.create, { ...agentRef, ...binding }))
}

/**
 * The binding's inputs list the sites that may frame web chat, and only a new binding sets inputs, so this binds again.
 */
async function allowFraming(deps: SampleDeps, agent: AgentRouting, { mgmtUrl }: SampleStart) {
  const binding = agent.channels.find(({ channel }) => channel === 'webchat')
  const origins = originsOf(mgmtUrl)
  if (!binding || origins.length === 0 || isFramedBy(binding, origins)) return
  const { orgId, agentId } = agent
  const { shards } = deps
  const input = { orgId, agentId, bindingId: binding.bindingId }
  unwrap(await shards.execute(formatAgentKey(agent), deps.management.channels.remove, input))
  const id = idFromBytes('cb', deps.randomBytes(17))
  await createBinding(deps, agent, { id, channel: 'webchat', mode: 'managed', inputs: { ...binding.inputs, origins } })
}

function isFramedBy({ inputs }: ChannelRoute, origins: readonly string[]): boolean {
  const allowed = inputs?.origins
  return Array.isArray(allowed) && origins.every((origin) => allowed.includes(origin))
}

/** Loopback has two names. */
function originsOf(url: string): string[] {
  const parsed = parseUrl(url)
  if (!parsed) return []
  const { origin, protocol, hostname, port } = parsed
  const names = ['127.0.0.1', 'localhost']
  return names.includes(hostname) ? names.map((name) => `${protocol}//${name}${port && `:${port}`}`) : [origin]
}

function unwrap<R>(answer: R | Refusal): R {
  if (!isRefusal(answer)) return answer
  throw new Error(`The sample agent could not be made or mended: ${answer.detail ?? answer.refused}`)
}
