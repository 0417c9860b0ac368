/**
 * Agents on a whole node without sockets: their channels on the emulator, their tokens, and phones that write to them.
 */
import { signatureHeader, signatureOf } from '../../adapters/emulator/adapter.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import { loadOrCreateSecretKey } from '../../runtime/secrets/rootkey.js'
import { deriveKey } from '../../runtime/secrets/seal.js'
import type { Response } from './injection.js'
import type { TestNode } from './node.js'

export interface Result {
  readonly messageId: string
  readonly accepted: boolean
  readonly reason?: string
  readonly detail?: string
}

/** An agent of the node's first org. */
export interface NodeAgent {
  readonly ref: AgentRef
  readonly token: string
  binding(channel: ChannelName): string
  /** The user id of a person of the agent. */
  userId(channel: ChannelName, address: string): string
  /** A request to the management API below the agent's path; it throws when it is refused. */
  manage(method: string, path: string, json?: unknown): Promise<Response['json']>
  /** A request of the agent to the gateway, below `/v4`. */
  call(method: string, path: string, json?: unknown): Promise<Response>
  send(userId: string, ...messages: unknown[]): Promise<Result[]>
  /** The signature by which a binding believes that body. */
  signatureOf(channel: ChannelName, body: string | Uint8Array): string
  /** A call of the emulated phones, signed by the emulator unless another signature is given. */
  ingress(channel: ChannelName, body: string | Uint8Array, signature?: string): Promise<Response>
  /** A person sends a text, and is known when this resolves. */
  receiveText(channel: ChannelName, from: string, text?: string): Promise<string>
}

export function createAgents(node: TestNode) {
  const { key } = loadOrCreateSecretKey(node.dir)
  const phoneKey = deriveKey(key, 'emulated phones')
  const { asidOf, bootstrapResult } = node.node
  const { orgId } = bootstrapResult
  let items = 0

  async function manage(method: string, path: string, json?: unknown): Promise<Response['json']> {
    const reply = await node.mgmt(method, `/v1/orgs/${orgId}/agents${path}`, { token: node.key, json })
    if (reply.status > 299) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.text === '' ? undefined : reply.json
  }

  /** Creates an agent with those fields, and binds the channels. */
  async function createAgent(fields: object, channels: readonly ChannelName[]): Promise<NodeAgent> {
    const { id: agentId } = await manage('POST', '', { name: 'Desk', ...fields })
    const bindings = new Map<ChannelName, string>()
    for (const channel of channels) {
      const binding = await manage('POST', `/${agentId}/channels`, { channel, mode: 'unmanaged', provider: 'emulator' })
      bindings.set(channel, binding.id)
    }
    const { accessToken: token } = await manage('POST', `/${agentId}/gateway/_rotateToken`)
    const ref = { orgId, agentId }
    const agent: NodeAgent = {
      ref,
      token,
      binding: (channel) => bindings.get(channel)!,
      userId: (channel, address) => asidOf(formatAgentKey(ref), channel, address),
      manage: (method, path, json) => manage(method, `/${agentId}${path}`, json),
      call: (method, path, json) => node.gateway(method, `/v4${path}`, { token, json }),
      async send(userId, ...messages) {
        const { status, json, text } = await agent.call('POST', '/messages', { userId, messages })
        if (!json?.results) throw new Error(`${status} ${text}`)
        return json.results
      },
      ingress(channel, body, signature = agent.signatureOf(channel, body)) {
        const headers = { [signatureHeader]: signature }
        return node.gateway('POST', `/v4/ingress/${agent.binding(channel)}`, { body, headers })
      },
      signatureOf: (channel, body) => signatureOf(phoneKey, agent.binding(channel), Buffer.from(body as string)),
      async receiveText(channel, from, text = 'hello') {
        const body = JSON.stringify({ items: [{ id: `in ${++items}`, from, text }] })
        const { status } = await agent.ingress(channel, body)
        if (status !== 200) throw new Error(`the ingress answered ${status}`)
        return agent.userId(channel, from)
      },
    }
    return agent
  }

  return { createAgent, newAgent: (...channels: readonly ChannelName[]) => createAgent({}, channels) }
}
