/**
 * The sample agent of a first start: somebody to talk to. It is an agent like any other, with bindings at the emulated
 * providers, and answers by webhook from a server on loopback that the node runs for it. Starts after the first mend what
 * has moved meanwhile, such as a port, and make nothing anew that somebody has deleted.
 */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Account, WireName } from '../adapters/emulator/contract.js'
import type { ProviderEmulator } from '../adapters/emulator/control.js'
import type { AgentRouting, ChannelRoute } from '../core/agent/routing.js'
import { type AgentPlace, agentKeyOf } from '../core/agentkey.js'
import type { ChannelName } from '../core/channelnames.js'
import { isRefusal, type Refusal } from '../core/errors.js'
import { idFromBytes } from '../core/ids.js'
import type { AgentCommands } from '../mgmt/agents/commands.js'
import { newCredentials } from '../mgmt/agents/credentials.js'
import { bindingIndex, ownerOfBinding } from '../mgmt/channels/bindingindex.js'
import type { ChannelCommands } from '../mgmt/channels/commands.js'
import { authKind } from '../mgmt/channels/store.js'
import type { GatewayCommands } from '../mgmt/gatewayaccess/commands.js'
import type { Directory } from './conversation/context.js'
import type { Providers } from './delivery/providers.js'
import type { Shards } from './shard/contract.js'
import type { Sealer } from './store/sealer.js'
import { parsedUrl } from './url.js'

export interface SampleParts {
  readonly shards: Shards
  readonly directory: Directory
  readonly providers: Pick<Providers, 'authOf' | 'reach'>
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
  readonly wire: WireName
  readonly account: string
  readonly address: string
}

const person = '+15550100'
/** One person with a phone for each. */
export const samplePhones: readonly SamplePhone[] = [
  { channel: 'rcs', wire: 'rbm', account: 'sample-rcs', address: person },
  { channel: 'sms', wire: 'twilio', account: 'sample-sms', address: person },
  { channel: 'messengerA', wire: 'whatsapp', account: 'sample-messenger', address: person },
  { channel: 'vendorMessages', wire: 'apple', account: 'sample-vendor', address: 'urn:mbid:AQAAY0000001' },
]

const about = {
  id: 'sample',
  name: 'Sample Harbor Hotel',
  description: 'Answers with every kind of part. Its webhook is a server of this node; point it at yours to try that.',
} as const
/** By this path a webhook is known as ours; one that somebody has pointed elsewhere stays there. */
const hookPath = '/parley-sample'
const agentFile = new URL('../../ops/sample-agent/agent.mjs', import.meta.url)

/** Gets each event of the agent, with the body of its answer where it gave one. */
type Hears = (envelope: unknown, answer?: string) => void

interface AgentFile {
  serve(options: { port?: number; secret: string; heard: Hears }): Promise<Server>
}

export interface SampleAgent {
  /** Undefined where there is no such agent, or somebody has deleted it. */
  start(parts: SampleParts, providers: ProviderEmulator, how: SampleStart): Promise<AgentPlace | undefined>
  /** Where the node may call it although it is on loopback. */
  origins(): ReadonlySet<string>
  stop(): void
}

export function openSampleAgent(heard: Hears): SampleAgent {
  let server: Server | undefined
  let origin: string | undefined

  return {
    async start(parts, providers, how) {
      const place = { orgId: how.orgId, agentId: about.id }
      if (how.isFirst) ok(await make(parts, place))
      const agent = await parts.directory.get(agentKeyOf(place))
      if (isRefusal(agent)) return undefined
      const { kind, id, sealed } = agent.signingSecret
      const secret = ok(await parts.sealer.open(place.orgId, kind, id, sealed))
      const { serve } = (await import(agentFile.href)) as AgentFile
      server = await serve({ secret, heard, ...(how.port !== undefined && { port: how.port }) })
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await hook(parts, agent, origin, how.isFirst)
      for (const phone of samplePhones) await bind(parts, providers, agent, phone, how)
      await frame(parts, agent, how)
      return place
    },
    origins: () => new Set(origin ? [origin] : []),
    stop() {
      server?.closeAllConnections()
      server?.close()
      origin = undefined
    },
  }
}

async function make(
  { shards, sealer, management: { agents }, randomBytes }: SampleParts,
  { orgId, agentId }: AgentPlace,
) {
  const credentials = await newCredentials(orgId, { sealer, randomBytes })
  if (isRefusal(credentials)) return credentials
  const { id: _id, ...described } = about
  const input = { ...described, orgId, credentials }
  const claimed = await shards.ask(orgId, agents.claim, { ...input, id: agentId })
  if (isRefusal(claimed)) return claimed
  return shards.ask(agentKeyOf({ orgId, agentId }), agents.make, { ...input, ...claimed })
}

async function hook({ shards, management }: SampleParts, agent: AgentRouting, origin: string, isFirst: boolean) {
  const isOurs = isFirst || (agent.webhook && parsedUrl(agent.webhook.webhookUrl)?.pathname === hookPath)
  if (!isOurs) return
  const { orgId, agentId } = agent
  const input = { orgId, agentId, webhookUrl: origin + hookPath }
  ok(await shards.ask(agentKeyOf(agent), management.gatewayAccess.setWebhook, input))
}

/** Opens the account of a phone, with the same credentials each time, and binds the channel to where it is now. */
async function bind(
  parts: SampleParts,
  providers: ProviderEmulator,
  agent: AgentRouting,
  { channel, wire, account: id }: SamplePhone,
  { isFirst, gatewayUrl }: SampleStart,
) {
  const { shards, providers: reach } = parts
  const bound = agent.channels.find((each) => each.channel === channel)
  if (!isFirst && bound?.provider !== providerOf[wire]) return
  const account = providers.accounts.register({ wire, id })!
  const { orgId, agentId } = agent
  let bindingId = bound?.bindingId
  if (bound) {
    const known = await reach.authOf(orgId, bound)
    if (!isRefusal(known) && JSON.stringify(known.auth) !== JSON.stringify(account.auth)) {
      const auth = ok(await sealedAuth(parts, agent, bound.bindingId, account))
      const input = { orgId, agentId, bindingId: bound.bindingId, change: { auth } }
      ok(await shards.ask(agentKeyOf(agent), parts.management.channels.change, input))
    }
  } else {
    bindingId = idFromBytes('cb', parts.randomBytes(17))
    const auth = ok(await sealedAuth(parts, agent, bindingId, account))
    await create(parts, agent, { id: bindingId, channel, mode: 'unmanaged', provider: providerOf[wire], auth })
  }
  providers.accounts.change(id, { ingressUrl: `${gatewayUrl}/v4/ingress/${bindingId}` })
}

/** Wires are called as their providers are. */
const providerOf = { rbm: 'rbm', twilio: 'twilio', whatsapp: 'whatsapp', apple: 'apple' } as Record<WireName, string>

function sealedAuth({ sealer }: SampleParts, { orgId }: AgentPlace, bindingId: string, { auth }: Account) {
  return sealer.seal(orgId, authKind, bindingId, JSON.stringify(auth))
}

type NewBinding = Parameters<ChannelCommands['create']['decide']>[1]

async function create(
  { shards, management: { channels } }: SampleParts,
  { orgId, agentId }: AgentPlace,
  binding: Omit<NewBinding, 'orgId' | 'agentId'>,
) {
  const place = { orgId, agentId }
  ok(await shards.ask(ownerOfBinding(binding.id), bindingIndex.put, { ...place, bindingId: binding.id }))
  ok(await shards.ask(agentKeyOf(place), channels.create, { ...place, ...binding }))
}

/** Web chat names the sites that may frame it, and inputs are given when it is bound: so it is bound anew. */
async function frame(parts: SampleParts, agent: AgentRouting, { mgmtUrl }: SampleStart) {
  const bound = agent.channels.find(({ channel }) => channel === 'webchat')
  const origins = originsOf(mgmtUrl)
  if (!bound || origins.length === 0 || isFramedBy(bound, origins)) return
  const { orgId, agentId } = agent
  const { shards } = parts
  const input = { orgId, agentId, bindingId: bound.bindingId }
  ok(await shards.ask(agentKeyOf(agent), parts.management.channels.remove, input))
  const id = idFromBytes('cb', parts.randomBytes(17))
  await create(parts, agent, { id, channel: 'webchat', mode: 'managed', inputs: { ...bound.inputs, origins } })
}

function isFramedBy({ inputs }: ChannelRoute, origins: readonly string[]): boolean {
  const named = inputs?.origins
  return Array.isArray(named) && origins.every((origin) => named.includes(origin))
}

/** Loopback is called by two names. */
function originsOf(url: string): string[] {
  const parsed = parsedUrl(url)
  if (!parsed) return []
  const { origin, protocol, hostname, port } = parsed
  const names = ['127.0.0.1', 'localhost']
  return names.includes(hostname) ? names.map((name) => `${protocol}//${name}${port && `:${port}`}`) : [origin]
}

function ok<R>(answer: R | Refusal): R {
  if (!isRefusal(answer)) return answer
  throw new Error(`The sample agent could not be made or mended: ${answer.detail ?? answer.refused}`)
}
