/**
 * Bindings of a sample agent: its phones at the emulated providers, and its web chat in the frame of the page. Later
 * starts update addresses that changed, such as a port, and bind nothing again that an operator removed.
 */
import type { Account, ProviderName } from '../../adapters/emulator/contract.js'
import type { ProviderEmulator } from '../../adapters/emulator/provideremulator.js'
import type { AgentRouting, ChannelRoute } from '../../core/agent/routing.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { bindingIndex, ownerOfBinding } from '../../mgmt/channels/bindingindex.js'
import type { ChannelCommands } from '../../mgmt/channels/commands.js'
import { authKind } from '../../mgmt/channels/store.js'
import { parseUrl } from '../config/url.js'
import { type SampleDeps, type SamplePhone, type SampleProfile, type SampleStart, unwrap } from './samples.js'

/** The provider of each payload format. */
const providerOf = { rbm: 'rbm', twilio: 'twilio', whatsapp: 'whatsapp', apple: 'apple' } as Record<
  ProviderName,
  string
>

export async function bindSample(
  deps: SampleDeps,
  providers: ProviderEmulator,
  agent: AgentRouting,
  { phones, chat }: Pick<SampleProfile, 'phones' | 'chat'>,
  startOptions: SampleStart,
): Promise<void> {
  for (const phone of phones) await bindPhone(deps, providers, agent, phone, startOptions)
  await allowFraming(deps, agent, startOptions.isFirst ? chat : {}, startOptions)
}

/** Opens a phone's account with the same credentials each time, and binds the channel to its current address. */
async function bindPhone(
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
async function allowFraming(
  deps: SampleDeps,
  agent: AgentRouting,
  chat: Readonly<Record<string, string>>,
  { mgmtUrl }: SampleStart,
) {
  const binding = agent.channels.find(({ channel }) => channel === 'webchat')
  const origins = originsOf(mgmtUrl)
  if (!binding || origins.length === 0 || isFramedBy(binding, origins)) return
  const { orgId, agentId } = agent
  const { shards } = deps
  const input = { orgId, agentId, bindingId: binding.bindingId }
  unwrap(await shards.execute(formatAgentKey(agent), deps.management.channels.remove, input))
  const id = idFromBytes('cb', deps.randomBytes(17))
  const inputs = { ...binding.inputs, ...chat, origins }
  await createBinding(deps, agent, { id, channel: 'webchat', mode: 'managed', inputs })
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
